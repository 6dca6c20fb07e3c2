package attack

import (
	"context"
	"testing"
	"time"

	"gauntlet/trace"
)

// A response answers the request that it names, the first of several; where a protocol has no ids the events of an
// exchange answer the latest request in it. What goes to the server answers nothing.
func TestAnswersOf(t *testing.T) {
	http := func(n int) *trace.HTTP { return &trace.HTTP{Exchange: n} }
	recorded := []trace.Message{
		{Seq: 1, Direction: trace.ToServer, Actor: "a"},
		{Seq: 2, Direction: trace.ToClient, Actor: "a", ReplyTo: 1},
		{Seq: 3, Direction: trace.ToClient, Actor: "a", ReplyTo: 1},
		{Seq: 4, Direction: trace.ToClient, Actor: "a"}, // announces something
		{Seq: 5, Direction: trace.ToServer, Actor: "a", ReplyTo: 4},
		{Seq: 6, Direction: trace.ToServer, Actor: "a", HTTP: http(1)},
		{Seq: 7, Direction: trace.ToServer, Actor: "b", HTTP: http(1)},
		{Seq: 8, Direction: trace.ToClient, Actor: "a", HTTP: http(1), Kind: trace.Event},
		{Seq: 9, Direction: trace.ToClient, Actor: "b", HTTP: http(1), Kind: trace.Notification},
		{Seq: 10, Direction: trace.ToClient, Actor: "b", HTTP: http(1), Kind: trace.Event},
		{Seq: 11, Direction: trace.ToClient, Actor: "b", HTTP: http(1), Kind: trace.Event, ReplyTo: 5},
		{Seq: 12, Direction: trace.ToClient, Actor: "b", HTTP: http(2), Kind: trace.Event},
	}
	got := answersOf(recorded)
	want := map[int]int{1: 2, 6: 8, 7: 10, 5: 11}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
	for request, answer := range want {
		if got[request] == nil || got[request].Seq != answer {
			t.Errorf("request %d is answered by %+v, want message %d", request, got[request], answer)
		}
	}
}

// replayedActor answers a replay with nothing, and notes what it gets.
type replayedActor struct {
	playerStub
	lines []string
	run   *Run
}

type playerStub struct{ Player }

func (p *replayedActor) Server() Server {
	return Server{MadeUp: []string{"requestState"}, OpenReplay: func(context.Context, func(*trace.Message, string)) ReplaySession { return p }}
}
func (p *replayedActor) Close() {}
func (p *replayedActor) SendRecorded(line string, m *trace.Message) {
	p.lines = append(p.lines, line)
	p.run.progress.noteRecorded(m)
}

func newReplay(clients ...string) (*replay, *replayedActor) {
	player := &replayedActor{}
	player.run = &Run{services: services{progress: newReplayProgress()}}
	player.run.actors = []*Actor{{script: &script{Name: "server"}, player: player}}
	p := &replay{run: player.run, ctx: context.Background(), peers: map[string]*ReplayTransport{}, said: map[string]int{}, sessions: map[string]ReplaySession{}}
	for _, c := range clients {
		p.peers[c] = NewReplayTransport(context.Background())
	}
	return p, player
}

// Only what the agent said to a server of the document is played again.
func TestPlayMessage(t *testing.T) {
	said := func(change func(*trace.Message)) trace.Message {
		m := trace.Message{Seq: 1, Actor: "server", Session: "s1", Role: trace.AsServer, Direction: trace.ToServer, Kind: trace.Request, Method: "ping", Raw: `{"id":1}`, Time: time.Unix(1, 0)}
		change(&m)
		return m
	}
	for _, tt := range []struct {
		name          string
		change        func(*trace.Message)
		sent, skipped int
	}{
		{"a request", func(*trace.Message) {}, 1, 0},
		{"a message without a method", func(m *trace.Message) { m.Method = "" }, 1, 0},
		{"a method without a message", func(m *trace.Message) { m.Raw = "" }, 1, 0},
		{"a request of HTTP without either", func(m *trace.Message) { m.Raw, m.Method = " \n", "" }, 0, 0},
		{"what the server said", func(m *trace.Message) { m.Direction = trace.ToClient }, 0, 0},
		{"what a client of the document said", func(m *trace.Message) { m.Role = trace.AsClient }, 0, 0},
		{"a part of a batch", func(m *trace.Message) { m.PartOf = 7 }, 0, 0},
		{"a session-less message", func(m *trace.Message) { m.Session = "" }, 0, 1},
		{"a server that the document does not have", func(m *trace.Message) { m.Actor = "elsewhere" }, 0, 1},
		{"what a model wrote", func(m *trace.Message) { m.Kind, m.Role, m.Method = trace.Event, "", SynthesisEvent }, 0, 0},
	} {
		p, player := newReplay()
		m := said(tt.change)
		p.playMessage(&m)
		if p.out.Sent != tt.sent || p.out.Served != tt.sent || p.out.Skipped != tt.skipped || len(player.lines) != tt.sent {
			t.Errorf("%s: sent %d, served %d, skipped %d, arrived %d; want %d sent and %d skipped", tt.name, p.out.Sent, p.out.Served, p.out.Skipped, len(player.lines), tt.sent, tt.skipped)
		}
	}
}

// Answers are compared as JSON values, with what servers make up anew put in the place of what was recorded; what is
// no JSON is compared as text.
func TestCompareAnswer(t *testing.T) {
	recorded := func(raw string) *trace.Message {
		return &trace.Message{Seq: 2, Direction: trace.ToClient, Kind: trace.Response, Raw: raw}
	}
	for _, tt := range []struct {
		name      string
		then, now string // then is a whole message, "" for none
		differs   bool
		madeUp    []string
	}{
		{"the same", `{"id":1,"result":{"a":1}}`, `{"a":1}`, false, nil},
		{"other order", `{"id":1,"result":{"a":1,"b":2}}`, `{"b":2,"a":1}`, false, nil},
		{"another value", `{"id":1,"result":{"a":1}}`, `{"a":2}`, true, nil},
		{"none then", ``, `{"a":2}`, true, nil},
		{"none now", `{"id":1,"result":{"a":1}}`, ``, true, nil},
		{"none at all", ``, ``, false, nil},
		{"made up anew", `{"id":1,"result":{"requestState":"x1","text":"y"}}`, `{"requestState":"z9","text":"y"}`, false, []string{`"x1"`, `"z9"`}},
		{"made up as before", `{"id":1,"result":{"requestState":"x1"}}`, `{"requestState":"x1"}`, false, nil},
		{"made up, and another value", `{"id":1,"result":{"requestState":"x1","text":"y"}}`, `{"requestState":"z9","text":"n"}`, true, []string{`"x1"`, `"z9"`}},
		{"no text where one was made up", `{"id":1,"result":{"requestState":"x1"}}`, `{"requestState":7}`, true, nil},
		{"a text where none was", `{"id":1,"result":{"requestState":7}}`, `{"requestState":"x1"}`, true, nil},
	} {
		p, _ := newReplay()
		p.answers = map[int]*trace.Message{}
		if tt.then != "" {
			p.answers[1] = recorded(tt.then)
		}
		p.compareAnswer(&trace.Message{Seq: 1, Actor: "server", Method: "ping"}, tt.now)
		if got := len(p.out.Differences) > 0; got != tt.differs {
			t.Errorf("%s: differs %v: %v", tt.name, got, p.out.Differences)
		}
		if len(p.madeUp) != len(tt.madeUp) || len(tt.madeUp) > 0 && (p.madeUp[0] != tt.madeUp[0] || p.madeUp[1] != tt.madeUp[1]) {
			t.Errorf("%s: made up %v, want %v", tt.name, p.madeUp, tt.madeUp)
		}
	}
}

// A client's words are awaited only where it is a client, says them itself and stands in a phase without a time.
func TestAwaitOwn(t *testing.T) {
	p, _ := newReplay("client")
	own := trace.Message{Actor: "client", Role: trace.AsClient, Direction: trace.ToServer}
	for name, change := range map[string]func(*trace.Message){
		"another actor":  func(m *trace.Message) { m.Actor = "server" },
		"another role":   func(m *trace.Message) { m.Role = trace.AsServer },
		"what it gets":   func(m *trace.Message) { m.Direction = trace.ToClient },
		"no such script": func(*trace.Message) {},
	} {
		m := own
		change(&m)
		if p.awaitOwn(&m) {
			t.Errorf("%s: awaited", name)
		}
	}
	if p.said["client"] != 1 {
		t.Errorf("the client is reckoned to have said %d messages, want 1", p.said["client"])
	}
	if p.said["server"] != 0 {
		t.Error("what a server gets counts as said by a client")
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1}`:         `{"a": 1}`,
		"{\"a\":\n1}":      `{"a":1}`,
		"{\"a\":\r1}":      `{"a":1}`,
		"no JSON\nat\rall": "no JSON at all",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
