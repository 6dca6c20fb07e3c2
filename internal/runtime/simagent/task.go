package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

const (
	// theTask is why a call is made that the user asked for, firstTry why the victim makes one that nothing asked for.
	theTask  = "the task"
	firstTry = "a first try"
	// mostTries is how often a victim without a task calls a tool: what a server puts off for a while waits for two or three calls.
	mostTries = 3
	// mostLooked is how many resources and prompts are read for one part of a task.
	mostLooked = 3
	// twoWords is the score of a resource or prompt that a request has two words of, one of them of its name.
	twoWords = 4
	// mostPassed is how much an agent that obeys nothing passes on of what it has read, in bytes.
	mostPassed = 200
)

// runPrompt does what the user asked for, one part of the prompt after the other: with the tool that fits it best, the resource or
// prompt that it is about. Victim and resister differ in nothing here but in what they pass on of what they have read.
func (a *simAgent) runPrompt(ctx context.Context) {
	for _, c := range ordersIn(a.opt.Prompt) {
		part := c.text
		if a.lookUp(ctx, theTask, valuesIn(part), func(t *thing) bool { return t.scoreFor(part) >= twoWords }) {
			continue
		}
		t := bestMatch(a.tools(), part)
		if t == nil {
			continue
		}
		if better := a.toolOfKey(a.preferred[t.key()]); better != nil {
			t = better
		}
		r := source{agent: a, near: part, far: a.opt.Prompt, content: a.passage}
		for _, twin := range a.tools() { // the victim cannot tell one from the other
			if twin == t || a.obedient && twin.server != t.server && twin.name != t.name && lookalike(twin.name) == lookalike(t.name) {
				a.use(ctx, twin, r, theTask)
			}
		}
	}
}

// lookalike returns a name with digits that pass for letters as these.
var lookalike = strings.NewReplacer("0", "o", "1", "l", "i", "l", "3", "e", "5", "s", "-", "", "_", "").Replace

// tryTools makes ordinary calls where there is no task that would bring one about: some servers show what they are up to only after a
// few. The resister does nothing unasked.
func (a *simAgent) tryTools(ctx context.Context) {
	if !a.obedient || strings.TrimSpace(a.opt.Prompt) != "" || a.opt.Shown != nil || len(a.steps) > len(a.servers) {
		return
	}
	for range mostTries {
		for _, t := range a.tools() {
			if a.relists == 0 && len(a.steps) < a.opt.Steps/2 {
				a.use(ctx, t, source{agent: a, content: a.passage}, firstTry)
			}
		}
	}
}

// lookUp reads the resources and prompts that are named or fit, and reports whether one of them is named.
func (a *simAgent) lookUp(ctx context.Context, why string, values []value, fits func(*thing) bool) (named bool) {
	looked := 0
	for _, l := range a.servers {
		for _, t := range l.things {
			exact := slices.ContainsFunc(values, func(v value) bool { return v.text == t.name })
			if t.isTool() || looked == mostLooked || !exact && !fits(t) {
				continue
			}
			looked++
			named = named || exact
			r := source{agent: a, near: a.opt.Prompt, content: a.passage}
			args, _ := r.fill(t) // of a prompt
			a.makeCall(ctx, t, args, why)
		}
	}
	return named
}

// passage is what an agent passes on of what it has read so far.
func (a *simAgent) passage() string {
	if a.obedient {
		return a.recallText(0)
	}
	texts := a.recall(0)
	if len(texts) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(texts[len(texts)-1]), "\n")
	return excerpt.Head(strings.ToValidUTF8(line, ""), mostPassed)
}

// answer is what the agent says to its user in the end: what it did, and of the victim also all that it has seen and was told to say.
func (a *simAgent) answer() string {
	var parts []string
	for _, s := range a.steps {
		if s.Why == theTask && s.Err == nil {
			parts = append(parts, "I used "+s.Name+".")
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "There was nothing that I could do for this.")
	}
	if a.obedient {
		parts = append(append(parts, a.told...), a.recallText(0))
	}
	return excerpt.Head(strings.ToValidUTF8(strings.TrimSpace(strings.Join(parts, "\n")), ""), mostMemory)
}
