package proberun

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

// A Mark identifies one attempt by random values that nothing else produces.
type Mark struct {
	Token string // 12 letters and digits
	Touch string // a file that does not exist, in a folder writable by anybody
	A, B  int64  // their product has at least nine digits
	C     int64  // subtracted from it, where the tool multiplies numbers in any text; else 0
}

// expression returns what a payload has the tool compute.
func (m *Mark) expression() string {
	if m.C == 0 {
		return fmt.Sprintf("%d*%d", m.A, m.B)
	}
	return fmt.Sprintf("%d*%d-%d", m.A, m.B, m.C)
}

func (m *Mark) result() int64 { return m.A*m.B - m.C }

// A Place holds the planted things that payloads lead to. An empty field means that there is none where the server runs.
type Place struct {
	Root      string // the project folder, declared as the server's root
	Outside   string // a file outside of Root with random content
	OutsideJS string // the same, a JSON document
	Sibling   string // a file in a folder whose name begins with Root's name
	Linked    string // a path below Root that leads outside through a symbolic link
	Folder    string // a folder in the start command, with a sibling and a link like Root; "" for none
	WriteDir  string // a folder outside Root, writable by anybody
	Port      int    // of the planted service on the loopback address
	Metadata  string // address of the planted metadata service, including its credentials path
	Private   string // host and port of the planted service in a private network
	Named     string // host and port of a public name that resolves to loopback
	Redirect  string // a public address without a path that redirects to the service
	ToCloud   string // one that redirects to the metadata service
}

// A Payload is one value to try, and what would prove that it worked.
type Payload struct {
	Variant string
	Value   any
	Text    string // Value as text, to remove it from answers
	Expect  []probe.Kind
	// Leads names the planted content the value leads to: "outside", "sibling", "symlink", "service", "metadata"; or "".
	Leads string
	// Whole is a whole statement with the same effect, for a tool that takes statements by design; "" if Value is one. Twin is the
	// control of all payloads.
	Whole string
	// Plant is a file that must exist first; nil for none.
	Plant *Planted
	// Escapes says that the value escapes a restriction on code, which is no tool's purpose.
	Escapes bool
}

// ShowsOutside reports whether an effect can be seen whatever the answer says: a file, a request, a program. A tool that sends the value
// away and then always fails has not resisted what only an answer would show.
func (p *Payload) ShowsOutside() bool {
	return slices.ContainsFunc(p.Expect, func(k probe.Kind) bool { return k == probe.File || k == probe.Callback || k == probe.Program })
}

// A variant is one form of a class's payloads, a line of payloads.txt. Its texts hold the names of values in braces, as in
// "{seed}; touch {touch} #": see [Place.words]. Where the place lacks one of them there is no payload.
type variant struct {
	name    string
	value   string
	expect  []probe.Kind
	leads   string
	whole   string
	escapes bool
	encode  func(string) string            // of the whole value; nil for none
	plant   func(m *Mark, p *Place) []byte // content of the file that must exist at the value; nil for none
}

// words returns the values of the names in variants.
func (p *Place) words(m *Mark, seed string) map[string]string {
	out := map[string]string{
		"{touch}": m.Touch, "{token}": m.Token, "{expression}": m.expression(), "{root}": p.Root, "{outside}": p.Outside, "{outside.json}": p.OutsideJS,
		"{sibling}": p.Sibling, "{linked}": p.Linked, "{folder}": p.Folder, "{drop}": p.WriteDir, "{metadata}": p.Metadata, "{private}": p.Private, "{named}": p.Named,
		"{redirect}": p.Redirect, "{to-cloud}": p.ToCloud, "{seed}": seed,
		"{relative-link}": strings.TrimPrefix(p.Linked, p.Root+"/"), "{relative}": strings.TrimPrefix(p.Outside, "/"), "{beside}": strings.TrimPrefix(p.Sibling, path.Dir(p.Root)), "{metadata-path}": strings.TrimPrefix(p.Metadata, "http://"+metadataHost),
		"{port}": "", "{folder-name}": "", "{climb}": climb,
	}
	if p.Port != 0 {
		out["{port}"] = strconv.Itoa(p.Port)
	}
	if p.Folder != "" {
		out["{folder-name}"] = path.Base(p.Folder)
	}
	return out
}

// Payloads returns the number of a target's payloads.
func (t *target) Payloads() int { return len(t.variants) }

// Payload returns a target's n-th payload; ok is false if the place lacks what it needs.
func (t *target) Payload(n int, m Mark, p Place, seed string) (made Payload, ok bool) {
	v, ok := &t.variants[n], true
	var pairs []string
	for name, value := range p.words(&m, seed) {
		ok = ok && (value != "" || name == "{seed}" || !strings.Contains(v.value, name))
		pairs = append(pairs, name, value)
	}
	fill := strings.NewReplacer(pairs...)
	made = Payload{Variant: v.name, Expect: v.expect, Leads: v.leads, Whole: fill.Replace(v.whole), Escapes: v.escapes}
	value := fill.Replace(v.value)
	if v.encode != nil {
		value = v.encode(value)
	}
	if v.plant != nil {
		made.Plant = &Planted{value, v.plant(&m, &p)}
	}
	made.set(value)
	return made, ok
}

func (p *Payload) set(value any) {
	p.Value = value
	p.Text, _ = value.(string)
}

const (
	metadataHost = "169.254.169.254"
	climb        = "../../../../../../../../../../../.."
)

// learnSeed records the required beginning of a value, with its example in the tool's description.
func (r *run) learnSeed(t *target, c schemafill.Complaint) {
	if c.Start == "" || t.seed != "" || c.Others(t.Parameter.Path) {
		return
	}
	t.seed = c.Start
	if example := exampleWith(t.tool.description, c.Start); example != "" {
		t.seed = example
	}
}

// endingWord matches a file extension in an error.
var endingWord = lazyregexp.New(`(?:^|[\s'"\x60(,])\.([a-z][a-z0-9]{1,4})\b`)

// learnEnding gives a payload that leads to a planted file the extension that an error asks for. It reports whether repeating the
// call is worthwhile.
func (r *run) learnEnding(a *attempt) bool {
	t := a.target
	if !a.answer.Failed || t.ending != "" || a.payload.Leads != "outside" {
		return false
	}
	for _, m := range endingWord.FindAllStringSubmatch(a.answer.Text[:min(len(a.answer.Text), 4<<10)], 10) {
		if slices.Contains(plantedEndings, m[1]) {
			t.ending = "." + m[1]
			return t.asksFor(&a.payload)
		}
	}
	return false
}

// asksFor changes a payload to the planted file of the type that the tool accepts. It reports whether it changed anything.
func (t *target) asksFor(p *Payload) bool {
	text, isText := p.Value.(string)
	if !isText || t.ending == "" || p.Leads != "outside" || !strings.HasSuffix(text, "/canary.txt") {
		return false
	}
	p.set(strings.TrimSuffix(text, ".txt") + t.ending)
	return true
}

// exampleWith returns the first part of a description that begins with a word: a quoted one, or the rest of a line.
func exampleWith(description, start string) string {
	for line := range strings.SplitSeq(description, "\n") {
		at := strings.Index(line, start+" ")
		if at < 0 || at > 0 && (line[at-1] == '/' || line[at-1] == '-') {
			continue
		}
		example := line[at:]
		if end := strings.IndexAny(example, "\"'`|;()"); end > 0 {
			example = example[:end]
		}
		if example = strings.TrimSpace(example); len(example) < 120 {
			return example
		}
	}
	return ""
}

// seedsOf returns the ordinary values that a target's payloads are appended to, best first.
func seedsOf(t *target, g *testbed) []string {
	out := []string{}
	if t.seed != "" {
		out = append(out, t.seed)
	}
	if example := t.Parameter.Example(); example != "" {
		out = append(out, example)
	}
	switch t.Role {
	case capability.URL:
		out = append(out, fmt.Sprintf("http://127.0.0.1:%d/", g.port))
	case capability.Path:
		out = append(out, "x", g.place.Root+"/notes.txt")
	case capability.Host:
		out = append(out, "localhost")
	default:
		out = append(out, "x")
	}
	// Payloads that stand alone are the same for every seed.
	if t.Class != probe.CommandInjection {
		return out[:1]
	}
	out = out[:min(len(out), 2)]
	if t.tool.started != "" { // some tools accept only what begins like the commands they run
		out = append(out, t.tool.started)
	}
	return out
}

// A Planted is a file that must exist where the server runs before a payload is sent.
type Planted struct {
	Path string
	Data []byte
}

// unpacks matches names of tools that unpack archives, and mayUnpack those that may do so incidentally.
var (
	unpacks   = lazyregexp.New(`(?i)archive|unzip|untar|unpack|extract|decompress|(?:^|[_-])(?:zip|tar)(?:$|[_-])`)
	mayUnpack = lazyregexp.New(`(?i)import|restore|install|load|deploy|backup|bundle|plugin|skill|theme|template|package|open`)
)

func archives(t *tool) bool { return unpacks.MatchString(t.Name) }

func mayTakeArchives(t *tool) bool { return archives(t) || mayUnpack.MatchString(t.Name) }

// An archiveEntry is a file in a generated archive, or a link if To is set.
type archiveEntry struct{ name, to, text string }

// archive returns the content of an archive with one honest entry and some that lead out of the destination folder.
func archive(pack func([]archiveEntry) []byte, entries func(m *Mark, p *Place) []archiveEntry) func(m *Mark, p *Place) []byte {
	return func(m *Mark, p *Place) []byte {
		return pack(append([]archiveEntry{{name: "readme.txt", text: "an ordinary file\n"}}, entries(m, p)...))
	}
}

func climbing(m *Mark, _ *Place) []archiveEntry {
	return []archiveEntry{{name: strings.TrimPrefix(climb, "/") + m.Touch, text: "x\n"}}
}

// linked leads out of the folder through a link that comes first.
func linked(m *Mark, p *Place) []archiveEntry {
	return []archiveEntry{{name: "data", to: p.WriteDir}, {name: "data" + strings.TrimPrefix(m.Touch, p.WriteDir), text: "x\n"}}
}

// absolute names a file outside of the folder.
func absolute(m *Mark, _ *Place) []archiveEntry { return []archiveEntry{{name: m.Touch, text: "x\n"}} }

// plants make the files that must exist where a value leads, by what payloads.txt calls them.
var plants = map[string]func(m *Mark, p *Place) []byte{
	"zip climbing": archive(packZip, climbing), "tar climbing": archive(packTar, climbing), "tar.gz climbing": archive(packTarGzip, climbing),
	"tar linked": archive(packTar, linked), "tar absolute": archive(packTar, absolute),
}

// packZip returns a ZIP archive. Writing to memory does not fail.
func packZip(entries []archiveEntry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		if w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store}); err == nil {
			_, _ = w.Write([]byte(e.text)) // to memory
		}
	}
	_ = z.Close() // to memory
	return b.Bytes()
}

func packTar(entries []archiveEntry) []byte {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, e := range entries {
		h := tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: tar.TypeReg}
		if e.to != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.to
		}
		if t.WriteHeader(&h) == nil {
			_, _ = t.Write([]byte(e.text)) // to memory
		}
	}
	_ = t.Close() // to memory
	return b.Bytes()
}

func packTarGzip(entries []archiveEntry) []byte {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	_, _ = g.Write(packTar(entries)) // to memory
	_ = g.Close()                    // to memory
	return b.Bytes()
}
