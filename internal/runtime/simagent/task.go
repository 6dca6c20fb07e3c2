package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

const (
	// mostTries is how often a victim without a task calls a tool: what a server puts off for a while waits for two or three calls.
	mostTries = 3
	// firstTry is why the victim makes a call that nothing asked for.
	firstTry = "a first try"
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
	all := tokenize(a.opt.Prompt)
	for _, part := range splitTask(all) {
		if a.lookUp(ctx, part) {
			continue
		}
		t := bestMatch(a.tools(), part)
		if t == nil {
			continue
		}
		if better := a.toolOfKey(a.preferred[t.key()]); better != nil {
			t = better
		}
		r := argumentSource{agent: a, near: part, far: all, content: a.passage}
		for _, twin := range a.tools() { // the victim cannot tell one from the other
			if twin == t || a.obedient && twin.server != t.server && twin.name != t.name && lookalike(twin.name) == lookalike(t.name) {
				if args, ok := r.fillArguments(twin); ok {
					a.useTool(ctx, twin, args, "the task")
				}
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
			if args, ok := (&argumentSource{agent: a}).fillArguments(t); ok && a.relists == 0 && len(a.steps) < a.opt.Steps/2 {
				a.useTool(ctx, t, args, firstTry)
			}
		}
	}
}

// splitTask parts a prompt where one order ends and the next begins. A part that says nothing but a verb belongs to the next: "fetch and
// summarize this page".
func splitTask(all []token) (out [][]token) {
	var part []token
	for _, c := range parseClauses(all) {
		part = append(slices.Clip(part), c.tokens...)
		if len(stemSet(wordsOf(part))) > 1 || hasValue(part) {
			out, part = append(out, part), nil
		}
	}
	if len(out) == 0 && len(part) > 0 {
		out = append(out, part)
	}
	return out
}

// lookUp reads the resources and prompts that a part of the task is about, and reports whether it names one of them.
func (a *simAgent) lookUp(ctx context.Context, part []token) (named bool) {
	looked := 0
	for _, l := range a.servers {
		for _, t := range l.things {
			exact := slices.ContainsFunc(part, func(tok token) bool { return tok.text == t.name })
			if t.isTool() || looked == mostLooked || !exact && t.scoreFor(part) < twoWords {
				continue
			}
			looked++
			named = named || exact
			c := toolCall{server: l, method: t.method, name: t.name, why: "the task"}
			if t.method == mcp.PromptsGet {
				c.args, _ = (&argumentSource{agent: a, near: part, far: part}).fillArguments(t)
			}
			a.makeCall(ctx, c)
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
