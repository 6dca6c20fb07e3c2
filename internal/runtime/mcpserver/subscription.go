package mcpserver

import (
	"errors"
	"slices"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

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

// addSubscription registers an acknowledged subscription.
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
