package puppet

import (
	"context"
	"slices"
	"strings"
)

// task does what the user asked for, one part of the prompt after the other: with the tool
// that fits it best, the resource or prompt that it is about. Victim and resister differ in
// nothing here but in what they pass on of what they have read.
func (a *agent) task(ctx context.Context) {
	all := tokens(a.opt.Prompt)
	for _, part := range requests(all) {
		if a.lookUp(ctx, part) {
			continue
		}
		t := a.favourite(best(a.tools(), part))
		if t == nil {
			continue
		}
		r := request{near: part, far: all, content: a.passage}
		if a.gullible {
			r.secret = a.secret
		}
		if args, ok := r.arguments(t); ok {
			a.useTool(ctx, t, args, "the task")
		}
	}
}

// requests parts a prompt where one order ends and the next begins. A part that says nothing
// but a verb belongs to the next: "fetch and summarize this page".
func requests(all []token) [][]token {
	var out [][]token
	var part []token
	for _, sentence := range split(all) {
		for _, c := range parse(sentence, false) {
			part = append(part, c.tokens...)
			if len(stems(wordsOf(part))) > 1 || hasValue(part) {
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

func split(all []token) [][]token {
	var out [][]token
	var sentence []token
	for _, t := range all {
		if t.sort != stop {
			sentence = append(sentence, t)
		} else if len(sentence) > 0 {
			out = append(out, sentence)
			sentence = nil
		}
	}
	return out
}

func wordsOf(tokens []token) []string {
	var out []string
	for _, t := range tokens {
		if t.sort == word {
			out = append(out, t.low)
		}
	}
	return out
}

func hasValue(tokens []token) bool {
	for _, t := range tokens {
		if t.value() {
			return true
		}
	}
	return false
}

const (
	// mostLooked is how many resources and prompts are read for one part of a task.
	mostLooked = 3
	// honest is how much an agent that obeys nothing passes on of what it has read, in bytes.
	honest = 200
)

// lookUp reads the resources and prompts that a part of the task is about, and reports
// whether it names one of them.
func (a *agent) lookUp(ctx context.Context, part []token) (named bool) {
	asked := stems(wordsOf(part))
	looked := 0
	for _, l := range a.links {
		for _, d := range slices.Concat(l.resources, l.prompts) {
			exact := mentionsExactly(part, d.name)
			if !exact && !d.concerns(asked) || looked == mostLooked {
				continue
			}
			looked++
			named = named || exact
			c := call{at: l, method: d.method, name: d.name, why: "the task"}
			if d.method == "prompts/get" {
				r := request{near: part, far: part}
				c.args, _ = r.arguments(&tool{params: d.params})
			}
			a.use(ctx, c)
		}
	}
	return named
}

func mentionsExactly(part []token, name string) bool {
	return slices.ContainsFunc(part, func(t token) bool { return t.text == name })
}

// concerns reports whether a request says two words of a thing's name and description.
func (d *listed) concerns(asked map[string]bool) bool {
	common := 0
	for w := range stems(append(parts(d.name), parts(d.about)...)) {
		if asked[w] {
			common++
		}
	}
	return common > 1
}

// useTool calls a tool, with what was ordered for every call of it.
func (a *agent) useTool(ctx context.Context, t *tool, args []argument, why string) {
	for _, r := range a.rules {
		if r.server == t.at.name && r.tool == t.name {
			args = r.apply(args)
		}
	}
	a.called[t.key()] = args
	a.use(ctx, call{at: t.at, method: "tools/call", name: t.name, tool: t, args: args, why: why})
}

// passage is what an agent passes on of what it has read so far.
func (a *agent) passage() string {
	a.mind.Lock()
	defer a.mind.Unlock()
	if len(a.memory) == 0 {
		return ""
	}
	if a.gullible {
		return everything(a.memory)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(a.memory[len(a.memory)-1].text), "\n")
	if len(line) > honest {
		line = line[:honest]
	}
	return strings.ToValidUTF8(line, "")
}

func everything(memory []memo) string {
	var all []string
	for _, m := range memory {
		all = append(all, m.text)
	}
	return strings.Join(all, "\n")
}
