package taint

import (
	"gauntlet/sink"
	"slices"
)

// promptMembers are members of a request for sampling that hold what the server tells the model, above the user's own words.
var promptMembers = []string{"systemPrompt", "SystemPrompt", "system_prompt"}

// promptSink is a request that the client's model answers: what stands in its system prompt, the model obeys.
func (r *reader) promptSink(c call, v *value, name string) {
	marks := v.marks
	for _, m := range promptMembers {
		if f := v.fields[m]; f != nil {
			marks = f.all()
		}
	}
	if params := v.fields["params"]; params != nil { // server.request({ method: "sampling/createMessage", params })
		r.promptSink(c, params, name)
	}
	own := slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return m.whole && m.src.path == "" })
	r.sinkMarksBehind(textFront, c, sink.PromptFlow, name, "", own)
}
