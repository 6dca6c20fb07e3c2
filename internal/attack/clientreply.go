package attack

import (
	"cmp"
	"context"

	"gauntlet/internal/wire"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// reply answers a request of the server under attack; not ok for "method not found".
func (c *client) reply(ctx context.Context, method, text string) (result string, ok bool) {
	request := params(wire.Message{Params: text})
	at := c.heard(ctx, method, request)
	state := c.phases[at].state
	x := c.expander(request)
	defer c.tellMissing(at, x)
	var err error
	switch method {
	case "roots/list":
		result, err = `{"roots":[]}`, error(nil)
		if roots := given(state, "roots"); roots.Exists() {
			if result, err = x.value(roots); err == nil {
				result = `{"roots":` + result + "}"
			}
		}
	case "sampling/createMessage":
		result, err = sampled(c.choose(at, "sampling_responses", request), x)
	case "elicitation/create":
		result, err = elicited(c.choose(at, "elicitation_responses", request), x)
	default:
		return "", false
	}
	if err != nil {
		c.notice(Unplayed, at, "%s: %v", method, err)
		return "", false
	}
	return result, true
}

// choose returns the response entry for a request, absent if there is none.
func (c *client) choose(at int, list string, request rawjson.Value) rawjson.Value {
	v := given(c.phases[at].state, list)
	if !v.Exists() {
		return v
	}
	d, err := match.ParseDispatch(v)
	if err != nil {
		c.notice(Unplayed, at, "%s cannot be used: %v", list, err)
		return rawjson.Value{}
	}
	limited, cancel := c.run.looking()
	defer cancel()
	entry, err := d.Select(limited, request)
	if err != nil {
		c.notice(Trouble, at, "%s: %v", list, err)
	}
	if given(entry, "synthesize").Exists() {
		c.notice(Synthesized, at, "%s: a model was to write the answer; what the document gives beside is sent instead, if anything (W-006)", list)
	}
	return entry
}

// sampled makes a CreateMessageResult. Where the document has none, the model says nothing.
func sampled(entry rawjson.Value, x *expander) (string, error) {
	content := given(entry, "content")
	if content.Kind() != rawjson.Object || !content.Get("content").Exists() {
		// What is no whole result is the content of one.
		o := newObject(x)
		o.raw(`"role"`, `"assistant"`)
		if content.Exists() {
			o.value(`"content"`, content)
		} else {
			o.raw(`"content"`, `{"type":"text","text":""}`)
		}
		o.raw(`"model"`, `"oatf-client"`)
		return o.end()
	}
	return x.value(content)
}

// elicited makes an ElicitResult: accept is the default action of an entry, and cancel what
// is done where the document has no entry.
func elicited(entry rawjson.Value, x *expander) (string, error) {
	if !entry.Exists() {
		return `{"action":"cancel"}`, nil
	}
	o := newObject(x)
	o.raw(`"action"`, quote(cmp.Or(given(entry, "action").Text(), string(oatf.ElicitAccept))))
	o.members(entry, "when", "action", "synthesize")
	return o.end()
}
