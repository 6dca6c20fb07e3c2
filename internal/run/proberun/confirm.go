package proberun

import (
	"context"
	"maps"
	"slices"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// withoutSyntax is why an effect proves nothing.
const withoutSyntax = "the tool does the same with the same text without any syntax"

// confirm runs the control of a payload that worked, the same value without its syntax, and tries the payload once more with new
// random values. A tool's purpose is no weakness.
func (r *run) confirm(ctx context.Context, a *attempt) {
	t := a.target
	if what := r.purposeOf(ctx, a); what != "" {
		if t.proof = nil; what != withoutSyntax {
			t.proof = r.escaped(ctx, a)
		}
		if t.proof == nil {
			t.byDesign = what
		}
		return
	}
	if t.proof.Kind == probe.Content {
		return // random content cannot match twice by chance
	}
	if p := r.tryAgain(ctx, a, indexOf(t, a.payload.Variant, r.testbed), seedOf(a), nil); p != nil {
		t.proof = p
	}
}

// confirmLate runs the controls of effects that came long after their calls, and waits as long for theirs.
func (r *run) confirmLate(ctx context.Context) {
	r.controls = nil
	for _, a := range r.late {
		if r.over(ctx) {
			return
		}
		if what := r.purposeOf(ctx, a); what != "" {
			a.target.proof, a.target.byDesign = nil, what
		}
	}
	if len(r.controls) > 0 {
		r.letEffectsCome(ctx)
		for _, a := range r.controls {
			if slices.ContainsFunc(r.late, func(l *attempt) bool { return l.target == a.target }) && r.proofOf(a) != nil {
				a.target.proof, a.target.byDesign = nil, withoutSyntax
			}
		}
	}
}

// tryAgain repeats a target's payload with new random values, transformed by instead if that is not nil, and returns the resulting
// proof.
func (r *run) tryAgain(ctx context.Context, a *attempt, variant int, seed string, instead func(Payload, Mark) any) *probe.Proof {
	t := a.target
	again := &attempt{target: t, mark: newMark(r.testbed), since: r.testbed.mark(), choice: a.choice}
	again.payload, _ = t.Payload(variant, again.mark, r.testbed.place, seed)
	if instead != nil {
		again.payload.Value = instead(again.payload, again.mark)
		again.payload.Text, _ = again.payload.Value.(string)
		r.controls = append(r.controls, again)
	}
	if again.payload.Plant != nil && !r.testbed.plant(again.payload.Plant) {
		return nil
	}
	again.arguments = schemafill.Encode(t.tool.filler.Arguments(again.values()))
	again.answer = r.call(ctx, t.tool, again.arguments)
	if p := r.proofOf(again); p != nil {
		return p
	}
	return r.proofLater(ctx, again)
}

// values returns the parameters that an attempt sets.
func (a *attempt) values() map[string]any {
	set := map[string]any{a.target.Parameter.Path: a.payload.Value}
	maps.Copy(set, a.choice)
	return set
}

// escaped returns the proof that a tool which renders templates by design also runs code in them, or nil.
func (r *run) escaped(ctx context.Context, a *attempt) *probe.Proof {
	t := a.target
	for n := range t.Payloads() {
		if p, _ := t.Payload(n, newMark(r.testbed), r.testbed.place, "x"); t.Class == probe.TemplateInjection && p.Escapes {
			proof := r.tryAgain(ctx, a, n, "x", nil)
			if proof != nil && r.tryAgain(ctx, a, n, "x", twinOf) != nil {
				return nil
			}
			return proof
		}
	}
	return nil
}

// twinOf returns the control value of a payload.
func twinOf(p Payload, m Mark) any { return Twin(p.Value, m.Touch) }

func indexOf(t *target, variant string, g *testbed) int {
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
	probe.SQLInjection: "the tool runs any statement that it is given",
}

// purposeOf says why an effect is the tool's purpose: it is declared, a plain command has it too, or the same text without syntax
// does. It returns "" otherwise.
func (r *run) purposeOf(ctx context.Context, a *attempt) string {
	t := a.target
	if !t.BySyntax() {
		return ""
	}
	variant := indexOf(t, a.payload.Variant, r.testbed)
	if !a.payload.Escapes {
		if what := t.Declares(t.tool.description); what != "" {
			return what
		}
		control := func(p Payload, _ Mark) any { return p.Control }
		if r.mayBePurpose(t) && (t.Class == probe.CodeEvaluation || a.payload.Control != "" && r.tryAgain(ctx, a, variant, "x", control) != nil) {
			return purposes[t.Class]
		}
	}
	if r.tryAgain(ctx, a, variant, seedOf(a), twinOf) != nil {
		return withoutSyntax
	}
	return ""
}

// mayBePurpose reports whether, by its labels and role, a tool may exist to run what a class of payloads sends.
func (r *run) mayBePurpose(t *target) bool {
	runs := slices.ContainsFunc(t.tool.Labels.Capabilities, func(l capability.Label) bool {
		return l.Tag == capability.Exec && l.Confidence.AtLeast(capability.Medium)
	})
	switch t.Class {
	case probe.CodeEvaluation:
		return runs && t.Role == capability.Command
	case probe.CommandInjection:
		return runs && (t.Role == capability.Command || t.Role == capability.Query || t.Role == capability.Content)
	case probe.SQLInjection:
		return t.Role == capability.Query
	case probe.CRLF:
		return true
	}
	return false
}
