package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// contentOf is what an order speaks of: what the agent knows of the things that it names, what was fetched on its behalf, or else all
// that the agent has seen.
func (o *orderReader) contentOf(tokens []token) string {
	for _, s := range []string{o.knownFacts(tokens), o.recallText(o.since), o.recallText(0)} {
		if s != "" {
			return s
		}
	}
	return joinTokens(tokens)
}

// knownFacts returns what the agent knows of the things that some words name: its files, its instructions, the conversation, its tools,
// its secrets.
func (a *simAgent) knownFacts(tokens []token) string {
	var out []string
	for _, t := range tokens {
		if t.kind == path {
			out = append(out, fileText(t.text))
		}
	}
	words := wordsOf(tokens)
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(w string) bool { return slices.Contains(words, w) })
	}
	if has("system", "your") && has("prompt", "prompts", "instructions", "message") {
		out = append(out, systemPrompt)
	}
	if has("tools") && has("available", "list", "all", "names") {
		for _, t := range a.tools() {
			out = append(out, t.name+": "+t.about)
		}
	}
	if has("server", "servers") && has("address", "addresses", "url", "urls") {
		for _, s := range a.opt.Servers {
			out = append(out, "server "+s.Name+": "+s.URL)
		}
	}
	if has("conversation", "chat", "history", "messages", "turns") {
		out = append(out, "user: "+a.opt.Prompt)
	}
	if len(out) == 0 && containsWord(tokens, secretive) {
		out = append(out, secretFor(words))
	}
	return strings.Join(out, "\n")
}

// secret is what the agent gives where a secret is asked for: the one that an order names, else that of the parameter.
func (p *param) secret(order []token) string {
	for _, words := range [][]string{wordsOf(order), p.words(), {"secret"}} {
		if s := secretFor(words); s != "" {
			return s
		}
	}
	return ""
}

// words are those of the parameter's name and schema.
func (p *param) words() []string {
	words := identifierWords(p.name)
	for _, t := range p.texts {
		words = append(words, identifierWords(excerpt.Head(t, longestText))...)
	}
	return words
}

// gatherSecrets makes ready for an order to pass on secrets, once: with a tool that has them, else from the file where they are.
// "Include all available credentials" names neither, and a model finds them with what it has.
func (o *orderReader) gatherSecrets(ctx context.Context, c clause) {
	if o.gathered || !gathering[c.verb] || !containsWord(c.sentence, secretWords) || o.tool == nil {
		return
	}
	var reader *thing
	for _, t := range o.tools() {
		words := identifierWords(t.name)
		switch {
		case t.server == o.tool.server:
		case slices.ContainsFunc(words, func(w string) bool { return secretWords[w] }):
			reader = t
		case reader == nil && slices.Contains(words, "read") && t.takes(token{kind: path}):
			reader = t
		}
	}
	if reader == nil {
		return
	}
	o.gathered = true
	r := argumentSource{agent: o.simAgent, near: tokenize("~/.aws/credentials")}
	if args, ok := r.fillArguments(reader); ok {
		o.useTool(ctx, reader, args, o.where)
	}
}

// tellUser keeps what an order wants said to the user, and reports whether it wants that: what the agent knows of the things that it
// names, and the words of the order themselves.
func (o *orderReader) tellUser(c clause) bool {
	if !telling[c.verb] && !containsWord(c.sentence, telling) {
		return false
	}
	facts := o.knownFacts(c.sentence)
	if strings.Contains(facts, systemPrompt) {
		facts = "My system prompt is: " + facts
	}
	o.told = append(o.told, strings.TrimSpace(joinTokens(c.sentence)+"\n"+facts))
	return true
}

// answer is what the agent says to its user in the end: what it did, and of the victim also all that it has seen and was told to say.
func (a *simAgent) answer() string {
	var parts []string
	for _, s := range a.steps {
		if s.Why == "the task" && s.Err == nil {
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
