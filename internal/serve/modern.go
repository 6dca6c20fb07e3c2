package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// modernRequest answers a request that stands alone (2026-07-28). The order of the checks
// is that of the specification: form, headers against body, revision, method.
func (s *Server) modernRequest(ctx context.Context, p *Prepared, r *request) reply {
	if e := r.checkParams(); e != nil {
		return fail(r.ID, http.StatusBadRequest, e)
	}
	version, ok := text(r.meta[metaVersion])
	if !ok {
		return fail(r.ID, http.StatusBadRequest, missingMeta(metaVersion))
	}
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
	r.modern = true
	if r.run != nil && r.param("requestState") != "" && s.suspended.used() {
		if e := r.resume(); e != nil {
			return fail(r.ID, 0, e)
		}
		return reply{} // the call that waited answers
	}
	result, e := s.modernMethod(ctx, p, r)
	if r.run != nil {
		r.ID = r.run.answers() // that of the request that was sent again
	}
	switch {
	case e != nil && e.Code == methodNotFound:
		return fail(r.ID, http.StatusNotFound, e)
	case e != nil && e.Code == missingCapability:
		return fail(r.ID, http.StatusBadRequest, e)
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

func (s *Server) modernMethod(ctx context.Context, p *Prepared, r *request) (string, *Error) {
	if result, e, ok := p.relay(ctx, r); ok {
		if e == nil && cached(r.Method) {
			result = with(result, [2]string{"ttlMs", p.ttl}, [2]string{"cacheScope", p.scope})
		}
		return result, e
	}
	switch r.Method {
	case "server/discover":
		parts := []string{`{"supportedVersions":` + quoteAll(s.supported())}
		for _, part := range []string{members("capabilities", p.Capabilities), members("instructions", p.Instructions)} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		return strings.Join(parts, ",") + "," + strings.TrimSuffix(p.hints, ",") + "}", nil
	case "completion/complete":
		return completion(r, p.declares("completions"))
	case "subscriptions/listen":
		if want := r.param("notifications"); want == "" || want[0] != '{' {
			return "", &Error{Code: invalidParams, Message: "Invalid params: notifications is not an object"}
		}
		return "{}", nil
	}
	result, e := s.ask(ctx, p, r, p.hints, invalidParams)
	if e == nil && r.Method == "resources/read" {
		result = with(result, [2]string{"ttlMs", p.ttl}, [2]string{"cacheScope", p.scope})
	}
	return result, e
}

// cached reports whether an answer says how long it may be kept.
func cached(method string) bool {
	for l := range listed {
		if listed[l].method == method {
			return true
		}
	}
	return method == "resources/read"
}

// listen acknowledges a subscription to what the capabilities promise to tell. The answer
// comes when the subscription ends.
func (p *Prepared) listen(r *request) reply {
	want := r.read(r.param("notifications"))
	sub := &subscription{id: r.ID, wanted: map[string]bool{}}
	var granted []string
	for _, n := range changes {
		if want[n.name] == "true" && p.declares(n.capability, n.feature) {
			sub.wanted[n.method] = true
			granted = append(granted, quote(n.name)+":true")
		}
	}
	if uris := want["resourceSubscriptions"]; uris != "" && uris[0] == '[' && p.declares("resources", "subscribe") {
		if uris, err := Compact(uris); err == nil {
			sub.uris = texts(uris)
			granted = append(granted, `"resourceSubscriptions":`+uris)
		}
	}
	meta := `"_meta":{` + quote(metaSubscription) + `:` + r.ID + `}`
	out := succeed(r.ID, `{"resultType":"complete",`+meta+`}`)
	sub.last, out.sub = out.body, sub
	out.listen = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` +
		meta + `,"notifications":{` + strings.Join(granted, ",") + `}}}`
	out.over = granted == nil
	return out
}

// texts returns the strings in a JSON array.
func texts(array string) (out []string) {
	_ = rawjson.EachElement(array, 0, func(_ int, s rawjson.Span) bool {
		if text, ok := text(array[s.Start:s.End]); ok {
			out = append(out, text)
		}
		return true
	})
	return out
}
