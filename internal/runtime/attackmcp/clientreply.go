package attackmcp

import (
	"cmp"
	"context"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// answerServer answers a request of the server under attack; false means "method not found".
func (c *client) answerServer(ctx context.Context, method, text string) (result string, ok bool) {
	request := parseParams(wire.Message{Params: text})
	at, then := c.ObserveMessage(ctx, method, oatf.SourceRequest, request, true)
	if then != nil {
		defer func() { c.deferEntry(func(string) { then(result) }) }()
	}
	state := c.Phases[at].State
	x := c.Expander(request)
	defer c.NoteMissing(at, x)
	var err error
	switch method {
	case mcp.RootsList:
		result, err = `{"roots":[]}`, error(nil)
		if roots := attack.Member(state, "roots"); roots.Exists() {
			if result, err = x.ExpandValue(roots); err == nil {
				result = `{"roots":` + result + "}"
			}
		}
	case mcp.SamplingCreateMessage:
		result, err = c.sampleFor(ctx, at, request, x)
	case mcp.ElicitationCreate:
		result, err = c.answerElicitation(ctx, at, request, x)
	default:
		return "", false
	}
	if err != nil {
		c.Notice(attack.Unplayed, at, "%s: %v", method, err)
		return "", false
	}
	return result, true
}

// selectResponse returns the response entry for a request, absent if there is none.
func (c *client) selectResponse(at int, list string, request rawjson.Value) rawjson.Value {
	entry, err := c.SelectEntry(attack.Member(c.Phases[at].State, list), request)
	if err != nil {
		c.Notice(attack.Trouble, at, "%s: %v", list, err)
	}
	return entry
}

// sampleFor answers a sampling request with the document's CreateMessageResult, or a model's if the document asks for one, or else
// without text.
func (c *client) sampleFor(ctx context.Context, at int, request rawjson.Value, x *attack.Expander) (string, error) {
	entry := c.selectResponse(at, "sampling_responses", request)
	form := attack.Form{What: "the sample that a server asks its client for", About: request.Raw(), Schema: samplingForm}
	content, err := c.Content(ctx, at, entry, x, form, func(written rawjson.Value) rawjson.Value { return written })
	return cmp.Or(content, `{"role":"assistant","content":{"type":"text","text":""},"model":"oatf-client"}`), err
}

func (c *client) answerElicitation(ctx context.Context, at int, request rawjson.Value, x *attack.Expander) (string, error) {
	entry := c.selectResponse(at, "elicitation_responses", request)
	if !attack.Member(entry, "synthesize").Exists() {
		return elicitationResult(entry, rawjson.Value{}, x)
	}
	form := attack.Form{What: "the answer to what a server asks the user for", About: request.Raw(), Schema: answerForm(attack.Member(request, "requestedSchema"))}
	written, err := c.Synthesize(ctx, at, entry, x, form)
	if err != nil && !attack.Member(entry, "content").Exists() {
		return "", err
	}
	return elicitationResult(entry, written.Get("content"), x)
}

// elicitationResult returns an ElicitResult: the default action is accept for an entry, and cancel without one. written, if
// present, replaces the entry's content.
func elicitationResult(entry, written rawjson.Value, x *attack.Expander) (string, error) {
	if !entry.Exists() {
		return `{"action":"cancel"}`, nil
	}
	o := attack.NewObjectWriter(x)
	o.AddRaw(`"action"`, rawjson.Quote(cmp.Or(attack.Member(entry, "action").Text(), string(oatf.ElicitAccept))))
	own := []string{"when", "action", "synthesize"}
	if written.Exists() {
		o.AddRaw(`"content"`, written.Raw())
		own = append(own, "content")
	}
	o.CopyMembers(entry, own...)
	return o.CloseObject()
}
