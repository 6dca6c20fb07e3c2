package hostile

import "fmt"

// This is what HTTP says around a message.

func (r *Rule) redirect(m Message) (Plan, string) {
	return Plan{Status: int(r.numbers["status"]), Header: map[string]string{"Location": r.texts["to"]}, Steps: steps(whole(m.Text))}, ""
}

func (r *Rule) status(m Message) (Plan, string) {
	return Plan{Status: int(r.numbers["status"]), Steps: steps(whole(m.Text))}, ""
}

func (r *Rule) contentType(m Message) (Plan, string) {
	return Plan{Header: map[string]string{"Content-Type": r.texts["as"]}, Steps: steps(whole(m.Text))}, ""
}

func (r *Rule) header(m Message) (Plan, string) {
	return Plan{Header: map[string]string{r.texts["name"]: r.texts["value"]}, Steps: steps(whole(m.Text))}, ""
}

// codeHeaderMismatch is that of 2026-07-28 for headers that do not say what the body says.
const codeHeaderMismatch = -32020

func (r *Rule) headerMismatch(m Message) (Plan, string) {
	id := parse(m.Text).Get("id").Raw()
	if id == "" {
		id = "null"
	}
	p := one(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"Header mismatch: the header Mcp-Method is not what the body says"}}`, id, codeHeaderMismatch))
	p.Status = 400
	return p, ""
}

func (r *Rule) short(m Message) (Plan, string) {
	length := fmt.Sprint(int64(len(m.Text)) + r.numbers["by"])
	return Plan{Header: map[string]string{"Content-Length": length}, Bare: true, Steps: steps(whole(m.Text), Step{Close: true})}, ""
}

func (r *Rule) resume(m Message) (Plan, string) {
	text := fmt.Sprintf("id: gauntlet-%d\nretry: %d\ndata: \n\n", m.Number, r.numbers["retry"])
	return Plan{Many: true, Steps: steps(Step{Data: []byte(text)}, Step{Close: true})}, ""
}

// noises are pieces of an event stream, each with a place for a number.
var noises = map[string]string{
	"comment": ": %d\n\n",
	"event":   "event: gauntlet-%d\ndata: {}\n\n",
	"empty":   "event: message\nid: %d\n\n",
	"garbage": "event: message\ndata: {%d\n\n",
	"nul_id":  "id: \x00%d\ndata:\n\n",
}

func (r *Rule) noise(m Message) (Plan, string) {
	n, form := r.numbers["count"], noises[r.texts["as"]]
	return Plan{Many: true, Steps: func(yield func(Step) bool) {
		for i := range n {
			if !yield(Step{Data: fmt.Appendf(nil, form, i)}) {
				return
			}
		}
		yield(whole(m.Text))
	}}, ""
}
