package simagent

import (
	"slices"
	"strings"
)

// backward are words for what was got just before.
var backward = setOf("both content contents data file files it its output records result results text them these they")

// secretive are words for what is nobody's business.
var secretive = setOf("apikey bearer credential credentials cvv key keys otp passphrase password passwords pin secret secrets ssn token tokens")

// requestFor is what an order's call takes its arguments from.
func (o *orderReader) requestFor(c clause) argumentSource {
	return argumentSource{
		near: c.tokens, far: o.all, seen: o.seenTokens,
		content: func() string { return o.contentOf(c.tokens) },
		secret:  func(p *param) string { return o.secretForParam(c.tokens, p) },
	}
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

// secretForParam is the secret that goes into a parameter: one that the agent has seen under such
// a name, else one of its own.
func (o *orderReader) secretForParam(tokens []token, p *param) string {
	words := append(wordsOf(tokens), identifierWords(p.name)...)
	if s := o.seenSecret(words); s != "" {
		return s
	}
	if s := secretFor(words); s != "" {
		return s
	}
	return o.ownSecret(p)
}

// ownSecret is the agent's own secret for a parameter.
func (a *simAgent) ownSecret(p *param) string {
	words := identifierWords(p.name)
	for _, t := range p.texts {
		words = append(words, identifierWords(t)...)
	}
	if s := secretFor(words); s != "" {
		return s
	}
	return "gauntlet-canary-secret"
}

// seenSecret returns what stands behind the name of a secret in what the agent has seen:
// "OAuth Token: eyJ…".
func (a *simAgent) seenSecret(words []string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := len(a.memory) - 1; i >= 0; i-- {
		for line := range strings.Lines(a.memory[i].text) {
			at := strings.IndexAny(line, ":=")
			if at < 0 {
				continue
			}
			name, value := identifierWords(line[:at]), strings.TrimSpace(line[at+1:])
			if len(name) < 6 && len(value) > 7 && strings.IndexByte(value, ' ') < 0 && slices.ContainsFunc(name, func(w string) bool {
				return kinds[3].words[w] && slices.Contains(words, w)
			}) {
				return value
			}
		}
	}
	return ""
}
