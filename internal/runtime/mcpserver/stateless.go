package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// answerStateless answers a stateless request (2026-07-28). Checks follow the specification's order: form, headers against body,
// revision, method.
func (s *Server) answerStateless(ctx context.Context, p *Prepared, r *request) reply {
	if e := r.checkParams(); e != nil {
		return failReply(r.ID, http.StatusBadRequest, e)
	}
	version, ok := decodeString(r.meta[mcp.MetaProtocolVersion])
	if !ok {
		return failReply(r.ID, http.StatusBadRequest, missingMeta(mcp.MetaProtocolVersion))
	}
	if r.header != nil {
		if e := r.checkHeaders(ctx, p, version); e != nil {
			return failReply(r.ID, http.StatusBadRequest, e)
		}
	}
	if !slices.Contains(s.stateless, version) {
		return failReply(r.ID, http.StatusBadRequest, s.unsupportedVersion(r.meta[mcp.MetaProtocolVersion]))
	}
	if caps := r.meta[mcp.MetaClientCapabilities]; caps == "" || caps[0] != '{' {
		return failReply(r.ID, http.StatusBadRequest, missingMeta(mcp.MetaClientCapabilities))
	}
	if client := r.meta[mcp.MetaClientInfo]; client != "" && client[0] != '{' {
		return failReply(r.ID, http.StatusBadRequest, missingMeta(mcp.MetaClientInfo))
	}
	r.stateless = true
	if r.run != nil && s.suspended.wasUsed() && (p.Relay == nil || strings.HasPrefix(r.rawParam("requestState"), `"`+ownState)) && r.rawParam("requestState") != "" {
		if e := r.resumeSuspended(); e != nil {
			return failReply(r.ID, 0, e)
		}
		return reply{} // the suspended call answers
	}
	result, e := s.answerStatelessMethod(ctx, p, r)
	if r.run != nil {
		r.ID = r.run.answeredID() // the id of the repeated request
	}
	switch {
	case e != nil && e.Code == mcp.CodeMethodNotFound:
		return failReply(r.ID, http.StatusNotFound, e)
	case e != nil && e.Code == mcp.CodeMissingCapability:
		return failReply(r.ID, http.StatusBadRequest, e)
	case e != nil:
		return failReply(r.ID, 0, e)
	}
	meta := ""
	if p.identity != "" {
		meta = "{" + p.identity + "}"
	}
	if r.Method == mcp.SubscriptionsListen {
		return p.acknowledgeListen(r)
	}
	if r.asIs {
		return resultReply(r.ID, result)
	}
	return resultReply(r.ID, withMembers(result, "resultType", `"complete"`, "_meta", meta))
}

func (s *Server) answerStatelessMethod(ctx context.Context, p *Prepared, r *request) (string, *Error) {
	if result, e, ok := p.answerByRelay(ctx, r); ok {
		if e == nil && hasCacheHints(r.Method) && !r.asIs {
			result = withMembers(result, "ttlMs", p.ttl, "cacheScope", p.scope)
		}
		return result, e
	}
	switch r.Method {
	case mcp.Discover:
		if r.asIs = p.Discovered != ""; r.asIs {
			return p.Discovered, nil
		}
		return joinedObject(`"supportedVersions":`+quoteAll(s.supported()), repeatMember("capabilities", p.Capabilities),
			repeatMember("instructions", p.Instructions), strings.TrimSuffix(p.hints, ",")), nil
	case mcp.CompletionComplete:
		return completion(r, p.declares("completions"))
	case mcp.SubscriptionsListen:
		if want := r.rawParam("notifications"); want == "" || want[0] != '{' {
			return "", &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: notifications is not an object"}
		}
		return "{}", nil
	}
	result, e := s.answerCommon(ctx, p, r, p.hints, mcp.CodeInvalidParams)
	if e == nil && r.Method == mcp.ResourcesRead {
		result = withMembers(result, "ttlMs", p.ttl, "cacheScope", p.scope)
	}
	return result, e
}

// hasCacheHints reports whether a method's result carries cache hints.
func hasCacheHints(method string) bool {
	return method == mcp.ResourcesRead || mcp.ListIndex(method) >= 0
}

// acknowledgeListen acknowledges a subscription to what the capabilities announce. The answer follows when the subscription ends.
func (p *Prepared) acknowledgeListen(r *request) reply {
	want := r.readMembers(r.rawParam("notifications"))
	sub := &subscription{id: r.ID, wanted: map[string]bool{}}
	var granted []string
	for _, n := range mcp.ChangingLists {
		if want[n.Filter] == "true" && p.declares(n.Capability, "listChanged") {
			sub.wanted[n.Changed] = true
			granted = append(granted, rawjson.Quote(n.Filter)+":true")
		}
	}
	if uris := want["resourceSubscriptions"]; uris != "" && uris[0] == '[' && p.declares("resources", "subscribe") {
		if uris, err := Compact(uris); err == nil {
			sub.uris = rawjson.Read(uris).Texts()
			granted = append(granted, `"resourceSubscriptions":`+uris)
		}
	}
	meta := rawjson.Build(mcp.MetaSubscriptionID, r.ID)
	out := resultReply(r.ID, rawjson.Build("resultType", `"complete"`, "_meta", meta))
	sub.last, out.sub = out.body, sub
	out.listen = wire.EncodeRequest("", mcp.NotifySubscriptionsAcknowledged, rawjson.Build("_meta", meta, "notifications", "{"+strings.Join(granted, ",")+"}"))
	out.over = granted == nil
	return out
}

// A subscription is a subscriptions/listen request of a stateless client.
type subscription struct {
	id     string // request id, which names it
	wanted map[string]bool
	uris   []string // of resources
	last   string   // the answer that ends it
	post   func(line string) error
}

// wants reports whether the subscription covers this notification.
func (s *subscription) wants(method, params string) bool {
	if method != mcp.NotifyResourcesUpdated {
		return s.wanted[method]
	}
	for _, uri := range memberValues(params, "uri") {
		if uri[0] == '"' && slices.Contains(s.uris, rawjson.Unquote(uri)) {
			return true
		}
	}
	return false
}

// notifySubscriptions sends a notification to the matching subscriptions, and reports whether there was one.
func (t *Session) notifySubscriptions(method, params string) (found bool, err error) {
	for _, s := range t.subscriptions() {
		if s.wants(method, params) {
			found, err = true, errors.Join(err, s.post(wire.EncodeRequest("", method, wire.WithMeta(params, rawjson.Build(mcp.MetaSubscriptionID, s.id)))))
		}
	}
	return found, err
}

func (t *Session) addSubscription(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subscribed = append(t.subscribed, s)
}

func (t *Session) subscriptions() []*subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.subscribed)
}

func (t *Session) removeSubscription(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subscribed = slices.DeleteFunc(t.subscribed, func(other *subscription) bool { return other == s })
}

// findSubscription returns the subscription with this id, or nil.
func (t *Session) findSubscription(id string) *subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.subscribed {
		if s.id == id {
			return s
		}
	}
	return nil
}
