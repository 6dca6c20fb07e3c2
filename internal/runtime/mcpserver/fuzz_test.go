package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gauntlet/internal/leaf/mcp"

	"gauntlet/internal/runtime/wire"
)

// seeds are bodies of all kinds.
func seeds(f *testing.F, add func(string)) {
	for _, s := range []string{
		initialize, discover, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","method":"x"}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x",` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one","arguments":{"n":7},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{},"argument":{}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{`, `[]`, `null`, ``, "\xff", `{"id":{}}`,
	} {
		add(s)
	}
}

// wellFormed reports what encoding/json takes a text for: a request, whose id it returns,
// or a notification.
func wellFormed(text string) (id string, request, notification bool) {
	var m map[string]json.RawMessage
	d := json.NewDecoder(strings.NewReader(text))
	if d.Decode(&m) != nil || m == nil {
		return "", false, false
	}
	if _, err := d.Token(); err != io.EOF {
		return "", false, false
	}
	var version, method string
	_, hasResult := m["result"]
	_, hasError := m["error"]
	if json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" || m["method"] == nil || m["method"][0] != '"' || json.Unmarshal(m["method"], &method) != nil || hasResult || hasError {
		return "", false, false
	}
	raw, has := m["id"]
	if !has {
		return "", false, true
	}
	return string(raw), raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9', false
}

// Whatever a message is, it never panics; a request has exactly one answer, with its id,
// and a notification none.
func FuzzAnswer(f *testing.F) {
	seeds(f, func(s string) { f.Add(s, true); f.Add(s, false) })
	s := play(f, friendly, Options{PageSize: 1})
	f.Fuzz(func(t *testing.T, text string, begun bool) {
		c := new(talk)
		if begun {
			c.setRevision("2025-03-26", "2025-03-26", false)
		}
		m := wire.Decode(text)
		r := s.answer(t.Context(), c, m, nil)
		if strings.ContainsAny(r.body+r.listen, "\n") {
			t.Fatalf("%q is answered on more than one line: %q", text, r.body)
		}
		if r.body != "" && !json.Valid([]byte(r.body)) {
			t.Fatalf("%q is answered with %q", text, r.body)
		}
		id, request, notification := wellFormed(text)
		switch {
		case request && m.Kind == wire.Request && m.Note == "":
			var answer struct {
				ID            json.RawMessage
				Result, Error json.RawMessage
			}
			if err := json.Unmarshal([]byte(r.body), &answer); err != nil || !bytes.Equal(answer.ID, []byte(id)) || (answer.Result == nil) == (answer.Error == nil) {
				t.Fatalf("the request %q is answered with %q", text, r.body)
			}
		case request && r.body == "":
			t.Fatalf("the request %q has no answer", text)
		case notification && r.body+r.listen != "":
			t.Fatalf("the notification %q is answered with %q", text, r.body)
		}
	})
}

// The same over HTTP: any body under any headers has one answer with a status that fits.
func FuzzHTTP(f *testing.F) {
	seeds(f, func(s string) {
		f.Add(s, "", "", "", "")
		f.Add(s, "2026-07-28", "tools/list", "one", "application/json")
		f.Add(s, "2025-06-18", "", "", "text/event-stream")
	})
	s := play(f, friendly, Options{PageSize: 1, HTTP: HTTPOptions{Body: 1 << 16}})
	f.Fuzz(func(t *testing.T, body, version, method, name, accept string) {
		e := s.endpoint(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
		e.endStreams() // so that subscriptions end at once
		known := new(httpSession)
		known.session.setRevision("2025-03-26", "2025-03-26", false)
		e.sessions.addWithNewID(known)
		r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(mcp.HeaderSessionID, known.id)
		for _, h := range [][2]string{{mcp.HeaderProtocolVersion, version}, {mcp.HeaderMethod, method}, {mcp.HeaderName, name}, {"Accept", accept}} {
			if h[1] != "" {
				r.Header.Set(h[0], h[1])
			}
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		got := w.Body.String()
		switch w.Code {
		case http.StatusAccepted:
			if _, request, _ := wellFormed(body); got != "" || request {
				t.Fatalf("%q is accepted with %q", body, got)
			}
		case http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		case http.StatusOK, http.StatusBadRequest, http.StatusNotFound:
			if data, ok := strings.CutPrefix(got, "event: message\ndata: "); ok {
				got, _, _ = strings.Cut(data, "\n")
			}
			if _, _, notification := wellFormed(body); notification && w.Code == http.StatusOK || !json.Valid([]byte(got)) {
				t.Fatalf("%q: %d %q", body, w.Code, got)
			}
		default:
			t.Fatalf("%q: status %d", body, w.Code)
		}
		if got := w.Header().Get(mcp.HeaderSessionID); got != "" {
			t.Fatalf("a session was minted: %q", got)
		}
	})
}
