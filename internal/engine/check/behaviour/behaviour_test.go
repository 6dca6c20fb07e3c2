package behaviour

import (
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
	"gauntlet/trace"
)

func TestDomain(t *testing.T) {
	for host, want := range map[string]string{
		"evil.test": "evil.test", "a.evil.test": "evil.test", "b.a.evil.test.": "evil.test", "localhost": "localhost",
		"10.1.2.3": "10.1.2.3", "192.168.2.3": "192.168.2.3", "2001:db8::1": "2001:db8::1", "": "",
	} {
		if got := domain(host); got != want {
			t.Errorf("domain(%q) = %q, want %q", host, got, want)
		}
	}
}

// recorded makes a trace of lines, whose numbers are their places from 1.
func recorded(messages ...trace.Message) *trace.Trace {
	tr := &trace.Trace{}
	for i, m := range messages {
		m.Seq = i + 1
		tr.Messages = append(tr.Messages, m)
	}
	return tr
}

func sent(method, raw string) trace.Message {
	return trace.Message{Server: "s", Protocol: protocol, Direction: trace.ToClient, Kind: trace.Event, Method: method, Raw: raw}
}

func asked(tool, text string) trace.Message {
	return trace.Message{Server: "s", Direction: trace.ToServer, Kind: trace.Request, Method: "tools/call",
		Raw: `{"params":{"name":"` + tool + `","arguments":{"x":"` + text + `"}}}`}
}

func answered(to int) trace.Message {
	return trace.Message{Server: "s", Direction: trace.ToClient, Kind: trace.Response, Method: "tools/call", ReplyTo: to, Raw: `{"result":{}}`}
}

// count runs all checks and counts the findings of one.
func count(t *testing.T, rule string, tr *trace.Trace) (n int) {
	t.Helper()
	res := check.Run(&catalog.Catalog{}, Checks(), check.Options{Trace: check.Recording{Trace: tr, File: "t.ndjson"}})
	for _, p := range res.Problems {
		t.Errorf("problem: %s", p.Message)
	}
	for i := range res.Findings {
		if string(res.Findings[i].Rule) == rule {
			n++
		}
	}
	return n
}

// Each set of canaries that went to a domain is one finding, however often it went there and below which name.
func TestCanariesByDomainAndName(t *testing.T) {
	out := func(host, canaries string) trace.Message {
		return sent("request", `{"host":"`+host+`","canaries":[`+canaries+`]}`)
	}
	for _, tt := range []struct {
		name   string
		events []trace.Message
		want   int
	}{
		{"once", []trace.Message{out("evil.test", `"A"`)}, 1},
		{"twice", []trace.Message{out("evil.test", `"A"`), out("evil.test", `"A"`)}, 1},
		{"below two names of a domain", []trace.Message{out("a.evil.test", `"A"`), out("b.evil.test", `"A"`)}, 1},
		{"to two domains", []trace.Message{out("evil.test", `"A"`), out("other.test", `"A"`)}, 2},
		{"two canaries to one domain", []trace.Message{out("evil.test", `"A"`), out("evil.test", `"B"`)}, 2},
		{"both at once, in either order", []trace.Message{out("evil.test", `"A","B"`), out("evil.test", `"B","A"`)}, 1},
		{"to two addresses that end alike", []trace.Message{out("10.1.2.3", `"A"`), out("10.9.2.3", `"A"`)}, 2},
		{"none", []trace.Message{out("evil.test", "")}, 0},
		{"opened and not sent", []trace.Message{sent("file_opened", `{"path":"/x","canaries":["A"]}`)}, 0},
	} {
		if got := count(t, "GNT-501", recorded(tt.events...)); got != tt.want {
			t.Errorf("%s: %d findings, want %d", tt.name, got, tt.want)
		}
	}
}

// What is sent belongs to the call that began last and has no answer; the answer to an earlier one does not end it.
func TestWhichCallSendsOut(t *testing.T) {
	const text = "the contract is signed"
	to := func(host string) trace.Message {
		return sent("request", `{"host":"`+host+`","text":"`+text+`"}`)
	}
	for _, tt := range []struct {
		name     string
		messages []trace.Message
		want     int
	}{
		{"during the call", []trace.Message{asked("t", text), to("a.test"), to("b.test"), answered(1)}, 1},
		{"behind its answer", []trace.Message{asked("t", text), to("a.test"), answered(1), to("b.test")}, 0},
		{"behind the answer to an earlier call", []trace.Message{asked("t", "nothing of it"), asked("t", text), answered(1), to("a.test"), to("b.test"), answered(2)}, 1},
		{"without an answer", []trace.Message{asked("t", text), to("a.test"), to("b.test")}, 1},
	} {
		if got := count(t, "GNT-502", recorded(tt.messages...)); got != tt.want {
			t.Errorf("%s: %d findings, want %d", tt.name, got, tt.want)
		}
	}
}
