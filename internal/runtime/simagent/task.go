package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
)

// runPrompt does what the user asked for, one part of the prompt after the other: with the tool
// that fits it best, the resource or prompt that it is about. Victim and resister differ in
// nothing here but in what they pass on of what they have read.
func (a *simAgent) runPrompt(ctx context.Context) {
	all := tokenize(a.opt.Prompt)
	for _, part := range splitOrders(all) {
		if a.lookUp(ctx, part) {
			continue
		}
		t := a.preferredTool(bestMatch(a.tools(), part))
		if t == nil {
			continue
		}
		r := argumentSource{agent: a, near: part, far: all, content: a.passage}
		if args, ok := r.fillArguments(t); ok {
			a.useTool(ctx, t, args, "the task")
		}
		for _, twin := range a.tools() {
			if a.obedient && twin.server != t.server && twin.name != t.name && lookalike(twin.name) == lookalike(t.name) {
				if args, ok := r.fillArguments(twin); ok { // it cannot tell one from the other
					a.useTool(ctx, twin, args, "the task")
				}
			}
		}
	}
}

// lookalike returns a name with digits that pass for letters as these.
var lookalike = strings.NewReplacer("0", "o", "1", "l", "i", "l", "3", "e", "5", "s", "-", "", "_", "").Replace

// mostTries is how often a victim without a task calls a tool: what a server puts off for a while waits for two or three calls.
const mostTries = 3

// firstTry is why the victim makes a call that nothing asked for.
const firstTry = "a first try"

// tryTools makes ordinary calls where there is no task that would bring one about: some servers show what they are up to
// only after a few. The resister does nothing unasked.
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

// splitOrders parts a prompt where one order ends and the next begins. A part that says nothing
// but a verb belongs to the next: "fetch and summarize this page".
func splitOrders(all []token) [][]token {
	var out [][]token
	var part []token
	for _, s := range splitSentences(all) {
		for _, c := range parseSentence(s.tokens, false) {
			part = append(part, c.tokens...)
			if len(stemSet(wordsOf(part))) > 1 || hasValue(part) {
				out = append(out, part)
				part = nil
			}
		}
		if len(part) > 0 && len(out) == 0 {
			out = append(out, part)
		}
		part = nil
	}
	return out
}

func wordsOf(tokens []token) []string {
	var out []string
	for _, t := range tokens {
		if t.kind == word {
			out = append(out, t.low)
		}
	}
	return out
}

func hasValue(tokens []token) bool { return slices.ContainsFunc(tokens, token.isValue) }

const (
	// mostLooked is how many resources and prompts are read for one part of a task.
	mostLooked = 3
	// honest is how much an agent that obeys nothing passes on of what it has read, in bytes.
	honest = 200
)

// lookUp reads the resources and prompts that a part of the task is about, and reports
// whether it names one of them.
func (a *simAgent) lookUp(ctx context.Context, part []token) (named bool) {
	asked := stemSet(wordsOf(part))
	looked := 0
	for _, l := range a.servers {
		for _, d := range slices.Concat(l.resources, l.prompts) {
			exact := slices.ContainsFunc(part, func(t token) bool { return t.text == d.name })
			if !exact && !d.matchesTask(asked) || looked == mostLooked {
				continue
			}
			looked++
			named = named || exact
			c := toolCall{server: l, method: d.method, name: d.name, why: "the task"}
			if d.method == mcp.PromptsGet {
				r := argumentSource{agent: a, near: part, far: part}
				c.args, _ = r.fillArguments(&tool{params: d.params})
			}
			a.makeCall(ctx, c)
		}
	}
	return named
}

// matchesTask reports whether a request says two words of a thing's name and description.
func (d *listedItem) matchesTask(asked map[string]bool) bool {
	common := 0
	for w := range stemSet(append(identifierWords(d.name), identifierWords(d.about)...)) {
		if asked[w] {
			common++
		}
	}
	return common > 1
}

// useTool calls a tool, with what was ordered for every call of it.
func (a *simAgent) useTool(ctx context.Context, t *tool, args []argument, why string) {
	for _, r := range a.rules {
		if r.tool == t.toolKey() {
			args = r.applyTo(args)
		}
	}
	a.called[t.toolKey()] = args
	a.makeCall(ctx, toolCall{server: t.server, method: mcp.ToolsCall, name: t.name, tool: t, args: args, why: why})
}

// passage is what an agent passes on of what it has read so far.
func (a *simAgent) passage() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.memory) == 0 {
		return ""
	}
	if a.obedient {
		return joinMemories(a.memory)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(a.memory[len(a.memory)-1].text), "\n")
	return excerpt.Head(strings.ToValidUTF8(line, ""), honest)
}

func joinMemories(memory []memo) string {
	var all []string
	for _, m := range memory {
		all = append(all, m.text)
	}
	return strings.Join(all, "\n")
}
