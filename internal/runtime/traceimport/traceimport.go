// Package traceimport converts other programs' recordings of MCP sessions to traces.
//
// A recording made for people or dashboards holds less than the wire carried. What it has is kept unchanged; what a trace needs
// beyond that (an envelope, an id) is generated, and the message's Note says so. Nothing is generated that an agent or a server
// would have to have said.
package traceimport

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A Format is a recording format.
type Format struct {
	Name string
	// Lost says what a trace made from it lacks, in a sentence or two.
	Lost string
	like func(head string) bool // head is the beginning of a file, cut anywhere
	read func(*importRun) error
}

// formats are in the order in which Detect tries them.
var formats = []Format{
	{"thoughtjack", "It has no ids and no envelopes: both are generated, an answer is paired with its request by actor, method and order, and an actor's side of the protocol is inferred from what it is asked.", likeThoughtJack, readThoughtJack},
	{"inspector", "Messages were parsed and written again, so white space, repeated members and the digits of numbers differ from the wire; invalid messages are missing.", likeInspector, readInspector},
	{"otel", "Spans hold no messages: they are generated from the attributes, without results unless gen_ai.tool.call.result was recorded, and the other side's notifications are missing.", likeOTel, readOTel},
	{"claude-desktop", "Long messages are cut in the middle, with a mark in the text, and some are then no longer JSON; a server's stderr output between the lines is skipped.", likeClaude, readClaude},
}

// ErrUnknown says that a file is in no supported format.
var ErrUnknown = errors.New("none of the formats that can be imported")

// detectBytes is how much of a file is examined to detect its format.
const detectBytes = 256 << 10

// Detect detects a file's format by its beginning, and returns a reader of all of it.
func Detect(in io.Reader) (Format, io.Reader, error) {
	b := bufio.NewReaderSize(in, detectBytes)
	head, err := b.Peek(detectBytes)
	if err != nil && err != io.EOF {
		return Format{}, nil, err
	}
	text := string(bytes.TrimPrefix(head, []byte("\ufeff")))
	for _, f := range formats {
		if f.like(text) {
			return f, b, nil
		}
	}
	return Format{}, nil, ErrUnknown
}

// Auto selects the format that Detect returns.
const Auto = "auto"

// Names returns the names that Choose accepts.
func Names() []string {
	names := []string{Auto}
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// Choose returns the named format, and a reader of the whole recording.
func Choose(name string, in io.Reader) (Format, io.Reader, error) {
	if name != Auto {
		i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
		if i < 0 {
			return Format{}, nil, fmt.Errorf("%q is no format", name)
		}
		return formats[i], in, nil
	}
	f, all, err := Detect(in)
	if errors.Is(err, ErrUnknown) {
		return f, nil, fmt.Errorf("it is in %w; if it is, name its form with --input-format", err)
	}
	return f, all, err
}

// Options configure an import.
type Options struct {
	Server string // server name if the recording does not say; may be empty
	// Text bounds a recording that is read whole, in bytes, and a line of any; default DefaultText.
	Text int
}

// DefaultText is enough for a busy day of a dashboard.
const DefaultText = 256 << 20

// A Summary counts what became of a recording.
type Summary struct {
	Messages int
	// Passed counts lines or entries that are not meant to hold messages.
	Passed int
	// Problems are the first trace.MaxProblems unreadable lines or entries; Unread counts all. Line is the line of the file, or the
	// entry's number in an array.
	Problems []trace.LineError
	Unread   int
	Broken   int // messages that are kept and are no JSON
}

// Read reads a recording and passes its messages to sink, numbered and with answers linked to their requests. An unreadable entry
// does not affect the others. An error means that the rest of the recording is missing, or comes from sink.
func (f Format) Read(in io.Reader, o Options, sink func(*trace.Message) error) (Summary, error) {
	o.Text = cmp.Or(o.Text, DefaultText)
	r := &importRun{in: in, options: o, tapes: map[string]*wire.Tape{}, sessions: trace.NewLabels("s")}
	var tree rawjson.Tree
	r.recorder = trace.NewRecorder(func(m *trace.Message) error {
		r.sum.Messages++
		if m.Unreadable(&tree) {
			r.sum.Broken++
		}
		return sink(m)
	}, trace.RecorderOptions{})
	err := f.read(r)
	return r.sum, err
}

// An importRun is a recording being imported.
type importRun struct {
	in       io.Reader
	options  Options
	recorder *trace.Recorder
	tapes    map[string]*wire.Tape // by what distinguishes connections
	sessions *trace.Labels
	sum      Summary
}

// addProblem records an unreadable line or entry.
func (r *importRun) addProblem(line int, format string, args ...any) {
	if r.sum.Unread++; len(r.sum.Problems) < trace.MaxProblems {
		r.sum.Problems = append(r.sum.Problems, trace.LineError{Line: line, Msg: fmt.Sprintf(format, args...)})
	}
}

// maxTapes bounds the distinct connections of a recording.
const maxTapes = 10_000

func (r *importRun) tapeFor(about trace.Message) *wire.Tape {
	key := strings.Join([]string{about.Actor, about.Server, about.Session, string(about.Role), about.Protocol, about.Revision}, "\x00")
	if t := r.tapes[key]; t != nil {
		return t
	}
	if len(r.tapes) == maxTapes {
		r.tapes = map[string]*wire.Tape{} // only their knowledge of revisions is lost
	}
	t := wire.NewTape(r.recorder, about)
	r.tapes[key] = t
	return t
}

func (r *importRun) putMessage(about trace.Message, p wire.Passage, at time.Time) error {
	t := r.tapeFor(about)
	t.Enter(about.Phase)
	t.RecordAt(p, at)
	return t.Err()
}

// eachLine calls do for each line that is not blank, with its number, and records lines that are too long. An error of do ends it.
func (r *importRun) eachLine(do func(n int, line string) error) error {
	lines := wire.NewLines(r.in, wire.Limits{Message: r.options.Text, Total: 1 << 50})
	for n := 1; ; n++ {
		line, err := lines.Next()
		var tooLong *wire.LineTooLongError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &tooLong):
			r.addProblem(n, "%v", tooLong)
			continue
		case err != nil:
			return err
		}
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := do(n, line); err != nil {
			return err
		}
	}
}

func (r *importRun) readWhole() (string, error) {
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(r.in, int64(r.options.Text)+1))
	switch {
	case err != nil:
		return "", err
	case n > int64(r.options.Text):
		return "", fmt.Errorf("more than %d bytes, and this format must be read whole", r.options.Text)
	}
	return strings.TrimPrefix(b.String(), "\ufeff"), nil
}

// A timedPassage waits to be sorted by time.
type timedPassage struct {
	about trace.Message
	p     wire.Passage
	at    time.Time
}

// putOrdered records messages in order of time, which some formats do not keep; those with equal or no times stay in place.
func (r *importRun) putOrdered(all []timedPassage) error {
	for i := range all {
		if all[i].at.IsZero() && i > 0 {
			all[i].at = all[i-1].at
		}
	}
	slices.SortStableFunc(all, func(a, b timedPassage) int { return a.at.Compare(b.at) })
	for _, d := range all {
		if err := r.putMessage(d.about, d.p, d.at); err != nil {
			return err
		}
	}
	return nil
}

func addNote(m *wire.Message, note string) {
	if m.Note != "" {
		note = m.Note + "; " + note
	}
	m.Note = note
}

// sideOf returns which side of MCP sends this request or notification, "" if both may.
func sideOf(method string) trace.Role {
	switch method {
	case mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList, mcp.NotifyMessage, mcp.NotifyElicitationComplete:
		return trace.AsServer
	case mcp.Initialize, mcp.Discover, mcp.LoggingSetLevel, mcp.CompletionComplete, mcp.NotifyInitialized, mcp.NotifyRootsListChanged:
		return trace.AsClient
	case mcp.Ping, mcp.NotifyCancelled, mcp.NotifyProgress:
		return ""
	}
	switch {
	case strings.HasPrefix(method, "tools/"), strings.HasPrefix(method, "resources/"), strings.HasPrefix(method, "prompts/"), strings.HasPrefix(method, "subscriptions/"):
		return trace.AsClient
	case strings.HasPrefix(method, "message/"), strings.HasPrefix(method, "agent_card"): // A2A has these sides too
		return trace.AsClient
	case strings.HasPrefix(method, "notifications/tools/"), strings.HasPrefix(method, "notifications/resources/"), strings.HasPrefix(method, "notifications/prompts/"):
		return trace.AsServer
	}
	return ""
}

// resultMembers are members that a method's result has and its params lack.
var resultMembers = map[string][]string{
	mcp.Initialize:            {"serverInfo"},
	mcp.Discover:              {"serverInfo", "supportedVersions"},
	mcp.ToolsList:             {"tools"},
	mcp.ToolsCall:             {"content", "structuredContent", "isError"},
	mcp.ResourcesList:         {"resources"},
	mcp.ResourcesRead:         {"contents"},
	mcp.PromptsList:           {"prompts"},
	mcp.PromptsGet:            {"messages"},
	mcp.SamplingCreateMessage: {"role", "model", "stopReason"},
	mcp.ElicitationCreate:     {"action"},
	mcp.RootsList:             {"roots"},
	mcp.CompletionComplete:    {"completion"},
	"agent_card/get":          {"skills", "url"},
}

// looksLikeResult reports whether a content can only be an answer to the method.
func looksLikeResult(method, content string) bool {
	v := rawjson.Read(content)
	return slices.ContainsFunc(resultMembers[method], func(name string) bool { return v.Get(name).Exists() })
}

// namesServer matches the file names that programs give to recordings of one server.
var namesServer = lazyregexp.New(`^(?:mcp-server-(.+)\.log|inspector-(?:protocol|protocol-pinned|protocol-unpinned|network)-(.+)-\d{4}-\d\d-\d\dT[\d.-]+Z\.json)$`)

// ServerOf returns the server in a recording's file name, or "".
func ServerOf(file string) string {
	found := namesServer.FindStringSubmatch(filepath.Base(file))
	if found == nil {
		return ""
	}
	name, err := url.PathUnescape(found[1] + found[2])
	if err != nil {
		return found[1] + found[2]
	}
	return name
}
