package attack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A stage plays documents on a protocol of its own, in one process and on a clock of its own: players write down what they are told.
type stage struct {
	mu      sync.Mutex
	log     []string
	notices []Notice
	actors  map[string]*Actor
	play    map[string]func(ctx context.Context, a *Actor) error // of clients
	drives  map[string]bool                                      // the client is a driver; true: it lingers
	does    string                                               // the one action that servers know
	refuse  map[string]string                                    // why an actor is not played
	stored  []trace.Message
	sinkErr error
}

func newStage() *stage {
	return &stage{actors: map[string]*Actor{}, play: map[string]func(context.Context, *Actor) error{}, drives: map[string]bool{}, refuse: map[string]string{}}
}

func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *stage) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.log, "; ")
	s.log = nil
	return out
}

func (s *stage) told(kind NoticeKind) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.notices {
		if n.Kind == kind {
			out = append(out, n.Actor+"/"+n.Phase+": "+n.Text)
		}
	}
	return out
}

func (s *stage) binding() Binding {
	return Binding{Modes: []string{"mcp_server", "mcp_client"}, NewPlayer: s.newPlayer}
}

func (s *stage) newPlayer(a *Actor) (Player, string, error) {
	if why := s.refuse[a.Name]; why != "" {
		return nil, why, nil
	}
	s.actors[a.Name] = a
	lingers, drives := s.drives[a.Name]
	switch {
	case a.Mode == "mcp_server":
		return &stagedServer{stagedPlayer{s, a}}, "", nil
	case drives:
		return &stagedDriver{stagedClient{stagedPlayer{s, a}}, lingers}, "", nil
	}
	return &stagedClient{stagedPlayer{s, a}}, "", nil
}

type stagedPlayer struct {
	s *stage
	a *Actor
}

func (p stagedPlayer) Moved() { p.s.note("%s moved", p.a.Name) }
func (p stagedPlayer) Send(_ context.Context, e Entry, method, params string) {
	p.s.note("%s in %d sends %s %s", p.a.Name, e.Phase(), method, params)
}

type stagedServer struct{ stagedPlayer }

func (p *stagedServer) Server() Server {
	return Server{Actor: p.a.Name, Protocol: "staged", Faults: func() []FaultOutcome { return []FaultOutcome{{Actor: p.a.Name}} }}
}
func (p *stagedServer) Do(_ context.Context, e Entry, name, value string) bool {
	p.s.note("%s in %d does %s %s", p.a.Name, e.Phase(), name, value)
	return name == p.s.does
}

type stagedClient struct{ stagedPlayer }

func (p *stagedClient) Play(ctx context.Context) error { return p.s.play[p.a.Name](ctx, p.a) }
func (p *stagedClient) Close()                         { p.s.note("%s closed", p.a.Name) }

type stagedDriver struct {
	stagedClient
	lingers bool
}

func (p *stagedDriver) Lingers() bool { return p.lingers }

func (s *stage) run(t *testing.T, execution string, change func(*Options)) *Run {
	t.Helper()
	opt := Options{Bindings: []Binding{s.binding()}, Notice: func(n Notice) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.notices = append(s.notices, n)
	}, Recorder: trace.NewRecorder(func(m *trace.Message) error {
		s.stored = append(s.stored, *m)
		return s.sinkErr
	}, trace.RecorderOptions{})}
	if change != nil {
		change(&opt)
	}
	r, err := New(load(t, execution), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ended says when a run ended, and why.
func ended(s Summary) string { return fmt.Sprintf("%s after %s", s.Ended, s.Duration) }

const oneServer = "mode: mcp_server\nphases:\n  - {name: a, state: {}, trigger: {event: ping}}"

// When a run ends, and why: who ends first, and how long it goes on behind that. Synthetic time makes the moment exact.
func TestWhenARunEnds(t *testing.T) {
	clients := func(names ...string) string {
		var b strings.Builder
		b.WriteString("actors:\n")
		for _, n := range names {
			fmt.Fprintf(&b, "  - {name: %s, mode: mcp_client, phases: [{name: a, state: {}}]}\n", n)
		}
		return b.String()
	}
	server := "  - {name: s, mode: mcp_server, phases: [{name: a, state: {}, trigger: {event: ping}}]}\n"
	after := func(d time.Duration) func(context.Context, *Actor) error {
		return func(ctx context.Context, _ *Actor) error {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
			return nil
		}
	}
	ping := func(s *stage) {
		s.actors["s"].ObserveEvent(context.Background(), "ping", rawjson.Read("{}"), Exchange{})
	}
	grace := func(d time.Duration) func(*Options) { return func(o *Options) { o.Grace = &d } }
	for _, tt := range []struct {
		name, execution string
		options         func(*Options)
		set             func(*stage)
		meanwhile       func(s *stage, r *Run, stop func())
		want            string
	}{
		{"at its limit", oneServer, nil, nil, nil, "its time was over after 5m0s"},
		{"at a limit of its own", oneServer, func(o *Options) { o.Limit = time.Minute }, nil, nil, "its time was over after 1m0s"},
		{"interrupted", oneServer, nil, nil, func(_ *stage, _ *Run, stop func()) { time.Sleep(3 * time.Second); stop() }, "it was interrupted after 3s"},
		{"the agent has ended", oneServer, nil, nil, func(_ *stage, r *Run, _ func()) { time.Sleep(3 * time.Second); r.End("bye"); r.End("twice") }, "bye after 3s"},
		{"the agent has ended, with a grace", oneServer, grace(2 * time.Second), nil, func(_ *stage, r *Run, _ func()) { time.Sleep(3 * time.Second); r.End("bye") }, "bye after 5s"},
		{"nobody can come any more, with a grace", oneServer, grace(2 * time.Second), nil, func(_ *stage, r *Run, _ func()) { time.Sleep(3 * time.Second); r.Gone("gone") }, "gone after 3s"},
		{"interrupted in its grace", oneServer, grace(20 * time.Second), nil, func(_ *stage, r *Run, stop func()) { r.End("bye"); time.Sleep(3 * time.Second); stop() }, "it was interrupted after 3s"},
		{"the limit in its grace", oneServer, grace(20 * time.Minute), nil, func(_ *stage, r *Run, _ func()) { r.End("bye") }, "its time was over after 5m0s"},
		{"all clients are through, the last one later", clients("x", "y"), nil, func(s *stage) { s.play["x"], s.play["y"] = after(2*time.Second), after(7*time.Second) }, nil, "all actors are through after 8s"},
		{"all clients are through, with a grace", clients("x"), grace(3 * time.Second), func(s *stage) { s.play["x"] = after(2 * time.Second) }, nil, "all actors are through after 5s"},
		{"a client without a driver is through and the server is not", clients("x") + server, nil, func(s *stage) { s.play["x"] = after(2 * time.Second) }, nil, "its time was over after 5m0s"},
		{"the driver is through and the server is not", clients("x") + server, grace(9 * time.Second), func(s *stage) { s.play["x"], s.drives["x"] = after(2*time.Second), false }, nil, "all actors are through after 11s"},
		{"the driver is through, and so is the agent", clients("x"), nil, func(s *stage) { s.play["x"], s.drives["x"] = after(2*time.Second), false }, nil, "all actors are through after 2s"},
		{"the driver is through, and the agent may be at work", clients("x"), nil, func(s *stage) { s.play["x"], s.drives["x"] = after(2*time.Second), true }, nil, "all actors are through after 3s"},
		{"a driver beside a client", clients("x", "y"), nil, func(s *stage) {
			s.play["x"], s.drives["x"], s.play["y"] = after(2*time.Second), false, after(6*time.Second)
		}, nil, "all actors are through after 7s"},
		{"the server is through", oneServer, nil, nil, func(s *stage, _ *Run, _ func()) {
			for _, a := range s.actors {
				time.Sleep(2 * time.Second)
				a.ObserveEvent(context.Background(), "ping", rawjson.Read("{}"), Exchange{})
			}
		}, "all actors are through after 3s"},
		{"nobody comes any more, and a client is at work", clients("x") + server, nil, func(s *stage) { s.play["x"] = after(9 * time.Second) }, func(_ *stage, r *Run, _ func()) { r.Gone("gone") }, "all actors are through after 10s"},
		{"something is pending when the server is through", clients() + server, nil, nil, func(s *stage, _ *Run, _ func()) {
			end := s.actors["s"].BeginPending()
			ping(s)
			time.Sleep(3 * time.Second)
			end()
		}, "all actors are through after 4s"},
		{"something stays pending", clients() + server, nil, nil, func(s *stage, _ *Run, _ func()) { s.actors["s"].BeginPending(); ping(s) }, "all actors are through after 6s"},
		{"something stays pending, with a grace", clients() + server, grace(2 * time.Second), nil, func(s *stage, _ *Run, _ func()) { s.actors["s"].BeginPending(); ping(s) }, "all actors are through after 2s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage()
				if tt.set != nil {
					tt.set(s)
				}
				r := s.run(t, tt.execution, tt.options)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if tt.meanwhile != nil {
					go func() { // ends before the run does
						<-r.begun
						tt.meanwhile(s, r, stop)
					}()
				}
				if got := ended(r.Run(ctx)); got != tt.want {
					t.Errorf("%s, want %s", got, tt.want)
				}
				r.Spawn(func() { t.Error("something was started behind the end") })
				synctest.Wait()
			})
		})
	}
}

// A client that fails has failed, unless it was cut off with the run; the summary says so of each, the skipped ones last.
func TestSummaryOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		s.play["bad"] = func(context.Context, *Actor) error { return errors.New("no route") }
		s.play["slow"] = func(ctx context.Context, _ *Actor) error { <-ctx.Done(); return context.Cause(ctx) }
		s.refuse["out"] = "no transport"
		r := s.run(t, `
actors:
  - {name: out, mode: mcp_server, phases: [{name: a, state: {}}]}
  - {name: other, mode: a2a_server, phases: [{name: a, state: {}}]}
  - {name: bad, mode: mcp_client, phases: [{name: a, state: {}}]}
  - {name: slow, mode: mcp_client, phases: [{name: a, state: {}}]}
  - {name: s, mode: mcp_server, phases: [{name: a, state: {}}]}`, func(o *Options) { o.Limit = 4 * time.Second })
		got := r.Run(t.Context())
		var lines []string
		for _, a := range got.Actors {
			lines = append(lines, fmt.Sprintf("%s %s %v through=%t failed=%q skipped=%q", a.Name, a.Mode, a.Phases, a.Through, a.Failed, a.Skipped))
		}
		want := []string{
			`bad mcp_client [a] through=false failed="no route" skipped=""`,
			`slow mcp_client [a] through=true failed="" skipped=""`,
			`s mcp_server [a] through=false failed="" skipped=""`,
			`out mcp_server [] through=false failed="" skipped="no transport"`,
			`other a2a_server [] through=false failed="" skipped="no actor of its mode can be played"`,
		}
		if !slices.Equal(lines, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
		if len(got.Wire) != 1 || got.Wire[0].Actor != "s" {
			t.Errorf("what was tampered with: %+v", got.Wire)
		}
		if told := s.told(Skipped); !slices.Equal(told, []string{"out/: the actor is in the mode mcp_server: no transport", "other/: the actor is in the mode a2a_server: no actor of its mode can be played"}) {
			t.Errorf("told %q", told)
		}
		if s.take() != "bad moved; slow moved; s moved; bad closed; slow closed" {
			t.Error("not every client was closed, or a phase was not entered")
		}
		if r.Player("s") == nil || r.Player("out") != nil || r.Player("nobody") != nil || len(r.Servers()) != 1 || r.Servers()[0].Actor != "s" {
			t.Error("players and servers are not those that were taken")
		}
	})
}

// What phases do, and in which order: an event is answered in the phase that it came in, and what the next one does first comes
// behind the answer, with values of request, response and extractors.
func TestPhasesOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		s.does = "do_known"
		r := s.run(t, `
actors:
  - name: s
    mode: mcp_server
    phases:
      - name: one
        state: {}
        extractors:
          - {name: who, source: request, type: json_path, selector: $.name}
          - {name: said, source: response, type: json_path, selector: $.text}
        on_enter: [{log: {message: "hello {{nobody}}"}}]
        trigger: {event: tools/call, count: 2}
      - name: two
        on_enter:
          - {send: {method: notifications/a, params: {who: "{{who}}", said: "{{s.said}}", text: "{{response.text}}", name: "{{request.name}}"}}}
          - {do_known: {v: "{{who}}"}}
          - {do_unknown: {n: 1}}
          - {log: {message: "now {{who}}", level: warn}}
        trigger: {after: 10s}
      - name: three
        on_enter: [{send: {method: notifications/b}}]`, nil)
		go func() { // ends before the run does
			ctx := r.AwaitBegin()
			a := s.actors["s"]
			if got := s.take(); got != "s moved" {
				t.Errorf("at the beginning: %s", got)
			}
			if at, then := a.ObserveMessage(ctx, "tools/call", oatf.SourceRequest, rawjson.Read(`{"name":"first"}`), true); at != 0 || then != nil {
				t.Errorf("the first call: phase %d, something to do behind it: %t", at, then != nil)
			}
			if at, then := a.ObserveMessage(ctx, "tools/call", oatf.SourceRequest, rawjson.Read(`{"name":"again"}`), false); at != 0 || then != nil {
				t.Errorf("a call that counts for nothing: phase %d, something to do behind it: %t", at, then != nil)
			}
			a.RunExtractors(0, oatf.SourceResponse, rawjson.Read(`{"text":"answer","name":"not this"}`))
			at, then := a.ObserveMessage(ctx, "tools/call", oatf.SourceRequest, rawjson.Read(`{"name":"second"}`), true)
			if at != 0 || then == nil || a.LastPhase() != 1 {
				t.Errorf("the second call: answered in phase %d, the actor is in %d", at, a.LastPhase())
				return
			}
			if IsClosed(a.Entered(1)) || IsClosed(a.Settled(1)) || IsClosed(r.Pending()) || s.take() != "" {
				t.Error("the next phase has begun before the answer was out")
			}
			then(`{"text":"the answer"}`)
			want := `s moved; s in 1 sends notifications/a {"who":"second","said":"answer","text":"the answer","name":"second"}; s in 1 does do_known {"v":"second"}; s in 1 does do_unknown {"n":1}`
			if got := s.take(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if !IsClosed(a.Entered(1)) || !IsClosed(a.Settled(1)) || !IsClosed(r.Pending()) || a.ThroughAt(1) {
				t.Error("the second phase has not begun")
			}
			_, left := a.Position(ctx)
			time.Sleep(10*time.Second - 1)
			synctest.Wait()
			if a.LastPhase() != 1 || IsClosed(left) {
				t.Error("the second phase ended before its time")
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if a.LastPhase() != 2 || !IsClosed(left) || !a.ThroughAt(2) || a.ThroughAt(1) || a.Over() {
				t.Error("the second phase did not end at its time")
			}
			if got := s.take(); got != "s moved; s in 2 sends notifications/b " && got != "s moved; s in 2 sends notifications/b null" {
				t.Errorf("got %q", got)
			}
			r.End("done")
		}()
		if got := ended(r.Run(t.Context())); got != "done after 10s" {
			t.Errorf("ended: %s", got)
		}
		for kind, want := range map[NoticeKind][]string{
			Logged:   {"s/one: info: hello ", "s/two: warn: now second"},
			Template: {"s/one: {{nobody}} means nothing here and became empty (W-004)"},
			Skipped:  {`s/two: the action "do_unknown" is of no binding that this runtime has`},
			Trouble:  nil,
		} {
			if got := s.told(kind); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", kind, got, want)
			}
		}
	})
}

// A phase waits for values of other actors before it does anything: until they are there, its time is up or it has ended.
func TestPhasesThatWait(t *testing.T) {
	const execution = `
actors:
  - name: recon
    mode: mcp_server
    phases:
      - {name: a, state: {}, extractors: [{name: token, source: request, type: json_path, selector: $.t}, {name: other, source: request, type: json_path, selector: $.o}]}
  - name: strike
    mode: mcp_server
    phases:
      - {name: a, state: {}, trigger: {event: ping}}
      - name: b
        x-gauntlet-await: [{actor: recon, extractors: [token], timeout: 4s}, {actor: recon, extractors: [token, other]%s}]
        on_enter: [{send: {method: m, params: {t: "{{recon.token}}"}}}]
        trigger: {event: pong}
      - {name: c}`
	for _, tt := range []struct {
		name, timeout string
		do            func(ctx context.Context, s *stage)
		at            time.Duration // when it goes on, or ends
		sent          string
		told          []string
	}{
		{"both come", "", func(ctx context.Context, s *stage) {
			time.Sleep(3 * time.Second)
			s.actors["recon"].RunExtractors(0, oatf.SourceRequest, rawjson.Read(`{"t":"T"}`))
			time.Sleep(20 * time.Second)
			s.actors["recon"].RunExtractors(0, oatf.SourceRequest, rawjson.Read(`{"o":"O"}`))
		}, 23 * time.Second, `strike in 1 sends m {"t":"T"}`, nil},
		{"the first never comes", ", timeout: 2s", func(ctx context.Context, s *stage) { time.Sleep(6 * time.Second) }, 6 * time.Second, `strike in 1 sends m {"t":""}`, []string{
			"strike/b: after 4s there is no value of recon.token: the phase goes on without", "strike/b: after 2s there is no value of recon.token, recon.other: the phase goes on without",
		}},
		{"the second never comes, in the usual time", "", func(ctx context.Context, s *stage) {
			s.actors["recon"].RunExtractors(0, oatf.SourceRequest, rawjson.Read(`{"t":"T"}`))
			time.Sleep(30 * time.Second)
		}, 30 * time.Second, `strike in 1 sends m {"t":"T"}`, []string{"strike/b: after 30s there is no value of recon.other: the phase goes on without"}},
		{"the phase ends before", "", func(ctx context.Context, s *stage) {
			time.Sleep(time.Second)
			s.actors["strike"].ObserveEvent(ctx, "pong", rawjson.Read(`{}`), Exchange{})("")
		}, time.Second, "", []string{"strike/b: the phase ended while it waited for recon.token, recon.other: what it was to do first is left out"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage()
				r := s.run(t, fmt.Sprintf(execution, tt.timeout), nil)
				go func() { // ends before the run does
					ctx := r.AwaitBegin()
					begun := time.Now()
					a := s.actors["strike"]
					a.ObserveEvent(ctx, "ping", rawjson.Read("{}"), Exchange{})("")
					if !IsClosed(a.Entered(1)) || IsClosed(a.Settled(1)) || IsClosed(r.Pending()) {
						t.Error("a phase that waits is not entered, or settled already")
					}
					go tt.do(ctx, s)
					<-a.Settled(1)
					synctest.Wait()
					if got := time.Since(begun); got != tt.at {
						t.Errorf("it went on after %s, want %s", got, tt.at)
					}
					if !IsClosed(r.Pending()) {
						t.Error("it is still pending")
					}
					r.End("done")
				}()
				r.Run(t.Context())
				var sent string
				for _, l := range strings.Split(s.take(), "; ") {
					if strings.Contains(l, "sends") {
						sent += l
					}
				}
				if told := s.told(Unplayed); sent != tt.sent || !slices.Equal(told, tt.told) {
					t.Errorf("sent %q, told %q, want %q, %q", sent, told, tt.sent, tt.told)
				}
			})
		})
	}
}

// On a clock of its own a run does not end when all are through, and phases end each at the moment it is due, whichever actor's first.
func TestClockOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		clock := NewClock(start)
		s := newStage()
		s.does = "x-a"
		r := s.run(t, `
actors:
  - {name: x, mode: mcp_server, phases: [{name: a, state: {}, trigger: {after: 10s}}, {name: b, on_enter: [{send: {method: m}}], trigger: {after: 10s}}, {name: c, on_enter: [{send: {method: m}}]}]}
  - {name: y, mode: mcp_server, phases: [{name: a, state: {}, trigger: {after: 15s}}, {name: b, on_enter: [{send: {method: m}}], trigger: {event: e}}]}`, func(o *Options) { o.Clock = clock })
		sends := func() (out string) {
			for _, l := range strings.Split(s.take(), "; ") {
				if who, _, ok := strings.Cut(l, " sends"); ok {
					out += who + ";"
				}
			}
			return out
		}
		go func() { // ends before the run does
			r.AwaitBegin()
			r.advanceClock(start.Add(10*time.Second - 1))
			if got := sends(); got != "" {
				t.Errorf("before the first is due: %s", got)
			}
			r.advanceClock(start.Add(20 * time.Second))
			if got := sends(); got != "x in 1;y in 1;x in 2;" {
				t.Errorf("by 20 seconds: %s", got)
			}
			clock.setTime(start)
			if got := clock.Now(); !got.Equal(start.Add(20 * time.Second)) {
				t.Errorf("the clock went back to %s", got)
			}
			if got := s.actors["x"].Now(); !got.Equal(clock.Now()) {
				t.Errorf("the time of the run is %s", got)
			}
			for _, a := range s.actors {
				a.Finish(nil)
			}
			time.Sleep(time.Minute)
			r.End("played")
		}()
		if got := ended(r.Run(t.Context())); got != "played after 1m0s" {
			t.Errorf("ended: %s", got)
		}
	})
}

// Each exchange of each server has a number of its own in the trace: no two meet, and none is zero.
func TestExchangeNumbers(t *testing.T) {
	r := &Run{services: services{servers: make([]Listener, 3)}}
	seen := map[int]string{}
	for place := range 3 {
		a := &Actor{services: &r.services, place: place}
		for own := 1; own <= 20; own++ {
			n := a.ExchangeNumber(own)
			if n < 1 || n > 60 || seen[n] != "" {
				t.Fatalf("exchange %d of server %d is %d, which is that of %s", own, place, n, seen[n])
			}
			seen[n] = fmt.Sprintf("exchange %d of server %d", own, place)
		}
	}
}

// The first reason why messages or texts are missing is told; a message that is not stored has no number.
func TestReasonsOfGaps(t *testing.T) {
	s := newStage()
	r := s.run(t, oneServer, nil)
	a := s.actors["s"]
	if a == nil {
		for _, one := range s.actors {
			a = one
		}
	}
	for want := 1; want <= 2; want++ {
		if n := a.Record(trace.Message{Actor: "s"}); n != want {
			t.Errorf("message %d has the number %d", want, n)
		}
	}
	a.NoteLoss(nil)
	s.sinkErr = errors.New("disk full")
	if n := a.Record(trace.Message{}); n != 0 {
		t.Errorf("a message that was lost has the number %d", n)
	}
	a.NoteLoss(errors.New("later"))
	r.noteUnwritten("first")
	r.noteUnwritten("second")
	for _, one := range r.actors {
		one.m = newPhaseMachine(one.script, time.Time{})
	}
	if got := r.summary("w", 0); got.Lost != "the trace is incomplete: disk full" || got.Unwritten != "first" {
		t.Errorf("lost %q, unwritten %q", got.Lost, got.Unwritten)
	}
}

// Each notice is told once, and no more than maxNotices and a last word.
func TestNoticesAreBounded(t *testing.T) {
	var got []Notice
	n := newNotices(func(one Notice) { got = append(got, one) })
	for range 2 {
		for i := range maxNotices - 1 {
			n.addNotice(Notice{Text: fmt.Sprint(i)})
		}
	}
	if len(got) != maxNotices-1 {
		t.Fatalf("%d notices of %d different ones, each given twice", len(got), maxNotices-1)
	}
	for i := range 3 {
		n.addNotice(Notice{Text: fmt.Sprint("more", i)})
	}
	n.addNotice(Notice{Text: "0"})
	if len(got) != maxNotices+1 || got[maxNotices-1].Text != "more0" || got[maxNotices].Text != "there are more notices than are told" || got[maxNotices].Kind != Trouble {
		t.Errorf("%d notices, the last ones %+v", len(got), got[maxNotices-1:])
	}
	newNotices(nil).addNotice(Notice{}) // nobody is told
}

// A document is refused, or played in part, for what it lacks; New says why.
func TestNew(t *testing.T) {
	many := "actors:\n"
	for i := range maxActors + 1 {
		many += fmt.Sprintf("  - {name: s%d, mode: mcp_server, phases: [{name: a, state: {}}]}\n", i)
	}
	for _, tt := range []struct {
		name, execution string
		prompted        bool
		want            string
	}{
		{"as many actors as are played", strings.Replace(many, "  - {name: s0, mode: mcp_server, phases: [{name: a, state: {}}]}\n", "", 1), false, ""},
		{"one more", many, false, "the document has 101 actors, and no more than 100 are played"},
		{"nobody to play", "mode: a2a_server\nphases: [{name: a, state: {}}]", false, "the document has no actor that can be played here: default (a2a_server): no actor of its mode can be played"},
		{"nobody to play, and an agent that is prompted", "mode: a2a_server\nphases: [{name: a, state: {}}]", true, ""},
		{"a wait for nothing", "mode: mcp_server\nphases: [{name: a, state: {}, x-gauntlet-await: [{actor: x, extractors: [y]}]}]", false, `no extractor captures "x.y"`},
		{"no fault", "mode: mcp_server\nphases: [{name: a, state: {}, x-gauntlet-wire: null}]", false, ""},
	} {
		_, err := New(load(t, tt.execution), Options{Bindings: []Binding{newStage().binding()}, Prompted: tt.prompted})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if tt.name == "nobody to play" && !errors.Is(err, ErrNothingToPlay) {
			t.Errorf("%s: %v is not ErrNothingToPlay", tt.name, err)
		}
	}
	r, err := New(load(t, oneServer), Options{Bindings: []Binding{newStage().binding()}})
	if err != nil || r.opt.Limit != DefaultLimit {
		t.Errorf("the limit is %s, %v, want %s", r.opt.Limit, err, DefaultLimit)
	}
}
