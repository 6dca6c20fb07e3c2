package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// A snapshot may be edited and served again at any time: nothing is to be kept.
const cacheHints = `"ttlMs":0,"cacheScope":"private",`

// modernRequest answers a request that stands alone (2026-07-28). The order of the checks
// is that of the specification: form, headers against body, revision, method.
func (s *Server) modernRequest(ctx context.Context, r *request) reply {
	if e := r.checkParams(); e != nil {
		return fail(r.ID, http.StatusBadRequest, e)
	}
	version, ok := text(r.meta[metaVersion])
	if !ok {
		return fail(r.ID, http.StatusBadRequest, missingMeta(metaVersion))
	}
	p := s.state.Load()
	if r.header != nil {
		if e := r.checkHeaders(p, version); e != nil {
			return fail(r.ID, http.StatusBadRequest, e)
		}
	}
	if !slices.Contains(s.modern, version) {
		return fail(r.ID, http.StatusBadRequest, s.unsupported(r.meta[metaVersion]))
	}
	if caps := r.meta[metaCapabilities]; caps == "" || caps[0] != '{' {
		return fail(r.ID, http.StatusBadRequest, missingMeta(metaCapabilities))
	}
	if client := r.meta[metaClient]; client != "" && client[0] != '{' {
		return fail(r.ID, http.StatusBadRequest, missingMeta(metaClient))
	}
	result, e := s.modernMethod(ctx, p, r)
	switch {
	case e != nil && e.Code == methodNotFound:
		return fail(r.ID, http.StatusNotFound, e)
	case e != nil:
		return fail(r.ID, 0, e)
	}
	meta := ""
	if p.identity != "" {
		meta = `"_meta":{` + p.identity + `}`
	}
	if r.Method == "subscriptions/listen" {
		return p.listen(r)
	}
	return succeed(r.ID, with(result, [2]string{"resultType", `"resultType":"complete"`}, [2]string{"_meta", meta}))
}

func (s *Server) modernMethod(ctx context.Context, p *prepared, r *request) (string, *Error) {
	switch r.Method {
	case "server/discover":
		parts := []string{`{"supportedVersions":` + quoteAll(s.supported())}
		for _, part := range []string{members("capabilities", p.Capabilities), members("instructions", p.Instructions)} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, ",") + "," + strings.TrimSuffix(cacheHints, ",") + "}", nil
	case "completion/complete":
		return completion(r, p.declares("completions"))
	case "subscriptions/listen":
		if want := r.param("notifications"); want == "" || want[0] != '{' {
			return "", &Error{Code: invalidParams, Message: "Invalid params: notifications is not an object"}
		}
		return "{}", nil
	}
	result, e := s.ask(ctx, p, r, cacheHints, invalidParams)
	if e == nil && r.Method == "resources/read" {
		result = with(result, [2]string{"ttlMs", `"ttlMs":0`}, [2]string{"cacheScope", `"cacheScope":"private"`})
	}
	return result, e
}

// listen acknowledges a subscription to what the capabilities promise to tell. Nothing
// is ever told, and the answer comes when the subscription ends.
func (p *prepared) listen(r *request) reply {
	want := r.read(r.param("notifications"))
	var granted []string
	for _, n := range []struct{ name, capability, feature string }{
		{"toolsListChanged", "tools", "listChanged"},
		{"promptsListChanged", "prompts", "listChanged"},
		{"resourcesListChanged", "resources", "listChanged"},
	} {
		if want[n.name] == "true" && p.declares(n.capability, n.feature) {
			granted = append(granted, quote(n.name)+":true")
		}
	}
	if uris := want["resourceSubscriptions"]; uris != "" && uris[0] == '[' && p.declares("resources", "subscribe") {
		if uris, err := Compact(uris); err == nil {
			granted = append(granted, `"resourceSubscriptions":`+uris)
		}
	}
	meta := `"_meta":{` + quote(metaSubscription) + `:` + r.ID + `}`
	out := succeed(r.ID, `{"resultType":"complete",`+meta+`}`)
	out.listen = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` +
		meta + `,"notifications":{` + strings.Join(granted, ",") + `}}}`
	out.over = granted == nil
	return out
}
