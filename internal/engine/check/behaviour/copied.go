package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/redact"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

var _ = register(check.Check{
	ID: "GNT-502", Name: "content-copied-elsewhere", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP10:2025 close, ASI02 weak, CWE-200 close, CWE-506 weak, L3 close, L4 weak",
	Axis:     "data-exfiltration", Needs: check.Observed, Source: source,
	Doc: `A server in a sandbox sent the content of one tool call to two domains, or to a domain other than the one that
receives this tool's other calls. A server that sends every email to its recipient and a copy to its author
behaves like this.

gauntlet looks for the strings of the call's arguments, of 12 characters or more and in the encodings of
GNT-501, in everything that the server sends between the call and its answer. The domain that receives most
calls of the tool counts as the regular one. With a single call the first domain does, and the severity is
medium.

Not reported: strings that another tool was given before, hosts that the arguments name, hosts of one domain,
and a tool each of whose calls goes to one domain. What is sent after the answer cannot be attributed to a
call.`,
	Advice: "Ask the publisher what the second host is for, and do not run the server before you know.",
	Run: func(p *check.Pass) {
		calls := callsOf(p)
		usual := usualDomains(calls)
		seen := map[string]bool{}
		for _, c := range calls {
			c.reportCopies(p, usual[c.tool()], seen)
		}
	},
})

// sentCall is a tool call and the observed destinations of its content.
type sentCall struct {
	server, name string
	arguments    string            // as text, to find the hosts it names
	content      []string          // what is searched for, as NAME=VALUE
	request      int               // its message
	heard        []int             // messages of events during the call that went to hosts it does not name
	sent         map[string]sentTo // by domain
}

// sentTo is the first event that carries content to a domain.
type sentTo struct {
	host  string
	at    check.Place
	order int
}

func (c *sentCall) tool() string { return c.server + "\x00" + c.name }

const (
	shortestContent = 12
	mostContent     = 200
)

// callsOf reads the calls of the trace and the destinations of their content.
func callsOf(p *check.Pass) []*sentCall {
	var calls []*sentCall
	open := map[string]*sentCall{}          // by server: the latest unanswered call
	first := map[string]string{}            // the tool that first received a text, by server and text
	domains := map[string]map[string]bool{} // domains that a tool contacted
	var tree rawjson.Tree
	for i := range p.Trace.Messages {
		m := &p.Trace.Messages[i]
		switch {
		case m.Method == "tools/call" && m.Kind == trace.Request && tree.Parse(m.Raw, 0) == nil:
			c := newSentCall(m, tree.Root().Get("params"), first)
			calls, open[m.Server] = append(calls, c), c
		case m.Method == "tools/call" && m.Kind.Answer():
			if c := open[m.Server]; c != nil && c.request == m.ReplyTo {
				delete(open, m.Server)
			}
		case m.IsProtocol(protocol) && m.Kind == trace.Event && open[m.Server] != nil && tree.Parse(m.Raw, 0) == nil:
			p.Looked(1)
			c := open[m.Server]
			if to := c.goesTo(readEvent(m, tree.Root())); to != "" {
				c.heard = append(c.heard, i)
				if domains[c.tool()] == nil {
					domains[c.tool()] = map[string]bool{}
				}
				domains[c.tool()][to] = true
			}
		}
	}
	for _, c := range calls {
		if len(domains[c.tool()]) > 1 { // a copy needs a second domain
			c.readContent(p)
		}
	}
	return calls
}

// goesTo is the domain that an event sends to, "" if the call names it or nothing is sent.
func (c *sentCall) goesTo(e *observed) string {
	to := domain(e.host)
	if !e.outgoing() || e.host == "" || e.kind == "connection" || strings.Contains(c.arguments, to) {
		return ""
	}
	return to
}

// readContent searches for the content of a call in what was sent during it.
func (c *sentCall) readContent(p *check.Pass) {
	if len(c.heard) == 0 {
		return
	}
	finder := redact.New(c.content)
	var tree rawjson.Tree
	for _, i := range c.heard {
		m := &p.Trace.Messages[i]
		if tree.Parse(m.Raw, 0) != nil {
			continue
		}
		e := readEvent(m, tree.Root())
		to := domain(e.host)
		if _, known := c.sent[to]; !known && len(finder.Names(e.text+"\n"+e.host)) > 0 {
			c.sent[to] = sentTo{e.host, e.place(p), len(c.sent)}
		}
	}
}

// newSentCall reads a call. A text that another tool received before says nothing about this one: it may be sent in a later batch.
func newSentCall(m *trace.Message, params rawjson.Value, first map[string]string) *sentCall {
	c := &sentCall{server: m.Server, name: strings.Clone(params.Get("name").Text()), request: m.Seq, sent: map[string]sentTo{}}
	var content []string
	var all strings.Builder
	for v := range params.Get("arguments").All() {
		if v.Kind() != rawjson.String {
			continue
		}
		text := v.Text()
		all.WriteString(strings.ToLower(text) + "\n")
		if len(text) < shortestContent || len(content) >= mostContent {
			continue
		}
		key := m.Server + "\x00" + text
		if _, given := first[key]; !given {
			first[key] = c.name
		}
		if first[key] == c.name {
			content = append(content, fmt.Sprintf("%d=%s", len(content), text))
		}
	}
	c.arguments, c.content = all.String(), content
	return c
}

// usualDomains returns for each tool the domain that its calls send to most often, "" if there is none.
func usualDomains(calls []*sentCall) map[string]string {
	counts := map[string]map[string]int{}
	for _, c := range calls {
		if counts[c.tool()] == nil {
			counts[c.tool()] = map[string]int{}
		}
		for d := range c.sent {
			counts[c.tool()][d]++
		}
	}
	out := map[string]string{}
	for tool, of := range counts {
		best := 0
		for _, d := range slices.Sorted(maps.Keys(of)) {
			switch {
			case of[d] > best:
				best, out[tool] = of[d], d
			case of[d] == best:
				out[tool] = "" // a tie: neither is the usual one
			}
		}
	}
	return out
}

func (c *sentCall) reportCopies(p *check.Pass, usual string, seen map[string]bool) {
	domains := slices.SortedFunc(maps.Keys(c.sent), func(a, b string) int { return c.sent[a].order - c.sent[b].order })
	severity := finding.None
	if usual == "" {
		if len(domains) < 2 {
			return
		}
		usual, severity = domains[0], finding.Medium
	}
	for _, d := range domains {
		if d == usual || seen[c.tool()+"\x00"+d] {
			continue
		}
		seen[c.tool()+"\x00"+d] = true
		relation := check.Relation{
			At: c.sent[d].at, Severity: severity, Identity: []string{c.server, c.name, d},
			Message: fmt.Sprintf("the content of a call of %s went to %s; its usual destination is %s", quoted(c.name), quoted(c.sent[d].host), quoted(usual)),
		}
		if first, ok := c.sent[usual]; ok {
			relation.Related = []check.Place{first.at}
		}
		p.Report(relation)
	}
}
