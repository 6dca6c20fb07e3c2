package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A scriptedUpstream is a server whose every line is the test's.
type scriptedUpstream struct {
	name  string
	lines chan wire.Message // that the gateway sends, but for the beginning
	// list answers tools/list with a result; nil for one tool called like the server.
	list func(params string) string

	mu  sync.Mutex
	out *io.PipeWriter
}

const scriptedInit = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"scripted","version":"1"}}`

// scripted returns a server that answers the beginning of a conversation and tools/list, which
// has one tool called like the server, and leaves everything else to the test.
func scripted(t *testing.T, name string) *scriptedUpstream {
	return &scriptedUpstream{name: name, lines: make(chan wire.Message, 1000)}
}

func (s *scriptedUpstream) upstream(t *testing.T) Upstream {
	return Upstream{s.name, func() (wire.Conn, error) {
		fromGateway, toServer := io.Pipe()
		fromServer, toGateway := io.Pipe()
		s.mu.Lock()
		s.out = toGateway
		s.mu.Unlock()
		done := make(chan struct{})
		go func() { // ends with the connection
			defer close(done)
			for in := bufio.NewScanner(fromGateway); in.Scan(); {
				switch m := wire.Decode(in.Text()); m.Method {
				case "initialize":
					s.say(`{"jsonrpc":"2.0","id":` + m.ID + `,"result":` + scriptedInit + `}`)
				case "tools/list":
					if s.list != nil {
						s.say(`{"jsonrpc":"2.0","id":` + m.ID + `,"result":` + s.list(m.Params) + `}`)
						break
					}
					s.say(`{"jsonrpc":"2.0","id":` + m.ID + `,"result":{"tools":[{"name":"` + s.name + `","inputSchema":{"type":"object"}}]}}`)
				case "notifications/initialized":
				default:
					s.lines <- m
				}
			}
		}()
		return &pipe{wire.NewStream(fromServer, toServer, wire.Limits{}, nil), func() { _ = toGateway.Close(); _ = fromGateway.Close(); <-done }}, nil
	}}
}

func (s *scriptedUpstream) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, line+"\n") // to a gateway that has gone it says nothing
}

// next returns the next message from the gateway.
func (s *scriptedUpstream) next(t *testing.T) wire.Message {
	t.Helper()
	select {
	case m := <-s.lines:
		return m
	case <-time.After(20 * time.Second):
		t.Fatalf("nothing came to %s", s.name)
		return wire.Message{}
	}
}

// A rawClient writes lines to the gateway and reads what comes.
type rawClient struct {
	t    *testing.T
	pipe *pipe
}

func (c *rawClient) say(line string) {
	c.t.Helper()
	if err := c.pipe.Send(c.t.Context(), []byte(line)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *rawClient) next() wire.Message {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	defer cancel()
	m, err := c.pipe.Receive(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// raw begins a conversation with a gateway before these servers.
func raw(t *testing.T, servers ...*scriptedUpstream) (*Gateway, func() *rawClient) {
	t.Helper()
	var opt Options
	for _, s := range servers {
		opt.Upstreams = append(opt.Upstreams, s.upstream(t))
	}
	gw, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gw.Close)
	return gw, func() *rawClient {
		c := &rawClient{t, joined(gw.Server(), nil)}
		t.Cleanup(func() { _ = c.pipe.Close() })
		c.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"agent","version":"7"}}}`)
		c.next()
		c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.say(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
		c.next()
		return c
	}
}

func callLine(id, tool string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, id, tool, n)
}

func numberOf(m wire.Message) string {
	return rawjson.LastMember(rawjson.LastMember(m.Params, "arguments"), "n")
}

// Whatever ids clients choose and in whatever order servers answer, each answer reaches the
// request that it is for, once.
func TestIDsUnderInterleaving(t *testing.T) {
	for _, tt := range []struct {
		name string
		ids  []string // of the client's calls, which go to a and b in turn
		// order in which the calls are answered, by their number; one that comes twice is answered twice
		order []int
	}{
		{"in order", []string{"1", "2", "3"}, []int{0, 1, 2}},
		{"backwards", []string{"1", "2", "3", "4"}, []int{3, 2, 1, 0}},
		{"a second answer", []string{"1", "2", "3", "4"}, []int{2, 2, 0, 0, 1, 3}},
		{"a number and the text of it", []string{"1", `"1"`, "2", `"2"`}, []int{1, 0, 3, 2}},
		{"ids that the gateway gives itself", []string{"1000", "1001", "1002", "1003", "1004"}, []int{4, 2, 0, 1, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			servers := []*scriptedUpstream{scripted(t, "a"), scripted(t, "b")}
			_, connect := raw(t, servers...)
			c := connect()
			asked := make([]wire.Message, len(tt.ids))
			for n, id := range tt.ids {
				c.say(callLine(id, servers[n%2].name, n))
			}
			for n := range tt.ids {
				m := servers[n%2].next(t)
				var at int
				fmt.Sscan(numberOf(m), &at)
				asked[at] = m
			}
			for nth, n := range tt.order {
				servers[n%2].say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"n":%d,"nth":%d}}`, asked[n].ID, n, nth))
			}
			got := map[string]string{}
			for range tt.ids {
				m := c.next()
				if got[m.ID] != "" {
					t.Errorf("two answers to %s: %s and %s", m.ID, got[m.ID], m.Result)
				}
				got[m.ID] = m.Result
			}
			for n, id := range tt.ids {
				nth := slices.Index(tt.order, n)
				if want := fmt.Sprintf(`"n":%d,"nth":%d`, n, nth); !strings.Contains(got[id], want) {
					t.Errorf("call %d with the id %s was answered %s, want the first answer, %s", n, id, got[id], want)
				}
			}
			// Nothing else comes: the next message answers the next request.
			c.say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
			if m := c.next(); m.ID != `"last"` {
				t.Errorf("%s came that nobody waits for", m.Raw)
			}
		})
	}
}

// Two clients with the same ids, calling the same server at the same time, get their own answers.
func TestIDsOfTwoClients(t *testing.T) {
	server := scripted(t, "a")
	_, connect := raw(t, server)
	one := connect()
	one.say(callLine("7", "a", 1))
	first, firstOut := server.next(t), server.out
	two := connect() // its server is another process, whose lines go the same way here
	two.say(callLine("7", "a", 2))
	second, secondOut := server.next(t), server.out
	for _, a := range []struct {
		m   wire.Message
		out io.Writer
	}{{second, secondOut}, {first, firstOut}} {
		fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":{"n":%s}}`+"\n", a.m.ID, numberOf(a.m))
	}
	for n, c := range []*rawClient{one, two} {
		if m := c.next(); m.ID != "7" || !strings.Contains(m.Result, fmt.Sprintf(`"n":%d`, n+1)) {
			t.Errorf("client %d got %s", n+1, m.Raw)
		}
	}
}

// Progress and questions with the same token from two servers do not get mixed up.
func TestTokensOfTwoServers(t *testing.T) {
	servers := []*scriptedUpstream{scripted(t, "a"), scripted(t, "b")}
	_, connect := raw(t, servers...)
	c := connect()
	for n, s := range servers {
		c.say(callLine(fmt.Sprint(n), s.name, n))
		s.next(t)
	}
	tokens := map[string]string{} // at the client, by the server's name
	ids := map[string]string{}
	for _, s := range servers {
		s.say(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"` + s.name + `","requestedSchema":{"type":"object","properties":{}},"_meta":{"progressToken":"same"}}}`)
		m := c.next()
		name := rawjson.LastText(m.Params, "message")
		tokens[name], ids[name] = rawjson.LastMember(rawjson.LastMember(m.Params, "_meta"), "progressToken"), m.ID
	}
	if tokens["a"] == tokens["b"] || tokens["a"] == "" || tokens["b"] == "" {
		t.Fatalf("tokens at the client: %v", tokens)
	}
	for _, s := range servers {
		c.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + tokens[s.name] + `,"progress":1,"message":"` + s.name + `"}}`)
		if m := s.next(t); rawjson.LastMember(m.Params, "progressToken") != `"same"` || !strings.Contains(m.Params, `"message":"`+s.name+`"`) {
			t.Errorf("%s heard of progress %s", s.name, m.Params)
		}
	}
	for _, s := range slices.Backward(servers) {
		c.say(`{"jsonrpc":"2.0","id":` + ids[s.name] + `,"result":{"action":"accept","content":{"from":"` + s.name + `"}}}`)
		if m := s.next(t); m.ID != `"q"` || !strings.Contains(m.Result, `"from":"`+s.name+`"`) {
			t.Errorf("%s got the answer %s", s.name, m.Raw)
		}
	}
}

// silentList is a second server, which offers nothing.
func silentList(t *testing.T) Upstream {
	s := scripted(t, "nothing")
	s.list = func(string) string { return `{"tools":[]}` }
	return s.upstream(t)
}

// A list is read page by page until there is no further page, whatever the server calls the next.
func TestPages(t *testing.T) {
	page := func(name, next string) string {
		if next != "" {
			next = `,"nextCursor":` + next
		}
		return `{"tools":[{"name":"` + name + `","inputSchema":{"type":"object"}}]` + next + `}`
	}
	for _, tt := range []struct {
		name  string
		pages map[string]string // by the cursor that asks for them, as JSON; "" for the first
		asked []string
	}{
		{"one page", map[string]string{"": page("a", "")}, []string{""}},
		{"a cursor that is null", map[string]string{"": page("a", "null")}, []string{""}},
		{"three pages", map[string]string{"": page("a", `"x"`), `"x"`: page("b", `"y"`), `"y"`: page("c", "")}, []string{"", `"x"`, `"y"`}},
		{"an empty cursor is one", map[string]string{"": page("a", `""`), `""`: page("b", "")}, []string{"", `""`}},
		{"a cursor that comes again", map[string]string{"": page("a", `"x"`), `"x"`: page("b", `"x"`)}, []string{"", `"x"`}},
		{"a circle", map[string]string{"": page("a", `"x"`), `"x"`: page("b", `"y"`), `"y"`: page("c", `"x"`)}, []string{"", `"x"`, `"y"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := scripted(t, "a")
			var mu sync.Mutex
			var asked []string
			server.list = func(params string) string {
				mu.Lock()
				defer mu.Unlock()
				cursor := rawjson.LastMember(params, "cursor")
				asked = append(asked, cursor)
				return tt.pages[cursor]
			}
			f := open(t, Options{Upstreams: []Upstream{server.upstream(t), silentList(t)}}) // pages of one server pass as they are
			f.begin("{}")
			got := f.call("tools/list", "{}")
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(asked, tt.asked) || strings.Count(got, `"name"`) != len(tt.asked) {
				t.Errorf("asked for %q, want %q; listed %s", asked, tt.asked, got)
			}
		})
	}
}

// What a list holds is merged in the order of the servers, and every name leads where it is listed.
func TestMergedNames(t *testing.T) {
	tools := func(names ...string) func(string) string {
		return func(string) string {
			var items []string
			for _, n := range names {
				items = append(items, `{"name":"`+n+`"}`)
			}
			return `{"tools":[` + strings.Join(items, ",") + `]}`
		}
	}
	for _, tt := range []struct {
		name string
		a, b []string
		want []string // names at the front
	}{
		{"different names", []string{"x"}, []string{"y"}, []string{"x", "y"}},
		{"the same name", []string{"x"}, []string{"x"}, []string{"a__x", "b__x"}},
		{"a server that has a name twice is no other server", []string{"x", "x"}, []string{"y"}, []string{"x", "y"}},
		{"names of one server that differ in case", []string{"search", "Search", "sear"}, []string{"y"}, []string{"search", "a__Search", "sear", "y"}},
		{"names of two servers that differ in case", []string{"search"}, []string{"Search"}, []string{"a__search", "b__Search"}},
		{"a new name that a tool has already", []string{"x", "b__x"}, []string{"x"}, []string{"a__x", "a__b__x", "b__x"}},
		{"the same, of the server itself", []string{"x", "a__x"}, []string{"x"}, []string{"a__x", "a__a__x", "b__x"}},
		{"a name like another server's, before that has it", []string{"b__y"}, []string{"x"}, []string{"a__b__y", "x"}},
		{"in another case", []string{"B__x"}, []string{"x"}, []string{"a__B__x", "x"}},
		{"a server's own beginning alone, or a shorter separator", []string{"a__y", "b_z", "b"}, []string{"x"}, []string{"a__y", "b_z", "b", "x"}},
		{"a shorter separator before a tool of another server", []string{"b_x", "B-x"}, []string{"x"}, []string{"a__b_x", "a__B-x", "x"}},
		{"names that providers do not take", []string{"demo/read", "demo.read", "查询", ""}, []string{"x"}, []string{"a__demo_read", "a__demo_read_f664b5b3", "a__bcd6771e", "a__e3b0c442", "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := scripted(t, "a"), scripted(t, "b")
			a.list, b.list = tools(tt.a...), tools(tt.b...)
			f := open(t, Options{Upstreams: []Upstream{a.upstream(t), b.upstream(t)}})
			f.begin("{}")
			var names []string
			list := f.call("tools/list", "{}")
			_ = rawjson.EachElement(list, strings.IndexByte(list, '['), func(_ int, v rawjson.Span) bool {
				names = append(names, rawjson.LastText(list[v.Start:v.End], "name"))
				return true
			})
			if !slices.Equal(names, tt.want) {
				t.Errorf("listed %q, want %q", names, tt.want)
			}
		})
	}
}

// Of a list without end a bounded part is taken, and it is said.
func TestListLimits(t *testing.T) {
	item := `{"name":"n"}`
	items := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"name":"n%d"},`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for _, tt := range []struct {
		name      string
		first     string // the first page
		asked     int
		items     int
		truncated bool
	}{
		{"as many items as are taken, and a further page", `{"tools":[` + items(maxListItems) + `],"nextCursor":"x"}`, 1, maxListItems, true},
		{"one less", `{"tools":[` + items(maxListItems-1) + `],"nextCursor":"x"}`, 2, maxListItems, false},
		{"more than are taken, on one page", `{"tools":[` + items(maxListItems+10) + `]}`, 1, maxListItems, true},
		{"just as many, on one page", `{"tools":[` + items(maxListItems) + `]}`, 1, maxListItems, false},
		{"no list at all", `{"tools":"n","nextCursor":"x"}`, 2, 1, false},
		{"an object in place of the list", `{"tools":{"a":[` + item + `]}}`, 1, 0, false},
		{"nothing", `{}`, 1, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := scripted(t, "a")
			var asked atomic.Int32
			server.list = func(params string) string {
				if asked.Add(1); rawjson.LastMember(params, "cursor") == "" {
					return tt.first
				}
				return `{"tools":[` + item + `]}`
			}
			f := open(t, Options{Upstreams: []Upstream{server.upstream(t), silentList(t)}}) // pages of one server pass as they are
			f.begin("{}")
			got := f.call("tools/list", "{}")
			if n := strings.Count(got, `"name":"n`); n != tt.items || int(asked.Load()) != tt.asked {
				t.Errorf("%d items with %d requests, want %d with %d", n, asked.Load(), tt.items, tt.asked)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if said := slices.ContainsFunc(f.notes, func(n string) bool { return strings.Contains(n, "not handed on whole") }); said != tt.truncated {
				t.Errorf("said: %q", f.notes)
			}
		})
	}
}

// A single server's pages pass as they are, but for names that could mean another tool or that providers do not take: those are ours, on
// later pages as well, and lead to the tool.
func TestNamesOfASingleServer(t *testing.T) {
	for _, tt := range []struct{ name, first, second, want, call, called string }{
		{"nothing to rename", `{"name":"a","x":1.0}`, `{"name":"b"}`, `{"name":"a","x":1.0}{"name":"b"}`, "b", "b"},
		{"names that differ in case", `{"name":"search"},{"name":"Search"}`, `{"name":"find"}`, `{"name":"search"},{"name":"only__Search"}{"name":"find"}`, "only__Search", "Search"},
		{"on two pages", `{"name":"search"}`, `{"name":"Search"}`, `{"name":"search"}{"name":"only__Search"}`, "only__Search", "Search"},
		{"one name twice", `{"name":"a"},{"name":"a","x":1}`, `{"name":"b"}`, `{"name":"a"}{"name":"b"}`, "a", "a"},
		{"one name twice, on two pages", `{"name":"a"}`, `{"name":"a","x":1},{"name":"b"}`, `{"name":"a"}{"name":"b"}`, "a", "a"},
		{"a name that providers do not take", `{"name":"get page"}`, `{"name":"b"}`, `{"name":"only__get_page"}{"name":"b"}`, "only__get_page", "get page"},
		{"and one that another one has got", `{"name":"get page"}`, `{"name":"only__get_page"}`, `{"name":"only__get_page"}{"name":"only__only__get_page"}`, "only__only__get_page", "only__get_page"},
		{"items without a name", `{"x":1},{"y":7}`, `{"x":1}`, `{"x":1},{"y":7}{"x":1}`, "a", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := func(items, next string) string { return `"result":{"tools":[` + items + `]` + next + `}` }
			server := &mirror{answers: map[string]string{"initialize": `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
				"tools/list": page(tt.first, `,"nextCursor":"2"`), "tools/call": `"result":{"content":[]}`}}
			f := open(t, Options{Upstreams: []Upstream{server.upstream()}})
			f.begin("{}")
			got := f.call("tools/list", "{}")
			server.mu.Lock()
			server.answers["tools/list"] = page(tt.second, "")
			server.mu.Unlock()
			got += f.call("tools/list", `{"cursor":"2"}`)
			if want := strings.Replace(tt.want, "}{", `}],"nextCursor":"2"}{"tools":[{`, 1); got != `{"tools":[`+want+`]}` {
				t.Errorf("listed\n%s, want\n%s", got, `{"tools":[`+want+`]}`)
			}
			f.call("tools/call", `{"name":"`+tt.call+`"}`)
			if got := server.params("tools/call"); got != `{"name":"`+tt.called+`"}` {
				t.Errorf("called with %s, want %s", got, tt.called)
			}
		})
	}
}
