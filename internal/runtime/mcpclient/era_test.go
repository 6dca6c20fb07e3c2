package mcpclient

import (
	"fmt"
	"gauntlet/internal/leaf/mcp"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
)

// Whatever a server of the older era makes of server/discover, the handshake follows.
func TestLegacyServersOverHTTPAreFoundOut(t *testing.T) {
	discover := func(do func(http.ResponseWriter, *http.Request, request)) func(http.ResponseWriter, *http.Request, request) bool {
		return at("server/discover", "", do)
	}
	plain := func(code int, kind, body string) func(http.ResponseWriter, *http.Request, request) bool {
		return discover(func(w http.ResponseWriter, r *http.Request, _ request) { status(code, kind, body)(w, r) })
	}
	for _, tt := range []struct {
		name string
		do   func(http.ResponseWriter, *http.Request, request) bool
	}{
		{"no such method", nil},
		{"no session, by text", plain(404, "text/plain", "Invalid session ID")},
		{"no session, by JSON-RPC", plain(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"No valid session ID provided"},"id":null}`)},
		{"a version it does not know", plain(400, "text/plain", "unsupported protocol version")},
		{"a server error", plain(500, "text/html", "<html>")},
		{"an empty body", plain(400, "text/plain", "")},
		{"405", plain(405, "text/plain", "")},
		{"401", plain(401, "text/plain", "")},
		{"a page", plain(200, "text/html", "<html>")},
		{"202", plain(202, "", "")},
		{"a result that is none", plain(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`)},
		{"silence", discover(func(w http.ResponseWriter, r *http.Request, _ request) { <-r.Context().Done() })},
		{"a head and silence", discover(func(w http.ResponseWriter, r *http.Request, _ request) { untilGone(w, r) })},
		{"a closed connection", discover(raw(func(io.Writer) {}))},
		{"a code of the stateless era and no versions", plain(400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := &webServer{do: tt.do}
			s, err := Capture(t.Context(), dial(t, wire.Endpoint{URL: listen(t, server)}), Options{Timeout: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if s.Era != Legacy || counts(s) != "3 3 3 3" {
				t.Errorf("%v with %s", s.Era, counts(s))
			}
			wantGaps(t, s, nil)
			if n := server.count("POST notifications/cancelled"); n != 0 {
				t.Errorf("%d cancellations of what the server does not know", n)
			}
		})
	}
}

// modernWeb answers as a server of the stateless era over HTTP, with these results.
func modernWeb(results map[string]string) func(http.ResponseWriter, *http.Request, request) bool {
	return func(w http.ResponseWriter, r *http.Request, q request) bool {
		refuse := func(status, code int, rest string) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, q.ID, code, rest)
			return true
		}
		version, _ := q.Params.Meta[mcp.MetaPrefix+"protocolVersion"].(string)
		text, known := results[q.Method]
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(405)
			return true
		case r.Header.Get("Mcp-Method") != q.Method || r.Header.Get("Mcp-Protocol-Version") != version || version == "":
			return refuse(400, -32020, "")
		case version != "2026-07-28":
			return refuse(400, -32022, `,"data":{"supported":["2026-07-28"]}`)
		case q.Params.Meta[mcp.MetaPrefix+"clientCapabilities"] == nil:
			return refuse(400, -32602, "")
		case text == "hang":
			<-r.Context().Done()
			return true
		case !known:
			return refuse(404, -32601, "")
		}
		if q.Params.Cursor != "" {
			text = results[q.Method+" "+q.Params.Cursor]
		}
		reply(w, true, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, result(q, text))
		return true
	}
}

func TestStatelessSnapshot(t *testing.T) {
	server := &webServer{do: modernWeb(map[string]string{
		"server/discover": `{"resultType":"complete", "supportedVersions":["2026-07-28", "2025-11-25"],"capabilities":{"tools":{}},` +
			`"instructions":"Be \u006bind.","ttlMs":6e4,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"1.0"}}}`,
		"tools/list":               `{"resultType":"complete","tools":[{"name":"a"}],"nextCursor":"x","ttlMs":0,"cacheScope":"private"}`,
		"tools/list x":             `{"tools":[{"name":"b"}],"nextCursor":"y","ttlMs":0,"cacheScope":"private"}`,
		"tools/list y":             `{"resultType":"complete","tools":[{"name":"c"}],"ttlMs":0,"cacheScope":"public"}`,
		"prompts/list":             `{"resultType":"input_required","prompts":[]}`,
		"resources/list":           `{"resultType":"x","resources":[]}`,
		"resources/templates/list": "hang",
	})}
	s, err := Capture(t.Context(), dial(t, wire.Endpoint{URL: listen(t, server)}), Options{Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
"server": {"name":"m","version":"1.0"},
"protocolVersion": "2026-07-28",
"supportedVersions": ["2026-07-28", "2025-11-25"],
"capabilities": {"tools":{}},
"instructions": "Be \u006bind.",
"tools": [
{"name":"a"},
{"name":"b"},
{"name":"c"}
],
"prompts": [],
"resources": [],
"_meta": {"gauntlet/cacheHints": {
"server/discover": {"ttlMs": 6e4, "cacheScope": "public"},
"tools/list": {"ttlMs": 0, "cacheScope": "private"},
"tools/list (2)": {"ttlMs": 0, "cacheScope": "public"}
}},
"capture_errors": {
"prompts/list": "the server wants input before it answers, which only calls may",
"resources/list": "the result is of the type \"x\", which is none of this revision"
}
}
`
	if got := string(s.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Era != Modern || server.count("POST notifications/cancelled") != 0 || server.count("POST initialize") != 0 {
		t.Errorf("%v; the server saw %q", s.Era, server.seen)
	}
}

func TestStatelessRefusals(t *testing.T) {
	const discovered = `{"supportedVersions":["2026-07-28"],"capabilities":{}}`
	for _, tt := range []struct {
		name string
		do   func(http.ResponseWriter, *http.Request, request) bool
		want string // the whole error
	}{
		{"a capability", at("server/discover", "", func(w http.ResponseWriter, r *http.Request, q request) {
			status(400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"need sampling"}}`)(w, r)
		}), `the server answered server/discover with error -32021: "need sampling" (HTTP 400 Bad Request)`},
		{"a version from the future", at("server/discover", "", func(w http.ResponseWriter, r *http.Request, q request) {
			status(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32022,"message":"no","data":{"supported":["2031-01-01"]}}}`)(w, r)
		}), `the server speaks protocol version ["2031-01-01"]; this gauntlet speaks ` + strings.Join(mcp.Revisions(), ", ")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Capture(t.Context(), dial(t, wire.Endpoint{URL: listen(t, &webServer{do: tt.do})}), Options{})
			if err == nil || err.Error() != tt.want {
				t.Errorf("Capture = %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("initialize first", func(t *testing.T) {
		server := &webServer{do: modernWeb(map[string]string{"server/discover": discovered})}
		s, err := Capture(t.Context(), dial(t, wire.Endpoint{URL: listen(t, server), Grace: time.Second}), Options{Era: InitializeFirst})
		if err != nil || s.Era != Modern || len(s.Errors) != 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
