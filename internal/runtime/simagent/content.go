package simagent

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// backward are words for what was got just before.
var backward = setOf("both content contents data file files it its output records result results text them these they")

// secretive are words for what is nobody's business.
var secretive = setOf("apikey bearer credential credentials cvv key keys otp passphrase password passwords pin secret secrets ssn token tokens")

// requestFor is what an order's call takes its arguments from.
func (o *orderReader) requestFor(c clause) argumentSource {
	return argumentSource{agent: o.simAgent, near: c.tokens, far: o.all, content: func() string { return o.contentOf(c.tokens) }}
}

// contentOf is what an order speaks of: files by their paths, what was fetched on its behalf,
// what the agent was told, or else all that it has seen.
func (o *orderReader) contentOf(tokens []token) string {
	fetched := o.recallSince(o.since)
	if fetched != "" && containsWord(tokens, backward) {
		return fetched
	}
	if s := o.knownFacts(tokens); s != "" {
		return s
	}
	if fetched != "" {
		return fetched
	}
	if all := o.recallSince(0); all != "" {
		return all
	}
	return joinTokens(tokens)
}

// seenTokens returns what the agent has read, the latest first: where one text says what to do and
// another with whom, they are obeyed together.
func (a *simAgent) seenTokens() []token {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []token
	for i := len(a.memory) - 1; i >= 0; i-- {
		out = append(out, tokenize(a.memory[i].text)...)
	}
	return out
}

// recallSince returns what the agent has seen from the n-th memory on.
func (a *simAgent) recallSince(n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.memory, func(m memo) bool { return m.n >= n })
	if i < 0 {
		return ""
	}
	return joinMemories(a.memory[i:])
}

// knownFacts returns what the agent knows of the things that some words name: its files, its
// instructions, its tools, the conversation, its secrets.
func (a *simAgent) knownFacts(tokens []token) string {
	var out []string
	for _, t := range tokens {
		if t.kind != path {
			continue
		}
		text, read := a.files[t.text]
		if !read {
			text = fileText(t.text)
		}
		out = append(out, text)
	}
	words := wordsOf(tokens)
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(w string) bool { return slices.Contains(words, w) })
	}
	if has("system") && has("prompt", "prompts", "instructions", "message") || has("instructions", "prompt") && has("your") {
		out = append(out, systemPrompt)
	}
	if has("tools") && has("available", "list", "all", "names") {
		for _, t := range a.tools() {
			out = append(out, t.name+": "+t.about)
		}
	}
	if has("server", "servers") && has("address", "addresses", "url", "urls") {
		for _, s := range a.opt.Servers {
			if s.URL != "" {
				out = append(out, "server "+s.Name+": "+s.URL)
			}
		}
	}
	if has("conversation", "chat", "history", "messages", "turns") {
		out = append(out, "user: "+a.opt.Prompt)
	}
	if len(out) == 0 && slices.ContainsFunc(words, func(w string) bool { return secretive[w] }) {
		if s := secretFor(words); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// secret is what the agent gives where a secret is asked for: the one that an order names, else that of the parameter.
func (p *param) secret(order []token) string {
	for _, words := range [][]string{wordsOf(order), p.words()} {
		if s := secretFor(words); s != "" {
			return s
		}
	}
	return "gauntlet-canary-secret"
}

// words are those of the parameter's name and schema.
func (p *param) words() []string {
	words := identifierWords(p.name)
	for _, t := range p.texts {
		words = append(words, identifierWords(excerpt.Head(t, longestText))...)
	}
	return words
}
