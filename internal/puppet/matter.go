package puppet

import (
	"slices"
	"strings"
)

// backward are words for what was got just before.
var backward = setOf("both content contents data file files it its output records result results text them these they")

// secretive are words for what is nobody's business.
var secretive = setOf("apikey bearer credential credentials cvv key keys otp passphrase password passwords pin secret secrets ssn token tokens")

// request is what an order's call takes its arguments from.
func (o *obedience) request(c clause) request {
	return request{
		near: c.tokens, far: o.all, seen: o.seen,
		content: func() string { return o.matter(c.tokens) },
		secret:  func(p *param) string { return o.betrayed(c.tokens, p) },
	}
}

// matter is what an order speaks of: files by their paths, what was fetched on its behalf,
// what the agent was told, or else all that it has seen.
func (o *obedience) matter(tokens []token) string {
	fetched := o.recall(o.since)
	if fetched != "" && says(tokens, backward) {
		return fetched
	}
	if s := o.known(tokens); s != "" {
		return s
	}
	if fetched != "" {
		return fetched
	}
	if all := o.recall(0); all != "" {
		return all
	}
	return plain(tokens)
}

// seen returns what the agent has read, the latest first: where one text says what to do and
// another with whom, they are obeyed together.
func (a *agent) seen() []token {
	a.mind.Lock()
	defer a.mind.Unlock()
	var out []token
	for i := len(a.memory) - 1; i >= 0; i-- {
		out = append(out, tokens(a.memory[i].text)...)
	}
	return out
}

// recall returns what the agent has seen from the n-th memory on.
func (a *agent) recall(n int) string {
	a.mind.Lock()
	defer a.mind.Unlock()
	i := slices.IndexFunc(a.memory, func(m memo) bool { return m.n >= n })
	if i < 0 {
		return ""
	}
	return everything(a.memory[i:])
}

// known returns what the agent knows of the things that some words name: its files, its
// instructions, its tools, the conversation, its secrets.
func (a *agent) known(tokens []token) string {
	var out []string
	for _, t := range tokens {
		if t.sort != path {
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

// betrayed is the secret that goes into a parameter: one that the agent has seen under such
// a name, else one of its own.
func (o *obedience) betrayed(tokens []token, p *param) string {
	words := append(wordsOf(tokens), parts(p.name)...)
	if s := o.seenSecret(words); s != "" {
		return s
	}
	if s := secretFor(words); s != "" {
		return s
	}
	return o.secret(p)
}

// secret is the agent's own secret for a parameter.
func (a *agent) secret(p *param) string {
	words := parts(p.name)
	for _, t := range p.texts {
		words = append(words, parts(t)...)
	}
	if s := secretFor(words); s != "" {
		return s
	}
	return "gauntlet-canary-secret"
}

// seenSecret returns what stands behind the name of a secret in what the agent has seen:
// "OAuth Token: eyJ…".
func (a *agent) seenSecret(words []string) string {
	a.mind.Lock()
	defer a.mind.Unlock()
	for i := len(a.memory) - 1; i >= 0; i-- {
		for line := range strings.Lines(a.memory[i].text) {
			at := strings.IndexAny(line, ":=")
			if at < 0 {
				continue
			}
			name, value := parts(line[:at]), strings.TrimSpace(line[at+1:])
			if len(name) < 6 && len(value) > 7 && strings.IndexByte(value, ' ') < 0 && slices.ContainsFunc(name, func(w string) bool {
				return kinds[3].words[w] && slices.Contains(words, w)
			}) {
				return value
			}
		}
	}
	return ""
}
