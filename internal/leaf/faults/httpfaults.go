package faults

import (
	"cmp"
	"fmt"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// Faults in the HTTP part of a message.

func (r *Rule) planRedirect(m Message) (Plan, string) {
	return Plan{Status: int(r.numbers["status"]), Header: map[string]string{"Location": r.texts["to"]}, Steps: yieldSteps(wholeMessage(m.Text))}, ""
}

func (r *Rule) planStatus(m Message) (Plan, string) {
	return Plan{Status: int(r.numbers["status"]), Steps: yieldSteps(wholeMessage(m.Text))}, ""
}

func (r *Rule) planContentType(m Message) (Plan, string) {
	return Plan{Header: map[string]string{"Content-Type": r.texts["as"]}, Steps: yieldSteps(wholeMessage(m.Text))}, ""
}

func (r *Rule) planHeader(m Message) (Plan, string) {
	return Plan{Header: map[string]string{r.texts["name"]: r.texts["value"]}, Steps: yieldSteps(wholeMessage(m.Text))}, ""
}

func (r *Rule) planHeaderMismatch(m Message) (Plan, string) {
	id := cmp.Or(rawjson.LastMember(m.Text, "id"), "null")
	p := replaceMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"Header mismatch: the header Mcp-Method is not what the body says"}}`, id, mcp.CodeHeaderMismatch))
	p.Status = 400
	return p, ""
}

func (r *Rule) planShortLength(m Message) (Plan, string) {
	length := fmt.Sprint(int64(len(m.Text)) + r.numbers["by"])
	return Plan{Header: map[string]string{"Content-Length": length}, Bare: true, Steps: yieldSteps(wholeMessage(m.Text), Step{Close: true})}, ""
}

func (r *Rule) planResume(m Message) (Plan, string) {
	text := fmt.Sprintf("id: gauntlet-%d\nretry: %d\ndata: \n\n", m.Number, r.numbers["retry"])
	return Plan{Many: true, Steps: yieldSteps(Step{Data: []byte(text)}, Step{Close: true})}, ""
}

// noises are fragments of an event stream, each with a placeholder for a number.
var noises = map[string]string{
	"comment": ": %d\n\n",
	"event":   "event: gauntlet-%d\ndata: {}\n\n",
	"empty":   "event: message\nid: %d\n\n",
	"garbage": "event: message\ndata: {%d\n\n",
	"nul_id":  "id: \x00%d\ndata:\n\n",
}

func (r *Rule) planStreamNoise(m Message) (Plan, string) {
	n, form := r.numbers["count"], noises[r.texts["as"]]
	return Plan{Many: true, Steps: func(yield func(Step) bool) {
		for i := range n {
			if !yield(Step{Data: fmt.Appendf(nil, form, i)}) {
				return
			}
		}
		yield(wholeMessage(m.Text))
	}}, ""
}
