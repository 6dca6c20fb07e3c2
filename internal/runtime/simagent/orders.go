package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
)

// A shownText is a text that the victim is shown, and where.
type shownText struct {
	text  string
	where string    // for the record
	from  *toolCall // whose result it is, nil for others
	tool  *tool     // whose definition it is in, nil for others
	param *param    // whose schema it is in, nil for others
}

// A paramRule is an order to give a parameter a value whenever a tool is called.
type paramRule struct {
	tool, param string // the tool by its key
	raw         string // the value as JSON
	standing    bool   // said of the calls that are made, and not of one to be made
	used        bool
	where       string
	from        argumentSource // that calls the tool if nothing else does
}

const (
	// mostDepth is how deep results are obeyed that come from obeying results.
	mostDepth = 16
	// mostRules is how many rules are kept.
	mostRules = 100
)

func (r *paramRule) applyTo(args []argument) []argument {
	r.used = true
	for i := range args {
		if args[i].name == r.param {
			args = slices.Clone(args)
			args[i].raw = r.raw
			return args
		}
	}
	return append(slices.Clip(args), argument{r.param, r.raw})
}

// studyServers reads what servers say about themselves.
func (a *simAgent) studyServers(ctx context.Context) {
	if !a.obedient {
		return
	}
	for _, l := range a.servers {
		a.studyServer(ctx, l)
	}
}

func (a *simAgent) studyServer(ctx context.Context, l *serverSession) {
	for _, text := range l.says {
		a.obeyText(ctx, shownText{text: text, where: "the instructions of " + l.name})
	}
	for _, t := range l.tools {
		a.obeyText(ctx, shownText{text: t.about, tool: t, where: "the description of " + t.name})
		for _, text := range t.says {
			a.obeyText(ctx, shownText{text: text, tool: t, where: "the definition of " + t.name})
		}
		for i := range t.params {
			p := &t.params[i]
			for _, text := range p.texts {
				a.obeyText(ctx, shownText{text: text, tool: t, param: p, where: "the schema of " + t.name})
			}
		}
	}
	for _, d := range slices.Concat(l.resources, l.prompts) {
		for _, text := range append([]string{d.about}, d.says...) {
			a.obeyText(ctx, shownText{text: text, where: "the description of " + d.name})
		}
	}
}

// obeyText carries out the orders of a text, in the order in which they stand. An order that was
// obeyed once in one place is not obeyed again, so that a retry which fails alike ends, and
// so does a server that repeats what it was told.
func (a *simAgent) obeyText(ctx context.Context, r shownText) {
	if strings.TrimSpace(r.text) == "" || a.depth == mostDepth {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	for _, view := range readableViews(r.text) {
		o := &orderReader{simAgent: a, shownText: r, all: tokenize(view)}
		a.mu.Lock()
		o.since = a.memos
		a.mu.Unlock()
		for _, c := range parseClauses(o.all) {
			key := r.orderKey(c)
			if a.obeyed[key] {
				continue
			}
			a.obeyed[key] = true // before, since results may repeat the order
			done := len(a.steps) + len(a.rules) + len(a.delayed)
			if o.followClause(ctx, c); len(a.steps)+len(a.rules)+len(a.delayed) == done {
				delete(a.obeyed, key) // it meant nothing here, and may elsewhere
			}
		}
	}
}

// orderKey tells the orders of all texts apart. Those in a schema mean the parameter that they
// stand at.
func (r *shownText) orderKey(c clause) string {
	if r.param != nil {
		return strings.Join([]string{r.tool.server.name, r.tool.name, r.param.name, joinTokens(c.tokens)}, "\x00")
	}
	return joinTokens(c.tokens)
}

// An orderReader is the reading of one text, order by order.
type orderReader struct {
	*simAgent
	shownText
	all   []token
	since int   // memories before it are from before this text
	last  *tool // that the latest order was carried out with, nil for none
	verb  string
}

// followClause carries out one order.
func (o *orderReader) followClause(ctx context.Context, c clause) {
	if c.denied || o.cut != "" || o.recordPreference(c) {
		return
	}
	o.gatherSecrets(ctx, c)
	if c.verb == "" && !(c.item && o.verb != "" && hasValue(c.tokens)) {
		if !o.assignParams(c) { // "bcc: x@example.org" needs no verb
			o.tellUser(c)
		}
		return
	}
	if !o.done && containsWord(c.sentence[:min(len(c.sentence), 2)], later) && o.from == nil {
		o.delayed = append(o.delayed, func(ctx context.Context) { o.carryOutClause(ctx, c) })
		return
	}
	o.carryOutClause(ctx, c)
}

func (o *orderReader) carryOutClause(ctx context.Context, c clause) {
	if o.assignParams(c) && c.act == set || c.act == set && o.tellUser(c) {
		return
	}
	switch {
	case c.act == again && o.toolOf(c) == nil:
		switch {
		case o.from != nil && o.from.tool != nil:
			o.useTool(ctx, o.from.tool, o.from.args, o.where)
		case o.shownText.tool != nil:
			o.repeatCall(ctx, o.shownText.tool)
		}
	case c.act != set || o.firstNamedTool(c.own) != nil && !containsWord(c.sentence, standings):
		o.callNamedTool(ctx, c)
	}
}

// repeatCall makes the latest call of a tool again, with what its definition requires by now.
func (o *orderReader) repeatCall(ctx context.Context, t *tool) {
	args, ok := o.called[t.toolKey()]
	if !ok {
		return
	}
	r := argumentSource{agent: o.simAgent, near: tokenize(o.opt.Prompt), content: o.passage}
	for i := range t.params {
		p := &t.params[i]
		if !p.required || slices.ContainsFunc(args, func(a argument) bool { return a.name == p.name }) {
			continue
		}
		raw := r.impliedValue(p)
		if raw == "" {
			return
		}
		args = append(slices.Clip(args), argument{p.name, raw})
	}
	o.useTool(ctx, t, args, o.where)
}

// callNamedTool calls the tool that an order names, or the one that fits what it is about.
func (o *orderReader) callNamedTool(ctx context.Context, c clause) {
	if o.readURI(ctx, c.tokens) {
		return
	}
	t := o.toolOf(c)
	own := o.shownText.tool
	if c.verb != "" && c.verb != o.verb {
		o.last, o.verb = nil, c.verb // also for the entries of a list below: "read each file:"
	}
	switch {
	case t == nil && !hasValue(c.tokens):
		o.tellUser(c) // "read the documentation": nothing else that could be done
		return
	case t == nil:
		t = o.bestTool(c)
	case t == own && !hasValue(c.tokens) && !mentionsOne(c, t):
		return // a description that says when to use its tool
	}
	if t == nil {
		o.readFiles(c.tokens)
		o.tellUser(c)
		return
	}
	r := o.requestFor(c)
	r.given = o.assignedValues(c, t)
	args, ok := r.fillArguments(t)
	if !ok {
		return
	}
	o.last = t
	o.useTool(ctx, t, args, o.where)
}

// toolOf returns the tool that an order names: behind its verb, or else before it, as in "with
// x, send it to y".
func (o *orderReader) toolOf(c clause) *tool {
	if t := o.firstNamedTool(c.own); t != nil {
		return t
	}
	return o.firstNamedTool(c.tokens)
}

// firstNamedTool returns the tool that the tokens mention first, nil for none.
func (o *orderReader) firstNamedTool(tokens []token) *tool {
	if all := o.namedTools(tokens); len(all) > 0 {
		return all[0]
	}
	return nil
}

// namedTools returns the tools that the tokens name, in order.
func (o *orderReader) namedTools(tokens []token) []*tool {
	var out []*tool
	for i, tok := range tokens {
		if tok.kind != word && tok.kind != quoted && tok.kind != path {
			continue
		}
		for _, t := range o.tools() {
			if tok.namesTool(t.name) && (tok.kind == quoted || !isEverydayWord(t.name) || isPointedAt(tokens, i)) {
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// namesTool reports whether a token is a tool's name, or that behind the name of its server.
func (t token) namesTool(name string) bool {
	rest, ok := strings.CutSuffix(t.low, strings.ToLower(name))
	return ok && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "__"))
}

// isEverydayWord reports whether a name could be any word, such as "add".
func isEverydayWord(name string) bool {
	return !strings.ContainsAny(name, "_-.0123456789") && name == strings.ToLower(name)
}

// isPointedAt reports whether the word at i is said to be a tool: "the add tool", "call add".
func isPointedAt(tokens []token, i int) bool {
	if i+1 < len(tokens) && (tokens[i+1].low == "tool" || tokens[i+1].low == "function") {
		return true
	}
	return i > 0 && pointing[tokens[i-1].low]
}

// bestTool returns the tool for an order that names none: that of the order before for an
// entry of its list or the same verb, else the one whose words it uses and whose parameters
// take its values.
func (o *orderReader) bestTool(c clause) *tool {
	unable := func(t *tool) bool { return !slices.ContainsFunc(c.tokens, t.takes) }
	if o.last != nil && !unable(o.last) {
		return o.last
	}
	return bestMatch(slices.DeleteFunc(o.tools(), unable), append(slices.Clip(c.tokens), token{kind: word, low: o.verb}))
}

// readFiles is what the victim does without a tool: the files of an order are its own.
func (o *orderReader) readFiles(tokens []token) {
	for _, t := range tokens {
		if t.kind == path {
			o.files[t.text] = fileText(t.text)
			o.remember(t.text, o.files[t.text])
		}
	}
}

// readURI reads the resource that an order names by its URI, and reports whether it names one.
func (o *orderReader) readURI(ctx context.Context, tokens []token) bool {
	for _, t := range tokens {
		if t.kind != address && t.kind != quoted {
			continue
		}
		for _, l := range o.servers {
			if slices.ContainsFunc(l.resources, func(d listedItem) bool { return d.name == t.text }) {
				o.makeCall(ctx, toolCall{server: l, method: mcp.ResourcesRead, name: t.text, why: o.where})
				return true
			}
		}
	}
	return false
}
