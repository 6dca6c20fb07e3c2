package attackmcp

import (
	"cmp"
	"context"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// answerServer answers a request of the server under attack; not ok for "method not found".
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
		result, err = samplingResult(c.selectResponse(at, "sampling_responses", request), x)
	case mcp.ElicitationCreate:
		result, err = elicitationResult(c.selectResponse(at, "elicitation_responses", request), x)
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
	v := attack.Member(c.Phases[at].State, list)
	if !v.Exists() {
		return v
	}
	d, err := match.ParseDispatch(v)
	if err != nil {
		c.Notice(attack.Unplayed, at, "%s cannot be used: %v", list, err)
		return rawjson.Value{}
	}
	limited, cancel := c.MatchContext()
	defer cancel()
	entry, err := d.Select(limited, request)
	if err != nil {
		c.Notice(attack.Trouble, at, "%s: %v", list, err)
	}
	if attack.Member(entry, "synthesize").Exists() {
		c.Notice(attack.Synthesized, at, "%s: a model was to write the answer; what the document gives beside is sent instead, if anything (W-006)", list)
	}
	return entry
}

// samplingResult is a CreateMessageResult as the document has it, whatever that is. Where the document
// has none, the model says nothing.
func samplingResult(entry rawjson.Value, x *attack.Expander) (string, error) {
	if content := entry.Get("content"); content.Exists() {
		return x.ExpandValue(content)
	}
	return `{"role":"assistant","content":{"type":"text","text":""},"model":"oatf-client"}`, nil
}

// elicitationResult makes an ElicitResult: accept is the default action of an entry, and cancel what
// is done where the document has no entry.
func elicitationResult(entry rawjson.Value, x *attack.Expander) (string, error) {
	if !entry.Exists() {
		return `{"action":"cancel"}`, nil
	}
	o := attack.NewObjectWriter(x)
	o.AddRaw(`"action"`, rawjson.Quote(cmp.Or(attack.Member(entry, "action").Text(), string(oatf.ElicitAccept))))
	o.CopyMembers(entry, "when", "action", "synthesize")
	return o.CloseObject()
}
