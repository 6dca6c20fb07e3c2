package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// taps is what a Tap was told, in order.
type taps struct {
	mu  sync.Mutex
	all []Tapped
}

func (s *taps) tap(t Tapped) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, t)
}

// said returns the texts of one direction, in order.
func (s *taps) said(toClient bool) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.all {
		if t.ToClient == toClient {
			out = append(out, t.Message.Raw)
		}
	}
	return out
}

// everything is what a client says that does all it may and more. Its call asks one question,
// which is answered behind it.
var everything = []string{
	initialize, initialized, pingSeven, `{not json`, `  `, `[1]`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":8,"method":"nope"}`, `{"jsonrpc":"2.0","id":99,"result":{}}`,
	`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"a":1,"a":2}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, stateless(`"m"`, "tools/list", ""),
}

func TestTapOverStdio(t *testing.T) {
	var tapped taps
	s := serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}, Tap: tapped.tap, HTTP: HTTPOptions{Body: 1000}})
	l := talkTo(t, s)
	var sent, got []string
	speak := func(line string, answered bool) {
		sent = append(sent, line)
		l.say(line)
		if answered {
			got = append(got, l.hear())
		}
	}
	for i, line := range everything {
		speak(line, !slices.Contains([]int{1, 4, 8, 10}, i))
	}
	speak(called("2", "a"), true)
	speak(`{"jsonrpc":"2.0","id":1,"result":{"n":1}}`, true)
	l.say(strings.Repeat("x", 2000))
	got = append(got, l.hear("-32600"))
	sent = append(sent, "") // what is too long is told of, and not kept
	l.stop()
	if in := tapped.said(false); !slices.Equal(in, sent) {
		t.Errorf("tapped\n%q\nand the client said\n%q", in, sent)
	}
	if out := tapped.said(true); !slices.Equal(out, got) {
		t.Errorf("tapped\n%q\nand the client got\n%q", out, got)
	}
	for _, x := range tapped.all {
		if x.Session == nil || x.Session.Number() != 1 || x.HTTP != nil {
			t.Errorf("%+v", x)
		}
	}
}

func TestTapOverHTTP(t *testing.T) {
	var tapped taps
	s := serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}, Tap: tapped.tap})
	c := serving(t, s)
	one := c.begin()
	sent := []string{initialize}
	get := one.open(http.MethodGet, Path, "")
	sent = append(sent, "")
	want := tapped.said(true) // the answer to initialize, compared elsewhere
	for _, body := range everything[1:12] {
		sent = append(sent, body)
		if a := one.post(body).whole(); a != "" {
			want = append(want, a)
		}
	}
	call := one.post(called("2", "a"))
	want = append(want, call.event("elicitation/create"))
	one.accepted(`{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
	want = append(want, call.event(`"id":2,"result"`))
	sent = append(sent, called("2", "a"), `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
	tapped.mu.Lock()
	talk := tapped.all[0].Session
	tapped.mu.Unlock()
	if err := talk.Notify(t.Context(), "notifications/x", ""); err != nil {
		t.Fatal(err)
	}
	want = append(want, get.event())
	for _, refused := range []*stream{
		c.post(pingSeven),
		c.post(pingSeven, "Content-Type: text/plain"),
		c.open(http.MethodGet, "/other", ""),
		one.open(http.MethodDelete, Path, "", "Origin: http://evil.example"),
	} {
		want = append(want, strings.TrimSuffix(refused.whole(), "\n"))
	}
	sent = append(sent, pingSeven, "", "", "")
	if in := tapped.said(false); !slices.Equal(in, sent) {
		t.Errorf("tapped\n%q\nand the client said\n%q", in, sent)
	}
	if out := tapped.said(true); !slices.Equal(out, want) {
		t.Errorf("tapped\n%q\nand the client got\n%q", out, want)
	}
	exchanges := map[int]string{}
	for i, x := range tapped.all {
		if x.HTTP == nil || x.HTTP.Number == 0 || (x.HTTP.Status != 0) != x.ToClient || x.HTTP.Header == nil || x.HTTP.Peer == "" {
			t.Fatalf("%d: %+v %+v", i, x, x.HTTP)
		}
		if method := exchanges[x.HTTP.Number]; method != "" && method != x.HTTP.Method {
			t.Errorf("exchange %d is a %s and a %s", x.HTTP.Number, method, x.HTTP.Method)
		}
		exchanges[x.HTTP.Number] = x.HTTP.Method
	}
	last := tapped.all[len(tapped.all)-1]
	if last.HTTP.Status != http.StatusForbidden || last.Message.Kind != wire.Invalid {
		t.Errorf("refused with %+v %+v", last, last.HTTP)
	}
}

// Many conversations at once, over all transports: whatever one client says and gets is
// tapped once, in its order, and nothing of it is another's.
func TestTapKeepsConversationsApart(t *testing.T) {
	var tapped taps
	s := serverFor(t, tools(func(ctx context.Context, c Call) (string, error) {
		if err := c.Notify(ctx, "notifications/progress", `{"to":`+rawjson.Quote(c.Name)+`}`); err != nil {
			return "", err
		}
		m, err := c.Ask(ctx, "elicitation/create", `{"to":`+rawjson.Quote(c.Name)+`}`)
		if err != nil {
			return "", err
		}
		return result("for " + c.Name + m.Result)
	}), Options{Interceptor: &puppet{}, Tap: tapped.tap})
	state := tools(s.state.Load().Call)
	state.Unlisted = true
	if err := s.Set(state); err != nil {
		t.Fatal(err)
	}
	c := serving(t, s)
	const clients, rounds = 6, 5
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() {
			name := fmt.Sprintf("client-%d", n)
			for round := range rounds {
				id := fmt.Sprint(round + 100)
				switch n % 2 {
				case 0:
					l := talkTo(t, s)
					l.say(initialize)
					l.hear()
					l.say(called(id, name))
					l.hear("progress", name)
					l.hear("elicitation", name)
					l.say(`{"jsonrpc":"2.0","id":1,"result":{"from":"` + name + `"}}`)
					l.hear(`"id":`+id, "for "+name, name)
					l.stop()
				default:
					one := c.begin()
					s := one.post(called(id, name))
					s.event("progress", name)
					s.event("elicitation", name)
					one.accepted(`{"jsonrpc":"2.0","id":1,"result":{"from":"` + name + `"}}`)
					s.event(`"id":`+id, "for "+name, name)
				}
			}
		})
	}
	all.Wait()
	whose := map[int]string{}
	count := map[int]int{}
	for _, x := range tapped.all {
		n := x.Session.Number()
		count[n]++
		if _, rest, ok := strings.Cut(x.Message.Raw, "client-"); ok {
			name := rest[:1]
			if whose[n] != "" && whose[n] != name {
				t.Errorf("conversation %d is that of %s and of %s", n, whose[n], name)
			}
			whose[n] = name
		}
	}
	for n, c := range count {
		if c != 7 {
			t.Errorf("conversation %d has %d messages, want 7", n, c)
		}
	}
	if len(count) != clients*rounds {
		t.Errorf("%d conversations, want %d", len(count), clients*rounds)
	}
}

// What a client sent before our latest answer was written is early; what it sends after having read that is not.
func TestTapTellsWhatCameEarly(t *testing.T) {
	lines := []string{initialize, initialized, pingSeven, pingSeven}
	for _, waits := range []bool{false, true} {
		var tapped taps
		s := serverFor(t, tools(nil, "a"), Options{Tap: tapped.tap})
		if waits {
			l := talkTo(t, s)
			for _, line := range lines {
				l.say(line)
				if line != initialized {
					l.hear()
				}
			}
		} else if err := s.Stdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), io.Discard); err != nil {
			t.Fatal(err)
		}
		tapped.mu.Lock()
		spoke := false // we did; what the reader takes in before that is told needs no mark, and may have one
		for _, one := range tapped.all {
			if spoke = spoke || one.ToClient; !one.ToClient && (spoke || waits) && one.Early == waits {
				t.Errorf("%s is early: %v, of a client that waits: %v", one.Message.Raw, one.Early, waits)
			}
		}
		tapped.mu.Unlock()
	}
}

// Over HTTP a request is early that began before our latest answer, whatever arrived of its body by then.
func TestTapTellsWhatBeganEarly(t *testing.T) {
	var tapped taps
	base := start(t, friendly, Options{Tap: tapped.tap})
	session := openSession(t, base, "2025-11-25")
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	slow := `{"jsonrpc":"2.0","id":"slow","method":"ping"}`
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n%s\r\nContent-Length: %d\r\n\r\n", Path, session, len(slow))
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100") { // it has begun, and its body is asked for
		t.Fatal(line, err)
	}
	do(t, base, ask{body: pingSeven, headers: []string{session}})
	fmt.Fprint(conn, slow)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "HTTP/1.1 200") {
			break
		}
	}
	do(t, base, ask{body: pingSeven, headers: []string{session}})
	tapped.mu.Lock()
	defer tapped.mu.Unlock()
	for _, one := range tapped.all {
		if want := strings.Contains(one.Message.Raw, "slow") && !one.ToClient; one.Early != want {
			t.Errorf("%s is early: %v", one.Message.Raw, one.Early)
		}
	}
}
