package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"gauntlet/internal/leaf/mcp"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gauntlet/rawjson"
)

// An ask is one HTTP request of a test. Headers are "Name: value".
type ask struct {
	method, path, host, body string
	headers                  []string
}

// An answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// code returns the code of the JSON-RPC error in the body, "" if there is none.
func (a answer) code() string {
	for _, e := range memberValues(a.body, "error") {
		for _, c := range memberValues(e, "code") {
			return c
		}
	}
	return ""
}

// do makes a request over a connection of its own.
func do(t testing.TB, base string, a ask) answer {
	t.Helper()
	if a.method == "" {
		a.method = http.MethodPost
	}
	if a.path == "" {
		a.path = Path
	}
	r, err := http.NewRequestWithContext(t.Context(), a.method, base+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = a.host
	if a.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range a.headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Content-Type" {
			r.Header.Del(name)
		}
		if value != "" {
			r.Header.Add(name, value)
		}
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", a.method, a.path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: body: %v", a.method, a.path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

func start(t *testing.T, snapshot string, opt Options) string {
	t.Helper()
	base, stop := listen(t, play(t, snapshot, opt))
	t.Cleanup(stop)
	return base
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	meta       = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	discover   = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`
)

var modernHeaders = []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover"}

// session opens one and returns the header that names it.
func openSession(t *testing.T, base, version string) string {
	t.Helper()
	a := do(t, base, ask{body: strings.Replace(initialize, "2025-11-25", version, 1)})
	id := a.header.Get(mcp.HeaderSessionID)
	if a.status != 200 || id == "" {
		t.Fatalf("initialize: %d %s", a.status, a.body)
	}
	return mcp.HeaderSessionID + ": " + id
}

func TestHostAndOriginAreJudgedAlone(t *testing.T) {
	base := start(t, friendly, Options{HTTP: HTTPOptions{Hosts: []string{"Gauntlet.Test"}, Origins: []string{"https://app.example"}}})
	addr := strings.TrimPrefix(base, "http://")
	_, port, _ := net.SplitHostPort(addr)
	for _, tt := range []struct {
		name, host string
		origins    []string
		want       int
	}{
		{"neither", addr, nil, 200},
		{"localhost", "localhost:" + port, nil, 200},
		{"LOCALHOST without port", "LOCALHOST", nil, 200},
		{"IPv6", "[::1]:" + port, nil, 200},
		{"allowed host", "gauntlet.test:80", nil, 200},
		{"own origin", addr, []string{"http://" + addr}, 200},
		{"own origin as localhost", "localhost:" + port, []string{"http://localhost:" + port}, 200},
		{"allowed origin", addr, []string{"https://app.example"}, 200},
		{"foreign origin, good host", addr, []string{"http://evil.example"}, 403},
		{"foreign host, no origin", "evil.example", nil, 403},
		{"foreign host with port", "evil.example:" + port, nil, 403},
		{"rebound: both are the same foreign name", "evil.example:" + port, []string{"http://evil.example:" + port}, 403},
		{"foreign host, good origin", "evil.example", []string{"http://" + addr}, 403},
		{"a name that begins well", "127.0.0.1.evil.example", nil, 403},
		{"a name that begins like localhost", "localhost.evil.example", nil, 403},
		{"a public address", "8.8.8.8", nil, 403},
		{"a private address", "192.168.0.1", nil, 403},
		{"every address", "0.0.0.0:" + port, nil, 403},
		{"a port that is none", "127.0.0.1:http", nil, 403},
		{"opaque origin", addr, []string{"null"}, 403},
		{"another port of this machine", addr, []string{"http://127.0.0.1:1"}, 403},
		{"another name of this machine", addr, []string{"http://localhost:" + port}, 403},
		{"two origins", addr, []string{"http://" + addr, "http://evil.example"}, 403},
		{"origin with a path", addr, []string{"http://" + addr + "/x"}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var headers []string
			for _, o := range tt.origins {
				headers = append(headers, "Origin: "+o)
			}
			if a := do(t, base, ask{host: tt.host, headers: headers, body: initialize}); a.status != tt.want {
				t.Errorf("POST: %d %s, want %d", a.status, a.body, tt.want)
			} else if len(a.header.Values("Access-Control-Allow-Origin")) > 0 {
				t.Error("the answer lets a foreign page read it")
			}
			if tt.want == 403 {
				for _, other := range []ask{{method: "GET", path: PathSSE}, {method: "GET"}, {method: "DELETE"}, {method: "OPTIONS"}, {path: pathMessages}, {path: "/other"}} {
					other.host, other.headers = tt.host, headers
					if a := do(t, base, other); a.status != 403 {
						t.Errorf("%s %s: %d, want 403", other.method, other.path, a.status)
					}
				}
			}
		})
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", Path)
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != 403 {
		t.Errorf("without Host: %v, %v, want 403", resp, err)
	}
}

func TestHostileRequests(t *testing.T) {
	base := start(t, friendly, Options{HTTP: HTTPOptions{Body: 4096}})
	s := openSession(t, base, "2025-11-25")
	old := openSession(t, base, "2025-03-26")
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	list := `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	for _, tt := range []struct {
		name string
		ask  ask
		want int
		code string // of the JSON-RPC error, "" for none
	}{
		{"honest", ask{body: ping, headers: []string{s}}, 200, ""},
		{"text/plain", ask{body: ping, headers: []string{s, "Content-Type: text/plain"}}, 415, ""},
		{"form", ask{body: ping, headers: []string{s, "Content-Type: application/x-www-form-urlencoded"}}, 415, ""},
		{"no type", ask{body: ping, headers: []string{s, "Content-Type: "}}, 415, ""},
		{"charset", ask{body: ping, headers: []string{s, "Content-Type: application/json; charset=UTF-8"}}, 200, ""},
		{"foreign charset", ask{body: ping, headers: []string{s, "Content-Type: application/json; charset=utf-16"}}, 415, ""},
		{"gzip", ask{body: ping, headers: []string{s, "Content-Encoding: gzip"}}, 415, ""},
		{"accepts nothing of ours", ask{body: ping, headers: []string{s, "Accept: image/png"}}, 406, ""},
		{"accepts JSON only", ask{body: ping, headers: []string{s, "Accept: application/json"}}, 200, ""},
		{"refuses JSON", ask{body: ping, headers: []string{s, "Accept: application/json;q=0"}}, 406, ""},
		{"huge body", ask{body: `{"x":"` + strings.Repeat("x", 5000) + `"}`, headers: []string{s}}, 413, ""},
		{"empty body", ask{headers: []string{s}}, 400, "-32700"},
		{"bad JSON", ask{body: `{not json`, headers: []string{s}}, 400, "-32700"},
		{"bad UTF-16", ask{body: "\xff\xfe{\x00}\x00", headers: []string{s}}, 400, "-32700"},
		{"two messages", ask{body: ping + ping, headers: []string{s}}, 400, "-32700"},
		{"a number", ask{body: `1`, headers: []string{s}}, 400, "-32600"},
		{"an empty object", ask{body: `{}`, headers: []string{s}}, 400, "-32600"},
		{"null id", ask{body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, headers: []string{s}}, 400, "-32600"},
		{"object id", ask{body: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, headers: []string{s}}, 400, "-32600"},
		{"no jsonrpc", ask{body: `{"id":1,"method":"ping"}`, headers: []string{s}}, 400, "-32600"},
		{"jsonrpc 1.0", ask{body: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, headers: []string{s}}, 400, "-32600"},
		{"two methods", ask{body: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, headers: []string{s}}, 400, "-32600"},
		{"two ids", ask{body: `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, headers: []string{s}}, 400, "-32600"},
		{"two cursors", ask{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"a","cursor":"b"}}`, headers: []string{s}}, 200, "-32602"},
		{"params is an array", ask{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, headers: []string{s}}, 200, "-32602"},
		{"unknown method", ask{body: `{"jsonrpc":"2.0","id":1,"method":"tools/delete"}`, headers: []string{s}}, 200, "-32601"},
		{"a response", ask{body: `{"jsonrpc":"2.0","id":1,"result":{}}`, headers: []string{s}}, 202, ""},
		{"a notification", ask{body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers: []string{s}}, 202, ""},
		{"an unknown notification", ask{body: `{"jsonrpc":"2.0","method":"x"}`, headers: []string{s}}, 202, ""},
		{"batch after its time", ask{body: "[" + ping + "]", headers: []string{s}}, 400, "-32600"},
		{"batch in its time", ask{body: "[" + ping + "]", headers: []string{old}}, 200, ""},
		{"batch of notifications", ask{body: `[{"jsonrpc":"2.0","method":"x"}]`, headers: []string{old}}, 202, ""},
		{"empty batch", ask{body: "[]", headers: []string{old}}, 400, "-32600"},
		{"long batch", ask{body: "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"x"},`, 51) + ping + "]", headers: []string{old}}, 400, "-32600"},
		{"batch in a batch", ask{body: "[[" + ping + "]]", headers: []string{old}}, 400, "-32600"},
		{"no session", ask{body: list}, 400, "-32000"},
		{"unknown session", ask{body: list, headers: []string{mcp.HeaderSessionID + ": " + strings.Repeat("A", 26)}}, 404, "-32001"},
		{"initialize again", ask{body: initialize, headers: []string{s}}, 400, "-32600"},
		{"initialize without version", ask{body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`}, 400, "-32602"},
		{"unknown version in the header", ask{body: list, headers: []string{s, "MCP-Protocol-Version: 1900-01-01"}}, 400, "-32022"},
		{"two versions in headers", ask{body: list, headers: []string{s, "MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2025-06-18"}}, 400, "-32022"},
		{"GET", ask{method: "GET", headers: []string{s}}, 405, ""},
		{"PUT", ask{method: "PUT", headers: []string{s}}, 405, ""},
		{"OPTIONS", ask{method: "OPTIONS"}, 405, ""},
		{"DELETE without session", ask{method: "DELETE"}, 400, ""},
		{"DELETE of an unknown session", ask{method: "DELETE", headers: []string{mcp.HeaderSessionID + ": x"}}, 404, ""},
		{"another path", ask{path: "/", body: ping}, 404, ""},
		{"a path above", ask{path: "/../../etc/passwd", body: ping}, 404, ""},
		{"message to no stream", ask{path: pathMessages + "?sessionId=x", body: ping}, 404, ""},
		{"message to a session that has no stream", ask{path: pathMessages + "?sessionId=" + strings.TrimPrefix(s, mcp.HeaderSessionID+": "), body: ping}, 404, ""},
		{"POST to the stream", ask{path: PathSSE, body: ping}, 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a := do(t, base, tt.ask); a.status != tt.want || a.code() != tt.code {
				t.Errorf("%d with code %q, want %d with %q: %s", a.status, a.code(), tt.want, tt.code, a.body)
			}
			if a := do(t, base, ask{body: ping, headers: []string{s}}); a.status != 200 || a.body != `{"jsonrpc":"2.0","id":7,"result":{}}` {
				t.Errorf("not well afterwards: %d %s", a.status, a.body)
			}
		})
	}
}

func TestModernRequests(t *testing.T) {
	base := start(t, friendly, Options{})
	m := func(method, params string) string {
		if params != "" {
			params += ","
		}
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + meta + `}}`
	}
	h := func(method string, more ...string) []string {
		return append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}, more...)
	}
	call := m("tools/call", `"name":"one","arguments":{"where":"Köln","n":7}`)
	for _, tt := range []struct {
		name string
		ask  ask
		want int
		code string
	}{
		{"discover", ask{body: discover, headers: modernHeaders}, 200, ""},
		{"a session is ignored", ask{body: discover, headers: append(modernHeaders, mcp.HeaderSessionID+": x")}, 200, ""},
		{"no version header", ask{body: discover, headers: modernHeaders[1:]}, 400, "-32020"},
		{"no method header", ask{body: discover, headers: modernHeaders[:1]}, 400, "-32020"},
		{"another version in the header", ask{body: discover, headers: []string{"MCP-Protocol-Version: 2025-11-25", modernHeaders[1]}}, 400, "-32020"},
		{"another method in the header", ask{body: discover, headers: h("tools/list")}, 400, "-32020"},
		{"method in other case", ask{body: discover, headers: h("Server/Discover")}, 400, "-32020"},
		{"two method headers", ask{body: discover, headers: append(modernHeaders, "Mcp-Method: tools/list")}, 400, "-32020"},
		{"no _meta", ask{body: `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, headers: modernHeaders}, 400, "-32602"},
		{"no capabilities", ask{body: strings.Replace(discover, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1), headers: modernHeaders}, 400, "-32602"},
		{"capabilities are a list", ask{body: strings.Replace(discover, `Capabilities":{}`, `Capabilities":[]`, 1), headers: modernHeaders}, 400, "-32602"},
		{"version is a number", ask{body: strings.Replace(discover, `"2026-07-28"`, "20260728", 1), headers: modernHeaders}, 400, "-32602"},
		{"two _meta", ask{body: m("server/discover", meta), headers: modernHeaders}, 400, "-32602"},
		{"past version", ask{body: strings.Replace(discover, "2026-07-28", "1900-01-01", 1), headers: []string{"MCP-Protocol-Version: 1900-01-01", modernHeaders[1]}}, 400, "-32022"},
		{"future version", ask{body: strings.Replace(discover, "2026-07-28", "2027-01-01", 1), headers: []string{"MCP-Protocol-Version: 2027-01-01", modernHeaders[1]}}, 400, "-32022"},
		{"initialize", ask{body: m("initialize", ""), headers: h("initialize")}, 404, "-32601"},
		{"ping", ask{body: m("ping", ""), headers: h("ping")}, 404, "-32601"},
		{"setLevel", ask{body: m("logging/setLevel", ""), headers: h("logging/setLevel")}, 404, "-32601"},
		{"subscribe", ask{body: m("resources/subscribe", ""), headers: h("resources/subscribe")}, 404, "-32601"},
		{"list", ask{body: m("tools/list", ""), headers: h("tools/list")}, 200, ""},
		{"forged cursor", ask{body: m("tools/list", `"cursor":"MTIz"`), headers: h("tools/list")}, 200, "-32602"},
		{"call", ask{body: call, headers: h("tools/call", "Mcp-Name: one", "Mcp-Param-Where: =?base64?S8O2bG4=?=", "Mcp-Param-N: 7.0")}, 200, ""},
		{"call with the name encoded", ask{body: call, headers: h("tools/call", "Mcp-Name: =?base64?b25l?=", "Mcp-Param-Where: =?base64?S8O2bG4=?=", "Mcp-Param-N: 7")}, 200, ""},
		{"call without name header", ask{body: call, headers: h("tools/call", "Mcp-Param-Where: =?base64?S8O2bG4=?=", "Mcp-Param-N: 7")}, 400, "-32020"},
		{"call with another name", ask{body: call, headers: h("tools/call", "Mcp-Name: two", "Mcp-Param-Where: =?base64?S8O2bG4=?=", "Mcp-Param-N: 7")}, 400, "-32020"},
		{"call with broken base64", ask{body: call, headers: h("tools/call", "Mcp-Name: one", "Mcp-Param-Where: =?base64?!?=", "Mcp-Param-N: 7")}, 400, "-32020"},
		{"call without a parameter's header", ask{body: call, headers: h("tools/call", "Mcp-Name: one", "Mcp-Param-N: 7")}, 400, "-32020"},
		{"call with another number", ask{body: call, headers: h("tools/call", "Mcp-Name: one", "Mcp-Param-Where: =?base64?S8O2bG4=?=", "Mcp-Param-N: 8")}, 400, "-32020"},
		{"call with the header of no argument", ask{body: m("tools/call", `"name":"one","arguments":{"n":null}`), headers: h("tools/call", "Mcp-Name: one", "Mcp-Param-N: 8")}, 400, "-32020"},
		{"unknown resource", ask{body: m("resources/read", `"uri":"file:///c"`), headers: h("resources/read", "Mcp-Name: file:///c")}, 200, "-32602"},
		{"complete", ask{body: m("completion/complete", `"ref":{},"argument":{}`), headers: h("completion/complete")}, 200, ""},
		{"a notification", ask{body: `{"jsonrpc":"2.0","method":"x"}`, headers: modernHeaders[:1]}, 202, ""},
		{"a response", ask{body: `{"jsonrpc":"2.0","id":1,"result":{}}`, headers: modernHeaders[:1]}, 400, "-32600"},
		{"a batch", ask{body: "[" + discover + "]", headers: modernHeaders}, 400, "-32600"},
		{"GET", ask{method: "GET", headers: modernHeaders}, 405, ""},
		{"DELETE", ask{method: "DELETE", headers: modernHeaders}, 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := do(t, base, tt.ask)
			if a.status != tt.want || a.code() != tt.code {
				t.Errorf("%d with code %q, want %d with %q: %s", a.status, a.code(), tt.want, tt.code, a.body)
			}
			if a.header.Get(mcp.HeaderSessionID) != "" {
				t.Error("a session was minted or said back")
			}
			if tt.want == 200 && tt.code == "" {
				result := memberValues(a.body, "result")[0]
				if memberValues(result, "resultType") == nil || !strings.Contains(a.body, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"friendly"`) {
					t.Errorf("resultType or serverInfo is missing: %s", a.body)
				}
				if (tt.name == "list" || tt.name == "discover") && (memberValues(result, "ttlMs") == nil || memberValues(result, "cacheScope") == nil) {
					t.Errorf("cache hints are missing: %s", a.body)
				}
			}
		})
	}
	a := do(t, base, ask{body: strings.Replace(discover, "2026-07-28", "1900-01-01", 1), headers: []string{"MCP-Protocol-Version: 1900-01-01", modernHeaders[1]}})
	if want := `"data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"1900-01-01"}`; !strings.Contains(a.body, want) {
		t.Errorf("got %s, want %s", a.body, want)
	}
}

func TestOneEraOnly(t *testing.T) {
	old := start(t, friendly, Options{Revisions: []string{"2025-06-18"}})
	if a := do(t, old, ask{body: discover, headers: modernHeaders}); a.status != 400 || a.code() != "-32000" {
		t.Errorf("discover: %d %s, want 400 and no code of the other era", a.status, a.body)
	}
	if a := do(t, old, ask{body: initialize}); !strings.Contains(a.body, `"protocolVersion":"2025-06-18"`) {
		t.Errorf("initialize: %s", a.body)
	}
	fresh := start(t, friendly, Options{Revisions: []string{"2026-07-28"}, IdleStream: true})
	if a := do(t, fresh, ask{body: initialize}); a.status != 400 || !strings.Contains(a.body, `"supported":["2026-07-28"],"requested":"2025-11-25"`) {
		t.Errorf("initialize: %d %s", a.status, a.body)
	}
	for _, other := range []ask{{method: "GET"}, {method: "DELETE"}} {
		if a := do(t, fresh, other); a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, allowed %q", other.method, a.status, a.header.Get("Allow"))
		}
	}
	if a := do(t, fresh, ask{method: "GET", path: PathSSE}); a.status != 404 {
		t.Errorf("HTTP+SSE: %d, want 404", a.status)
	}
	if a := do(t, fresh, ask{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`}); a.status != 400 || a.code() != "-32020" {
		t.Errorf("no header: %d %s", a.status, a.body)
	}
}

func TestSessionsEnd(t *testing.T) {
	base := start(t, friendly, Options{IdleStream: true})
	s := openSession(t, base, "2025-06-18")
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, base+Path, nil)
	name, value, _ := strings.Cut(s, ": ")
	r.Header.Set(name, value)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	stream, err := client.Do(r)
	if err != nil || stream.StatusCode != 200 {
		t.Fatalf("GET: %v, %v", stream, err)
	}
	defer stream.Body.Close()
	if a := do(t, base, ask{method: "DELETE", headers: []string{s}}); a.status != 204 {
		t.Errorf("DELETE: %d", a.status)
	}
	if b, err := io.ReadAll(stream.Body); err != nil || len(b) != 0 {
		t.Errorf("the stream ended with %q, %v", b, err)
	}
	for _, again := range []ask{{method: "DELETE"}, {method: "GET"}, {body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`}} {
		again.headers = []string{s}
		if a := do(t, base, again); a.status != 404 {
			t.Errorf("%s: %d, want 404", again.method, a.status)
		}
	}
	if a := do(t, base, ask{method: "GET"}); a.status != 400 {
		t.Errorf("GET without session: %d, want 400", a.status)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	s := newHTTPSessions()
	seen := map[string]bool{}
	first, second := new(httpSession), new(httpSession)
	s.addWithNewID(first)
	s.addWithNewID(second)
	for range mostSessions - 1 {
		if s.findSession(first.id, false) == nil {
			t.Fatal("the session in use has ended")
		}
		another := new(httpSession)
		s.addWithNewID(another)
		if seen[another.id] || len(another.id) < 26 {
			t.Fatalf("id %q", another.id)
		}
		seen[another.id] = true
	}
	if s.findSession(second.id, false) != nil || s.findSession(first.id, true) != nil {
		t.Error("the session longest unused goes on, or answers to another transport")
	}
	select {
	case <-second.ended:
	default:
		t.Error("its streams do not know that it has ended")
	}
}

// A client that sends slowly is cut off, and what it holds is free again.
func TestSlowClients(t *testing.T) {
	base := start(t, friendly, Options{HTTP: HTTPOptions{Read: 100 * time.Millisecond, Body: 1 << 20}})
	// Sending much may take longer than that on a busy machine.
	patient := start(t, friendly, Options{HTTP: HTTPOptions{Read: time.Second, Body: 1 << 20}})
	addr := strings.TrimPrefix(base, "http://")
	for _, tt := range []struct{ name, head, want string }{
		{"body", "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "408"},
		{"chunked body", "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "408"},
		{"chunked body that is too long", "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat("x", 4096)+"\r\n", 257), "413"},
		{"body of a refused request", "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "403"},
		{"head", "POST /mcp HTTP/1.1\r\nHost: ", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := base
			if tt.want == "413" {
				base = patient
			}
			conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			_, _ = io.WriteString(conn, strings.ReplaceAll(tt.head, addr, strings.TrimPrefix(base, "http://"))) // the server may have had enough before the end
			got, err := io.ReadAll(conn)
			status := ""
			if line := strings.Fields(string(got)); len(line) > 1 {
				status = line[1]
			}
			if err != nil && !strings.Contains(err.Error(), "reset") || status != tt.want && status != "400" {
				t.Errorf("got %q, %v, want status %q and the end of the connection", got, err, tt.want)
			}
			if a := do(t, base, ask{body: initialize}); a.status != 200 {
				t.Errorf("not well afterwards: %d", a.status)
			}
		})
	}
}

// The time for reading a request is not the time of a stream.
func TestStreamsOutliveTheReadLimit(t *testing.T) {
	const limit = 50 * time.Millisecond
	s := play(t, friendly, Options{HTTP: HTTPOptions{Read: limit}, IdleStream: true})
	base, stop := listen(t, s)
	defer stop()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	open := func(r *http.Request) *bufio.Reader {
		resp, err := client.Do(r)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v, %v", resp, err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return bufio.NewReader(resp.Body)
	}
	get, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, base+PathSSE, nil)
	sse := open(get)
	post, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, base+Path, strings.NewReader(
		`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":false},`+meta+`}}`))
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("MCP-Protocol-Version", "2026-07-28")
	post.Header.Set("Mcp-Method", "subscriptions/listen")
	listening := open(post)
	event := func(r *bufio.Reader) (data string) {
		for {
			line, err := r.ReadString('\n')
			if err != nil || line == "\n" {
				return data
			}
			if d, ok := strings.CutPrefix(line, "data: "); ok {
				data = strings.TrimSuffix(d, "\n")
			}
		}
	}
	endpoint := event(sse)
	ack := event(listening)
	if want := `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"toolsListChanged":true}}`; !strings.Contains(ack, want) {
		t.Errorf("acknowledged with %s, want %s", ack, want)
	}
	// A client that says nothing is cut off after the limit, so it is over now.
	for range 2 {
		if conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://")); err == nil {
			_, _ = io.ReadAll(conn)
			conn.Close()
		}
	}
	if a := do(t, base, ask{path: endpoint, body: strings.Replace(initialize, "2025-11-25", "2024-11-05", 1)}); a.status != 202 || a.body != "" {
		t.Errorf("message: %d %q", a.status, a.body)
	}
	if got := event(sse); !strings.Contains(got, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("the stream says %q", got)
	}
	if a := do(t, base, ask{path: endpoint, body: "{not json"}); a.status != 400 || a.code() != "-32700" {
		t.Errorf("bad JSON: %d %q", a.status, a.body)
	}
	// The end of the server ends the streams, the subscription with its answer.
	began := time.Now()
	stop()
	if d := time.Since(began); d > shutdown {
		t.Errorf("the end took %v", d)
	}
	if got := event(listening); got != `{"jsonrpc":"2.0","id":"l","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}` {
		t.Errorf("the subscription ended with %q", got)
	}
	if got := event(sse); got != "" {
		t.Errorf("the stream ended with %q", got)
	}
}

func TestForgedCursors(t *testing.T) {
	s := play(t, friendly, Options{PageSize: 1})
	base, stop := listen(t, s)
	defer stop()
	session := openSession(t, base, "2025-06-18")
	list := func(method, cursor string) answer {
		return do(t, base, ask{headers: []string{session}, body: `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"cursor":` + cursor + `}}`})
	}
	next := func(a answer) string {
		for _, r := range memberValues(a.body, "result") {
			for _, c := range memberValues(r, "nextCursor") {
				return c
			}
		}
		return ""
	}
	good := next(list("tools/list", "null"))
	if good == "" {
		t.Fatal("there is no second page")
	}
	text := rawjson.Unquote(good)
	flipped := []byte(text)
	flipped[5] ^= 1
	for _, tt := range []struct{ name, method, cursor string }{
		{"of another list", "resources/list", good},
		{"flipped", "tools/list", rawjson.Quote(string(flipped))},
		{"cut", "tools/list", rawjson.Quote(text[:len(text)-1])},
		{"padded", "tools/list", rawjson.Quote(text + "=")},
		{"longer", "tools/list", rawjson.Quote(text + text)},
		{"very long", "tools/list", rawjson.Quote(strings.Repeat("A", 1<<20))},
		{"empty", "tools/list", `""`},
		{"a number", "tools/list", "1"},
		{"an object", "tools/list", "{}"},
		{"plain offset", "tools/list", `"2"`},
		{"not ASCII", "tools/list", `"ü\ud800"`},
	} {
		if a := list(tt.method, tt.cursor); a.status != 200 || a.code() != "-32602" {
			t.Errorf("%s: %d %s, want -32602", tt.name, a.status, a.body)
		}
	}
	other := openSession(t, base, "2025-11-25")
	if a := do(t, base, ask{headers: []string{other}, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":` + good + `}}`}); a.code() != "" {
		t.Errorf("in another conversation: %s", a.body)
	}
	// What the cursor counted in is not there any more.
	if err := s.Set(State{Capabilities: []string{"{}"}, Lists: [4]List{{Present: true, Items: []string{"{}", "{}", "{}"}}}}); err != nil {
		t.Fatal(err)
	}
	if a := list("tools/list", good); a.code() != "-32602" {
		t.Errorf("after Set: %s, want -32602", a.body)
	}
}

// Many clients at once, while the state changes under them.
func TestManyClients(t *testing.T) {
	s := play(t, friendly, Options{PageSize: 1, IdleStream: true})
	base, stop := listen(t, s)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		for ctx.Err() == nil {
			_ = s.Set(State{Capabilities: []string{"{}"}, Lists: [4]List{{Present: true, Items: []string{"{}"}}}})
		}
	}()
	done := make(chan struct{})
	for range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 20 {
				a := do(t, base, ask{body: discover, headers: modernHeaders})
				b := do(t, base, ask{body: initialize})
				c := do(t, base, ask{body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headers: []string{mcp.HeaderSessionID + ": " + b.header.Get(mcp.HeaderSessionID)}})
				if a.status != 200 || b.status != 200 || c.status != 200 {
					t.Errorf("%d %d %d", a.status, b.status, c.status)
				}
			}
		}()
	}
	for range 8 {
		<-done
	}
	cancel()
	<-changed
}

// A page can have a GET made without an Origin, for an image for instance; its browser says
// where it came from in Sec-Fetch-Site.
func TestRequestsOfForeignSitesAreRefused(t *testing.T) {
	base := start(t, friendly, Options{HTTP: HTTPOptions{Origins: []string{"https://app.example"}}})
	for _, tt := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"none of a browser", nil, 405},
		{"typed into the address line", []string{"Sec-Fetch-Site: none"}, 405},
		{"the server's own page", []string{"Sec-Fetch-Site: same-origin"}, 405},
		{"another port or name of the site", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"a foreign site", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"a foreign site with an allowed origin", []string{"Sec-Fetch-Site: cross-site", "Origin: https://app.example"}, 405},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// A GET of /mcp reads nothing and opens nothing here, and so ends at once.
			if a := do(t, base, ask{method: "GET", headers: tt.headers}); a.status != tt.want {
				t.Errorf("GET: %d %s, want %d", a.status, a.body, tt.want)
			}
			if tt.want == 403 {
				if a := do(t, base, ask{method: "GET", path: PathSSE, headers: tt.headers}); a.status != 403 {
					t.Errorf("GET %s: %d, want 403", PathSSE, a.status)
				}
			}
		})
	}
}
