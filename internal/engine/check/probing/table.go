package probing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

// A Probe is one question to a server about its protocol: what is sent, what that may do, where it
// holds, and the pure analysis of what came back. Package proberun sends them. The probes of docs/probing.md that are not in the
// table are sent by the runner or read from what others brought, and a check of their own judges them.
type Probe struct {
	ID     string // "P01" to "P37"
	Asks   string // the question, for a reader
	Effect probe.Effect
	// HTTP and Stdio say over which transports it can be asked.
	HTTP, Stdio bool
	// Era is that of the conversation in which its steps are sent; "" for a probe without steps.
	Era   probe.Era
	Steps []Step
	// Unless says why a probe without evidence was not sent; "" where the runner always knows better.
	Unless string
	// Signal is the line of the posture map that the answer fills, "" for none.
	Signal string
	// Judge says what the evidence shows; nil for messages that GNT-412, SEC-020 and the posture map judge.
	Judge func(*probe.Protocol) Verdict
	// Rule reports what is broken; no ID for a probe that only fills the posture map.
	Rule check.Check
}

// A Step is one message of a probe.
type Step struct {
	Name string
	Body string
	// Header is sent beside the fields of every request; a field with the value "" is left out.
	Header map[string]string
	// Verb of HTTP; "" is POST.
	Verb string
	// Quiet says that a server may leave the message unanswered, so that nobody waits for long.
	Quiet bool
}

// A State says what the evidence shows of a defence.
type State int

// The states. What was not probed is never held to be there or missing.
const (
	Unprobed State = iota
	Held
	Broken
)

// A Verdict is what the evidence of one probe shows, and with what.
type Verdict struct {
	State    State
	Text     string
	Severity finding.Severity // finding.None is that of the rule
	By       *probe.Exchange  // what shows it, nil where it is not one request
}

func held(text string) Verdict   { return Verdict{State: Held, Text: text} }
func broken(text string) Verdict { return Verdict{State: Broken, Text: text} }
func brokenBy(x *probe.Exchange, text string) Verdict {
	return Verdict{State: Broken, Text: text, By: x}
}
func unprobed(text string) Verdict { return Verdict{Text: text} }

// heldIn is held, of n things that were looked at; nothing for none.
func heldIn(n int, text string) Verdict {
	if n == 0 {
		return Verdict{}
	}
	return held(text)
}

// table holds the protocol probes in the order of their files.
var table []Probe

// Probes returns the protocol probes in the order of their ids.
func Probes() []Probe {
	return slices.SortedStableFunc(slices.Values(table), func(a, b Probe) int { return strings.Compare(a.ID, b.ID) })
}

// ByID returns a probe, which must exist.
func ByID(id string) *Probe {
	return &table[slices.IndexFunc(table, func(p Probe) bool { return p.ID == id })]
}

// add enters a probe into the table, and its rule into the lane.
func add(p Probe) Probe {
	table = append(table, p)
	if p.Rule.ID != "" {
		p.Rule.Doc += "\n\nNot reported where the probe was not sent or not answered in time; the posture map says why. See docs/probing.md."
		registerProtocol(p.Rule, p.Read)
	}
	return p
}

// judges say what evidence shows of each rule over the protocol probes.
var judges = map[finding.Rule]func(*probe.Protocol) Verdict{"SEC-020": judgeErrors}

// RuleOf returns the rule over protocol probes whose finding on a server has a fingerprint; "" for none.
func RuleOf(fingerprint, server string) finding.Rule {
	for rule := range judges {
		if finding.Fingerprint(string(rule), server) == fingerprint {
			return rule
		}
	}
	return ""
}

// Judge returns what evidence shows of a rule over protocol probes, which must exist.
func Judge(rule finding.Rule, e *probe.Protocol) Verdict { return judges[rule](e) }

// registerProtocol registers a check of what the protocol probes recorded. Where evidence is missing, judge is not Broken.
func registerProtocol(c check.Check, judge func(*probe.Protocol) Verdict) *check.Check {
	c.Maturity, c.Needs = check.Experimental, check.Probes
	c.Run = func(pass *check.Pass) {
		if e := pass.Probes.Protocol; e != nil {
			reportVerdict(pass, c.ID, judge(e))
		}
	}
	judges[c.ID] = judge
	return register(c)
}

// Read judges the evidence of one probe; without evidence the verdict says why there is none.
func (p *Probe) Read(e *probe.Protocol) Verdict {
	if why := p.missing(e); why != "" {
		return unprobed("not probed: " + why)
	}
	if p.Judge == nil {
		return unprobed("judged together with others")
	}
	v := p.Judge(e)
	if v.State == Unprobed && v.Text == "" {
		v.Text = "not probed: the server gave no occasion"
		if p.Unless != "" {
			v.Text = "not probed: " + p.Unless
		}
	}
	return v
}

// missing is why a probe cannot have been sent, "" where it can.
func (p *Probe) missing(e *probe.Protocol) string {
	for _, key := range []string{p.ID, "all"} {
		if why := e.Unsent[key]; why != "" {
			return why
		}
	}
	switch {
	case e.Transport == "stdio" && !p.Stdio:
		return "the server speaks over stdio"
	case e.Transport == "http" && !p.HTTP:
		return "the server speaks over HTTP"
	case p.Era == probe.Stateless && !e.Stateless:
		return "the server does not speak revision 2026-07-28"
	case len(p.Steps) > 0 && !slices.ContainsFunc(e.Exchanges, func(x probe.Exchange) bool { return x.ID == p.ID }):
		return e.Unsent["others"]
	}
	return ""
}

// exchanges are those of a probe that were answered in time.
func exchanges(e *probe.Protocol, id string) (out []*probe.Exchange) {
	for i := range e.Exchanges {
		if x := &e.Exchanges[i]; x.ID == id && x.Answered {
			out = append(out, x)
		}
	}
	return out
}

// message returns the JSON-RPC message in the body of an answer: the body as a whole, or the data of
// its last event.
func message(body string) rawjson.Value {
	tree := new(rawjson.Tree)
	if tree.Parse(body, 0) == nil {
		return tree.Root()
	}
	var last string
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data:"); ok && strings.TrimSpace(data) != "" {
			last = strings.TrimSpace(data)
		}
	}
	event := new(rawjson.Tree)
	if last == "" || event.Parse(last, 0) != nil {
		return rawjson.Value{}
	}
	return event.Root()
}

// IsResult reports whether there is an answer that is a JSON-RPC result, which a refusal never is.
func IsResult(x *probe.Exchange) bool {
	if x == nil || x.Status != 0 && x.Status/100 != 2 {
		return false
	}
	m := message(x.Body)
	return x.Result || m.Kind() == rawjson.Object && m.Get("result").Kind() == rawjson.Object && m.Get("error").Kind() != rawjson.Object
}

// toolText is the text of a tool's result, and whether it says that the call succeeded.
func toolText(x *probe.Exchange) (string, bool) {
	if !IsResult(x) {
		return "", false
	}
	r := message(x.Body).Get("result")
	if r.Get("isError").Raw() == "true" || r.Get("content").Kind() != rawjson.Array {
		return "", false
	}
	var b strings.Builder
	for _, item := range r.Get("content").Elements() {
		b.WriteString(item.Get("text").Text())
		b.WriteString("\n")
	}
	return b.String(), true
}

// how says for a reader how a request was answered.
func how(x *probe.Exchange) string {
	m := message(x.Body)
	switch code := excerpt.Clip(m.Get("error").Get("code").Raw(), 20); {
	case code != "" && x.Status != 0:
		return fmt.Sprintf("HTTP %d, %s", x.Status, code)
	case code != "":
		return code
	case x.Status != 0:
		return fmt.Sprintf("HTTP %d", x.Status)
	}
	return "an answer"
}

// resultsOf judges a probe whose every step has to be refused: any that gets a result is broken.
func resultsOf(id, wrong, right string) func(*probe.Protocol) Verdict {
	return func(e *probe.Protocol) Verdict {
		all := exchanges(e, id)
		if len(all) == 0 {
			return Verdict{}
		}
		var answered, refused []string
		var by *probe.Exchange
		for _, x := range all {
			if IsResult(x) {
				answered, by = append(answered, x.Step), cmp.Or(by, x)
			} else {
				refused = append(refused, x.Step+" ("+how(x)+")")
			}
		}
		if len(answered) > 0 {
			return brokenBy(by, wrong+": "+strings.Join(answered, ", "))
		}
		return held(right + ": " + strings.Join(refused, ", "))
	}
}

// reportVerdict reports what is broken by all that protocol probes recorded, shown by an exchange or by more than one.
func reportVerdict(p *check.Pass, rule finding.Rule, v Verdict) {
	p.Looked(len(p.Probes.Protocol.Exchanges))
	if v.State != Broken {
		return
	}
	server := p.Probes.Server
	text := v.Text + seeIt(p.Probes, finding.Fingerprint(string(rule), server), v.By)
	p.Report(check.Relation{At: p.At(p.Catalog.Servers[0], nil, rawjson.Value{}), Message: text, Severity: v.Severity, Identity: []string{server}})
}

// seeIt is one line with which a reader sees a finding themselves: curl for a request that stands by
// itself, else the command of the run with --replay. "" where the run has no command line.
func seeIt(e *probe.Evidence, fingerprint string, x *probe.Exchange) string {
	again := ""
	if e.Again != "" {
		again = "; see it: " + strings.Replace(e.Again, probe.AgainFingerprint, fingerprint, 1)
	}
	if x == nil || e.Protocol.Token || !strings.HasPrefix(e.Protocol.Place, "http") || x.Header[mcp.HeaderSessionID] != "" || x.Header["Mcp-Session-Id"] != "" || len(x.Sent) > 1000 || !printable(x) {
		return again
	}
	var b strings.Builder
	b.WriteString("curl -si")
	if x.Verb != "" {
		b.WriteString(" -X " + x.Verb)
	}
	b.WriteString(" -H 'Accept: application/json, text/event-stream' -H 'Content-Type: application/json'")
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		b.WriteString(" -H " + shellQuote(name+": "+x.Header[name]))
	}
	if x.Verb == "" {
		b.WriteString(" -d " + shellQuote(x.Sent))
	}
	return "; see it: " + b.String() + " " + shellQuote(e.Protocol.Place)
}

// printable reports whether a terminal can show what was sent: a line with anything else would send something else.
func printable(x *probe.Exchange) bool {
	other := func(r rune) bool { return r < ' ' || r > '~' }
	for name, value := range x.Header {
		if strings.ContainsFunc(name+value, other) {
			return false
		}
	}
	return !strings.ContainsFunc(x.Sent, other)
}

func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
