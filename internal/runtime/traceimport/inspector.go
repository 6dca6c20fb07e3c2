package traceimport

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// The exports of MCP Inspector 2, JSON arrays. Its Protocol tab exports one object per message, with a request's answer inside:
//
// 	{"id":"…","timestamp":"…","direction":"request","origin":"client","message":{…},"response":{…},"duration":12}
//
// its Network tab one object per HTTP request:
//
// 	{"id":"…","timestamp":"…","method":"POST","url":"…","requestHeaders":{…},"requestBody":"…","responseStatus":200,"responseBody":"…","category":"transport"}

func likeInspector(head string) bool {
	head = strings.TrimSpace(head)
	if !strings.HasPrefix(head, "[") {
		return false
	}
	first := strings.TrimSpace(head[1:])
	has := map[string]bool{}
	for name := range rawjson.Fields(first) { // up to the end of the examined part, or of the file
		has[name] = true
	}
	return has["timestamp"] && (has["direction"] || has["requestHeaders"])
}

func readInspector(r *importRun) error {
	text, err := r.readWhole()
	if err != nil {
		return err
	}
	var all []timedPassage
	var tree rawjson.Tree
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	err = rawjson.EachElement(text, start, func(i int, s rawjson.Span) bool {
		if err := tree.Parse(text[s.Start:s.End], 0); err != nil {
			r.addProblem(i+1, "entry: %v", err)
			return true
		}
		got, err := r.inspectorEntry(tree.Root(), i+1)
		if err != nil {
			r.addProblem(i+1, "entry: %v", err)
			return true
		}
		if got == nil {
			r.sum.Passed++
		}
		all = append(all, got...)
		return true
	})
	if err != nil { // what came before is valid
		r.addProblem(len(all)+1, "the export ends in the middle: %v", err)
	}
	return r.putOrdered(all)
}

func (r *importRun) inspectorEntry(v rawjson.Value, n int) ([]timedPassage, error) {
	at, err := time.Parse(time.RFC3339Nano, v.Get("timestamp").Text())
	if err != nil {
		return nil, fmt.Errorf("the timestamp is not an RFC 3339 time")
	}
	end := at
	if ms, ok := v.Get("duration").Int(); ok && ms > 0 && ms < int64(time.Hour*24/time.Millisecond) {
		end = at.Add(time.Duration(ms) * time.Millisecond)
	}
	about := trace.Message{Server: r.options.Server, Session: "s1", Role: trace.AsClient}
	switch {
	case v.Get("message").Exists():
		return inspectorMessage(about, v, at, end), nil
	case v.Get("category").Is("auth"):
		return nil, nil // not MCP, and full of secrets
	case v.Get("requestHeaders").Exists():
		return inspectorRequest(about, v, at, end, n), nil
	}
	return nil, fmt.Errorf("neither a message nor an HTTP request")
}

func inspectorMessage(about trace.Message, v rawjson.Value, at, end time.Time) []timedPassage {
	m := wire.Decode(v.Get("message").Raw())
	origin := v.Get("origin").Text()
	if origin == "" {
		origin = "client"
		if m.Kind == wire.Response || m.Kind == wire.Error || sideOf(m.Method) == trace.AsServer {
			origin = "server"
		}
		addNote(&m, "who sent it was not recorded")
	}
	out := []timedPassage{{about, wire.Passage{Message: m, Sent: origin == "client"}, at}}
	if answer := v.Get("response"); answer.Kind() == rawjson.Object {
		m := wire.Decode(answer.Raw())
		if why := v.Get("clientError").Text(); why != "" {
			addNote(&m, "the client refused it: "+why)
		}
		out = append(out, timedPassage{about, wire.Passage{Message: m, Sent: origin != "client"}, end})
	}
	return out
}

// inspectorRequest returns the messages of one HTTP request and its response.
func inspectorRequest(about trace.Message, v rawjson.Value, at, end time.Time, n int) []timedPassage {
	var out []timedPassage
	if body := v.Get("requestBody").Text(); body != "" {
		out = append(out, timedPassage{about, wire.Passage{Message: wire.Decode(body), Sent: true, Post: &wire.HTTPPost{Exchange: n, Header: wire.HeaderOf(headers(v.Get("requestHeaders")))}}, at})
	}
	body := v.Get("responseBody").Text()
	if strings.TrimSpace(body) == "" {
		return out
	}
	status, _ := v.Get("responseStatus").Int()
	answer := &wire.HTTPAnswer{Status: int(max(min(status, 999), 0)), Exchange: n, Header: wire.HeaderOf(headers(v.Get("responseHeaders")))}
	came := []wire.Message{wire.Decode(body)}
	if strings.HasPrefix(strings.ToLower(answer.Header.Get("Content-Type")), "text/event-stream") {
		came = wire.EventMessages(body)
	}
	for _, m := range came {
		m.HTTP = answer
		out = append(out, timedPassage{about, wire.Passage{Message: m}, end})
	}
	return out
}

// headers yields the members of an object of strings.
func headers(v rawjson.Value) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for m := range v.Members() {
			if !yield(m.Key.Text(), m.Value.Text()) {
				return
			}
		}
	}
}
