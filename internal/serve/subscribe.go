package serve

import (
	"errors"
	"slices"

	"gauntlet/rawjson"
)

// A subscription is what a client of the stateless era listens to.
type subscription struct {
	id     string // of the request, which names it
	wanted map[string]bool
	uris   []string // of resources
	last   string   // the answer, which ends it
	post   func(line string) error
}

// changes are the notifications that can be subscribed to.
var changes = []struct{ method, name, capability, feature string }{
	{"notifications/tools/list_changed", "toolsListChanged", "tools", "listChanged"},
	{"notifications/prompts/list_changed", "promptsListChanged", "prompts", "listChanged"},
	{"notifications/resources/list_changed", "resourcesListChanged", "resources", "listChanged"},
}

const updated = "notifications/resources/updated"

// takes reports whether the subscription is to this notification.
func (s *subscription) takes(method, params string) bool {
	if method != updated {
		return s.wanted[method]
	}
	for _, uri := range values(params, "uri") {
		if uri[0] == '"' && slices.Contains(s.uris, rawjson.Unquote(uri)) {
			return true
		}
	}
	return false
}

// tell sends a notification to the subscriptions that take it. It reports whether there is
// one.
func (t *Talk) tell(method, params string) (found bool, err error) {
	for _, s := range t.subscriptions() {
		if s.takes(method, params) {
			found, err = true, errors.Join(err, s.post(note(method, tagged(params, s.id))))
		}
	}
	return found, err
}

// tagged adds the subscription's id to the _meta of params.
func tagged(params, id string) string {
	tag := quote(metaSubscription) + ":" + id
	if params == "" || params[0] != '{' {
		return `{"_meta":{` + tag + `}}`
	}
	at := -1
	_ = rawjson.EachMember(params, 0, func(key, v rawjson.Span) bool {
		if rawjson.Unquote(params[key.Start:key.End]) == "_meta" && params[v.Start] == '{' {
			at = v.Start + 1
		}
		return at < 0
	})
	switch {
	case at < 0:
		return with(params, [2]string{"_meta", `"_meta":{` + tag + `}`})
	case params[at] == '}':
		return params[:at] + tag + params[at:]
	}
	return params[:at] + tag + "," + params[at:]
}

// listen begins a subscription, which was acknowledged.
func (t *Talk) listen(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listens = append(t.listens, s)
}

func (t *Talk) subscriptions() []*subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.listens)
}

// deaf ends a subscription.
func (t *Talk) deaf(s *subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listens = slices.DeleteFunc(t.listens, func(other *subscription) bool { return other == s })
}

// listening returns the subscription with this id, nil if there is none.
func (t *Talk) listening(id string) *subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.listens {
		if s.id == id {
			return s
		}
	}
	return nil
}
