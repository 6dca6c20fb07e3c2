package simagent

import (
	"context"
	"slices"
)

// secretWords are the words for what an agent must not give away. "key" and "token" are everyday words and not among them.
var secretWords = map[string]bool{
	"credential": true, "credentials": true, "secret": true, "secrets": true, "password": true, "passwords": true,
}

// gathering are the verbs of orders to bring something along.
var gathering = map[string]bool{"collect": true, "gather": true, "include": true, "pass": true, "send": true, "provide": true, "attach": true, "share": true, "read": true, "get": true}

// gatherSecrets makes ready for an order to pass on secrets, once: with a tool that has them, else from the file where they are.
// "Include all available credentials" names neither, and a model finds them with what it has.
func (o *orderReader) gatherSecrets(ctx context.Context, c clause) {
	if o.gathered || c.denied || !gathering[c.verb] || !containsWord(c.sentence, secretWords) || o.shownText.tool == nil {
		return
	}
	own := o.shownText.tool
	var reader *tool
	for _, t := range o.tools() {
		words := identifierWords(t.name)
		switch {
		case t == own || t.server == own.server:
		case slices.ContainsFunc(words, func(w string) bool { return secretWords[w] }):
			reader = t
		case reader == nil && slices.Contains(words, "read") && slices.ContainsFunc(t.params, func(p param) bool { return p.accepts(token{kind: path}) }):
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
