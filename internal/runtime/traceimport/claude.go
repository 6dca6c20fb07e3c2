package traceimport

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// The logs of Claude Desktop, mcp-server-NAME.log and mcp.log, with lines such as
//
// 	2026-03-01T09:39:14.436Z [files] [info] Message from client: {"method":…} { metadata: undefined }
//
// where name and level come in either order, the metadata since about 2026, and the server's stderr in between.

const (
	fromClient = "Message from client: "
	fromServer = "Message from server: "
	begins     = "Initializing server..."
)

func likeClaude(head string) bool {
	for line := range strings.Lines(head) {
		if l, ok := claudeLine(strings.TrimRight(line, "\r\n")); ok && (l.says(fromClient) || l.says(fromServer) || l.says(begins)) {
			return true
		}
	}
	return false
}

// claudeEntry is a line written by the log itself.
type claudeEntry struct {
	at     time.Time
	server string
	text   string
}

func (e *claudeEntry) says(what string) bool { return strings.HasPrefix(e.text, what) }

var claudeLevels = map[string]bool{"info": true, "error": true, "warn": true, "warning": true, "debug": true}

// litter matches what does not belong to a line: the zero bytes that a crash leaves before the next one, and the colours of a terminal.
var litter = lazyregexp.New(`[\x00-\x08\x0e-\x1a]+|\x1b\[[0-9;]*[A-Za-z]|\x{feff}`)

// withoutLitter cleans a line up to the message, and its end; what was said stays as it is.
func withoutLitter(line string) string {
	at := strings.IndexByte(line, '{')
	if at < 0 {
		at = len(line)
	}
	end := strings.LastIndexByte(line, '}') + 1
	if end < at {
		end = len(line)
	}
	return litter.ReplaceAllString(line[:at], "") + line[at:end] + litter.ReplaceAllString(line[end:], "")
}

// claudeLine parses the time and bracketed words at the beginning of a line.
func claudeLine(line string) (e claudeEntry, ok bool) {
	stamp, rest, _ := strings.Cut(withoutLitter(line), " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil || !strings.HasPrefix(rest, "[") {
		return e, false
	}
	e.at = at.UTC()
	for range 2 {
		if !strings.HasPrefix(rest, "[") {
			break
		}
		word, behind, found := strings.Cut(rest[1:], "] ")
		if !found {
			return e, false
		}
		if !claudeLevels[word] {
			e.server = word
		}
		rest = behind
	}
	e.text = rest
	return e, true
}

func readClaude(r *importRun) error {
	sessions := map[string]int{} // number of starts per server
	return r.eachLine(func(n int, line string) error {
		e, ok := claudeLine(line)
		if !ok {
			r.passOver(n, line) // the server's stderr, or the continuation of an entry
			return nil
		}
		server := cmp.Or(e.server, r.options.Server)
		if e.says(begins) && len(sessions) < maxTapes {
			sessions[server]++
		}
		text, sent := strings.CutPrefix(e.text, fromClient)
		if !sent {
			var received bool
			if text, received = strings.CutPrefix(e.text, fromServer); !received {
				r.passOver(n, e.text)
				return nil
			}
		}
		if end, err := rawjson.Skip(text, 0); err == nil && holdsMessage(text[end:]) {
			r.addProblem(n, "a second message on the line is not read")
		}
		about := trace.Message{Server: server, Session: "s" + strconv.Itoa(max(sessions[server], 1)), Role: trace.AsClient}
		return r.putMessage(about, wire.Passage{Message: claudeMessage(text), Sent: sent}, e.at)
	})
}

// passOver counts a line that is no entry, or an entry that is no message. One that has a message all the same is not read.
func (r *importRun) passOver(n int, line string) {
	if holdsMessage(line) {
		r.addProblem(n, "a message in a line that does not begin as the log's lines do")
		return
	}
	r.sum.Passed++
}

func holdsMessage(text string) bool {
	return strings.Contains(text, fromClient+"{") || strings.Contains(text, fromServer+"{")
}

// claudeCut marks text left out of the middle.
var claudeCut = lazyregexp.New(`\.\.\.\[[0-9]+ chars truncated\]\.\.\.`)

const metadata = " { metadata: "

// claudeMessage extracts the message from the rest of a line.
func claudeMessage(text string) wire.Message {
	raw := text
	if end, err := rawjson.Skip(text, 0); err == nil {
		if rest := text[end:]; rest == "" || strings.HasPrefix(rest, metadata) {
			raw = text[:end]
		}
	} else if at := strings.LastIndex(text, metadata); at >= 0 && strings.HasSuffix(text, "}") {
		raw = text[:at]
	}
	m := wire.Decode(raw)
	if mark := claudeCut.FindString(raw); mark != "" {
		addNote(&m, "cut by the log: "+mark)
	}
	return m
}
