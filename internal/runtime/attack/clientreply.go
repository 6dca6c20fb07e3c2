package attack

import (
	"cmp"
	"context"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// answerServer answers a request of the server under attack; not ok for "method not found".
func (c *client) answerServer(ctx context.Context, method, text string) (result string, ok bool) {
	request := parseParams(wire.Message{Params: text})
	at, then := c.observeMessage(ctx, method, oatf.SourceRequest, request, true)
	if then != nil {
		defer func() { c.deferEntry(func(string) { then(result) }) }()
	}
	state := c.phases[at].state
	x := c.expander(request)
	defer c.noteMissing(at, x)
	var err error
	switch method {
	case mcp.RootsList:
		result, err = `{"roots":[]}`, error(nil)
		if roots := nonNullMember(state, "roots"); roots.Exists() {
			if result, err = x.expandValue(roots); err == nil {
				result = `{"roots":` + result + "}"
			}
		}
	case mcp.SamplingCreateMessage:
		result, err = samplingResult(c.selectResponse(at, "sampling_responses", request), x)
	case mcp.ElicitationCreate:
		result, err = elicitationResult(c.selectResponse(at, "elicitation_responses", request), x)
	default:
		return "", false
	}
	if err != nil {
		c.notice(Unplayed, at, "%s: %v", method, err)
		return "", false
	}
	return result, true
}

// selectResponse returns the response entry for a request, absent if there is none.
func (c *client) selectResponse(at int, list string, request rawjson.Value) rawjson.Value {
	v := nonNullMember(c.phases[at].state, list)
	if !v.Exists() {
		return v
	}
	d, err := match.ParseDispatch(v)
	if err != nil {
		c.notice(Unplayed, at, "%s cannot be used: %v", list, err)
		return rawjson.Value{}
	}
	limited, cancel := c.run.matchContext()
	defer cancel()
	entry, err := d.Select(limited, request)
	if err != nil {
		c.notice(Trouble, at, "%s: %v", list, err)
	}
	if nonNullMember(entry, "synthesize").Exists() {
		c.notice(Synthesized, at, "%s: a model was to write the answer; what the document gives beside is sent instead, if anything (W-006)", list)
	}
	return entry
}

// samplingResult is a CreateMessageResult as the document has it, whatever that is. Where the document
// has none, the model says nothing.
func samplingResult(entry rawjson.Value, x *expander) (string, error) {
	if content := entry.Get("content"); content.Exists() {
		return x.expandValue(content)
	}
	return `{"role":"assistant","content":{"type":"text","text":""},"model":"oatf-client"}`, nil
}

// elicitationResult makes an ElicitResult: accept is the default action of an entry, and cancel what
// is done where the document has no entry.
func elicitationResult(entry rawjson.Value, x *expander) (string, error) {
	if !entry.Exists() {
		return `{"action":"cancel"}`, nil
	}
	o := newObjectWriter(x)
	o.addRaw(`"action"`, rawjson.Quote(cmp.Or(nonNullMember(entry, "action").Text(), string(oatf.ElicitAccept))))
	o.copyMembers(entry, "when", "action", "synthesize")
	return o.closeObject()
}
