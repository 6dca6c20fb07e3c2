package proberun

import (
	"context"
	"slices"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// confirm tries a payload that worked once more with new random values, and asks whether the tool
// is there to do that: then it is no weakness.
func (r *run) confirm(ctx context.Context, a *attempt, choice map[string]any) {
	t := a.target
	proof := t.proof
	if r.isPurpose(ctx, a, choice) {
		t.proof, t.byDesign = nil, purposes[t.Class]
		return
	}
	if proof.Kind == probe.Content {
		return // random content cannot come twice by chance
	}
	again := &attempt{target: t, mark: newMark(r.ground)}
	again.payload, _ = t.Payload(indexOf(t, a.payload.Variant, r.ground), again.mark, r.ground.place, seedOf(a))
	if again.payload.Plant != nil && !r.ground.plant(again.payload.Plant) {
		return
	}
	set := map[string]any{t.Parameter.Path: again.payload.Value}
	for k, v := range choice {
		set[k] = v
	}
	again.arguments = schemafill.Encode(t.tool.filler.Arguments(set))
	again.answer = r.call(ctx, t.tool, again.arguments)
	if p := r.proofOf(again); p != nil {
		t.proof = p
	}
}

func indexOf(t *target, variant string, g *ground) int {
	for n := range t.Payloads() {
		if p, _ := t.Payload(n, newMark(g), g.place, "x"); p.Variant == variant {
			return n
		}
	}
	return 0
}

var purposes = map[probe.Class]string{
	probe.CRLF:             "the tool sends the header fields that it is given",
	probe.CommandInjection: "the tool runs any command that it is given", probe.CodeEvaluation: "the tool runs the code that it is given",
	probe.SQLInjection: "the tool runs any statement that it is given", probe.Passthrough: "the tool hands on the pages that it is asked for",
}

// isPurpose reports whether an effect is what the tool is declared to do.
func (r *run) isPurpose(ctx context.Context, a *attempt, choice map[string]any) bool {
	t := a.target
	runs := slices.ContainsFunc(t.tool.Labels.Capabilities, func(l capability.Label) bool {
		return l.Tag == capability.Exec && l.Confidence.AtLeast(capability.Medium)
	})
	switch t.Class {
	case probe.CodeEvaluation:
		return runs && t.Role == capability.Command && !a.payload.Escapes
	case probe.CRLF:
		return a.payload.Control != "" && r.controlWorks(ctx, a, choice)
	case probe.CommandInjection, probe.SQLInjection:
		if a.payload.Control == "" || t.Class == probe.CommandInjection && !(runs && (t.Role == capability.Command || t.Role == capability.Query || t.Role == capability.Content)) {
			return false
		}
		if t.Class == probe.SQLInjection && t.Role != capability.Query {
			return false
		}
		return r.controlWorks(ctx, a, choice)
	}
	return false
}

// controlWorks reports whether the plain form of the effect works as well: a command or statement
// by itself, with no trick around it.
func (r *run) controlWorks(ctx context.Context, a *attempt, choice map[string]any) bool {
	t := a.target
	plain := &attempt{target: t, mark: newMark(r.ground), payload: a.payload}
	made, _ := t.Payload(indexOf(t, a.payload.Variant, r.ground), plain.mark, r.ground.place, "x")
	plain.payload.Value, plain.payload.Text = made.Control, made.Control
	set := map[string]any{t.Parameter.Path: made.Control}
	for k, v := range choice {
		set[k] = v
	}
	plain.arguments = schemafill.Encode(t.tool.filler.Arguments(set))
	plain.answer = r.call(ctx, t.tool, plain.arguments)
	return r.proofOf(plain) != nil
}
