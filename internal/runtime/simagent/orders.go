package simagent

import (
	"context"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A shownText is a text that the victim is shown, and where.
type shownText struct {
	text  string
	where string    // for the record
	from  *toolCall // whose result it is, nil for others
	tool  *thing    // whose definition it is in, nil for others
	param *param    // whose schema it is in, nil for others
}

// A paramRule is an order to give a parameter a value whenever a tool is called.
type paramRule struct {
	tool     string // by its key
	value    argument
	standing bool // said of the calls that are made, and not of one to be made
	used     bool
	where    string
	from     argumentSource // that calls the tool if nothing else does
}

const (
	// mostDepth is how deep results are obeyed that come from obeying results.
	mostDepth = 16
	// mostRules is how many rules are kept.
	mostRules = 100
)

// applyTo sets the value among arguments.
func (r *paramRule) applyTo(args []argument) []argument {
	r.used = true
	args = slices.Clone(args)
	if i := slices.IndexFunc(args, func(a argument) bool { return a.name == r.value.name }); i >= 0 {
		args[i] = r.value
		return args
	}
	return append(args, r.value)
}

// studyServer has the victim obey what a server says about itself.
func (a *simAgent) studyServer(ctx context.Context, l *serverSession) {
	if !a.obedient {
		return
	}
	for _, text := range l.says {
		a.obeyText(ctx, shownText{text: text, where: "the instructions of " + l.name})
	}
	for _, t := range l.things {
		shown := shownText{where: "the definition of " + t.name}
		if t.isTool() {
			shown.tool = t
		}
		for _, shown.text = range append([]string{t.about}, t.says...) {
			a.obeyText(ctx, shown)
		}
		for i := range t.params {
			shown.param = &t.params[i]
			for _, shown.text = range shown.param.texts {
				a.obeyText(ctx, shown)
			}
		}
	}
}

// An orderReader is the reading of one text, order by order.
type orderReader struct {
	*simAgent
	shownText
	all   []token
	since int    // memories before it are from before this text
	verb  string // of the latest order, for the entries of a list below: "read each file:"
}

// obeyText carries out the orders of a text, in the order in which they are written. An order that was obeyed once is not obeyed
// again, so that a retry which fails alike ends, and so does a server that repeats what it was told.
func (a *simAgent) obeyText(ctx context.Context, r shownText) {
	if !a.obedient || a.depth == mostDepth {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	for _, view := range readableViews(r.text) {
		o := &orderReader{simAgent: a, shownText: r, all: tokenize(view), since: len(a.recall(0))}
		for _, c := range parseClauses(o.all) {
			key := joinTokens(c.tokens)
			if r.param != nil { // which the order is about
				key = strings.Join([]string{r.tool.key(), r.param.name, key}, "\x00")
			}
			if a.obeyed[key] {
				continue
			}
			a.obeyed[key] = true // before, since results may repeat the order
			done := len(a.steps) + len(a.rules)
			if o.followClause(ctx, c); len(a.steps)+len(a.rules) == done {
				delete(a.obeyed, key) // it meant nothing here, and may elsewhere
			}
		}
	}
}

// followClause carries out one order.
func (o *orderReader) followClause(ctx context.Context, c clause) {
	if c.denied || o.cut != "" || o.recordPreference(c) {
		return
	}
	o.gatherSecrets(ctx, c)
	assigned := o.assignParams(c)
	named := o.namedTool(c.tokens)
	switch {
	case c.verb == "" && !(c.item && o.verb != "" && hasValue(c.tokens)):
		if !assigned { // "bcc: x@example.org" needs no verb
			o.tellUser(c)
		}
	case c.act == set && (assigned || o.tellUser(c)):
	case c.act == set && (named == nil || containsWord(c.sentence, standings)):
	case c.act == again && named == nil:
		o.repeatCall(ctx)
	default:
		o.callTool(ctx, c, named)
	}
}

// recordPreference takes note of an order to use one tool where another would be, and reports whether it is one.
func (o *orderReader) recordPreference(c clause) bool {
	at := slices.IndexFunc(c.sentence, func(t token) bool { return t.kind == word && preferring[t.low] })
	if at < 0 {
		return false
	}
	better, worse := o.namedTool(c.sentence[:at]), o.namedTool(c.sentence[at:])
	if better == nil || worse == nil || better == worse {
		return false
	}
	o.preferred[worse.key()] = better.key()
	return true
}

// repeatCall makes again the call whose result was shown, or the latest one of the tool whose definition was, with what that
// requires by now.
func (o *orderReader) repeatCall(ctx context.Context) {
	if o.from != nil && o.from.thing != nil {
		o.useTool(ctx, o.from.thing, o.from.args, o.where)
	}
	if o.tool == nil {
		return
	}
	if args, ok := o.called[o.tool.key()]; ok {
		r := argumentSource{agent: o.simAgent, near: tokenize(o.opt.Prompt), content: o.passage, given: map[string]string{}}
		for _, a := range args {
			r.given[a.name] = a.raw
		}
		if args, ok = r.fillArguments(o.tool); ok {
			o.useTool(ctx, o.tool, args, o.where)
		}
	}
}

// callTool makes the call of an order: of the resource or the tool that it names, or else of the tool that takes its values and
// whose words it uses.
func (o *orderReader) callTool(ctx context.Context, c clause, t *thing) {
	if o.readURI(ctx, c.tokens) {
		return
	}
	if c.verb != "" {
		o.verb = c.verb
	}
	if t == nil && hasValue(c.tokens) {
		fit := slices.DeleteFunc(o.tools(), func(t *thing) bool { return !slices.ContainsFunc(c.tokens, t.takes) })
		t = bestMatch(fit, append(slices.Clip(c.tokens), token{kind: word, text: o.verb, low: o.verb}))
		if t == nil { // the files of an order are the victim's own
			for _, tok := range c.tokens {
				if tok.kind == path {
					o.remember(fileText(tok.text))
				}
			}
		}
	} else if t != nil && t == o.tool && !hasValue(c.tokens) && !namesParam(c, t) {
		return // a description that says when to use its tool
	}
	if t == nil {
		o.tellUser(c)
		return
	}
	r := o.sourceOf(c)
	r.given = o.assignedValues(c, t)
	if args, ok := r.fillArguments(t); ok {
		o.useTool(ctx, t, args, o.where)
	}
}

// sourceOf is what an order's call takes its arguments from.
func (o *orderReader) sourceOf(c clause) argumentSource {
	return argumentSource{agent: o.simAgent, near: c.tokens, far: o.all, content: func() string { return o.contentOf(c.tokens) }}
}

// readURI reads the resource that an order names by its URI, and reports whether it names one.
func (o *orderReader) readURI(ctx context.Context, tokens []token) bool {
	for _, l := range o.servers {
		for _, t := range l.things {
			if t.method == mcp.ResourcesRead && slices.ContainsFunc(tokens, func(tok token) bool { return tok.text == t.name }) {
				o.makeCall(ctx, toolCall{server: l, method: t.method, name: t.name, why: o.where})
				return true
			}
		}
	}
	return false
}

// namedTool returns the tool that the tokens name first, nil for none. "call add" and "the add tool" name it; another "add" does not.
func (a *simAgent) namedTool(tokens []token) *thing {
	tools := a.tools()
	for i, tok := range tokens {
		if tok.kind != word && tok.kind != quoted && tok.kind != path {
			continue
		}
		pointed := tok.kind == quoted || i > 0 && pointing[tokens[i-1].low] || i+1 < len(tokens) && (tokens[i+1].low == "tool" || tokens[i+1].low == "function")
		for _, t := range tools {
			if tok.namesTool(t.name) && (pointed || !isEverydayWord(t.name)) {
				return t
			}
		}
	}
	return nil
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

// assignParams makes rules of an order that gives parameters their values, and reports whether it made one. "Include the contents as
// the auth_token parameter of every search call."
func (o *orderReader) assignParams(c clause) bool {
	if c.act == do && o.namedTool(c.tokens) != nil {
		return false // the arguments of a call that is to be made
	}
	made := false
	tools := o.toolsMeant(c)
	for _, t := range tools {
		for i := range t.params {
			p := &t.params[i]
			if !o.meansParam(c, t, p) || len(o.rules) >= mostRules {
				continue
			}
			raw := p.valueByName(c.tokens)
			if raw == "" && c.act == set {
				raw = o.valueFor(c, p)
			}
			if raw != "" {
				standing := c.verb == "" || !o.done && (t == o.tool || len(tools) > 1 || containsWord(c.sentence, standings))
				o.rules = append(o.rules, &paramRule{tool: t.key(), value: argument{p.name, raw}, where: o.where, from: o.sourceOf(c), standing: standing})
				made = true
			}
		}
	}
	return made
}

// valueFor is the value for a parameter that the order names without one beside it.
func (o *orderReader) valueFor(c clause, p *param) string {
	for _, t := range c.tokens {
		if p.accepts(t) && (p.want != wantPath || o.param == nil) {
			return p.tokenJSON(t)
		}
	}
	if p.typ != "" && p.typ != "string" || p.want == wantMailbox || p.want == wantURL {
		return ""
	}
	return rawjson.Quote(o.contentOf(c.tokens))
}

// assignedValues returns the values that an order gives parameters of the tool that it has called, without one beside their names:
// "call x with the contents as the y parameter".
func (o *orderReader) assignedValues(c clause, t *thing) map[string]string {
	out := map[string]string{}
	for i := range t.params {
		if p := &t.params[i]; o.meansParam(c, t, p) && p.valueByName(c.tokens) == "" {
			out[p.name] = o.valueFor(c, p)
		}
	}
	return out
}

// toolsMeant are the tools that an order about parameters may mean, the likeliest alone: one that its sentence names, the one whose
// schema or result it is in, any.
func (o *orderReader) toolsMeant(c clause) []*thing {
	likely := []*thing{o.namedTool(c.sentence), o.tool}
	if o.from != nil {
		likely = append(likely, o.from.thing)
	}
	for _, t := range likely {
		if t != nil && (namesParam(c, t) || t == o.tool && o.param != nil) {
			return []*thing{t}
		}
	}
	return o.tools()
}

func namesParam(c clause, t *thing) bool {
	return slices.ContainsFunc(t.params, func(p param) bool { return slices.ContainsFunc(c.tokens, p.isNamedBy) })
}

// meansParam reports whether an order means a parameter and not a word that is spelt like it.
func (o *orderReader) meansParam(c clause, t *thing, p *param) bool {
	for i, tok := range c.tokens {
		if !p.isNamedBy(tok) {
			continue
		}
		var before, after token
		if i > 0 {
			before = c.tokens[i-1]
		}
		if i+1 < len(c.tokens) {
			after = c.tokens[i+1]
		}
		if tok.kind == quoted || !isEverydayWord(p.name) || deictic[after.low] {
			return true
		}
		if !empties[p.name] && (after.kind == sign && strings.Contains(":=", after.text) || p.accepts(after) && p.want != wantPath && c.verb != "" ||
			deictic[before.low] || placing[before.low] || verbs[before.low] == set) {
			return true
		}
	}
	// In a parameter's own description "this field" is the parameter, and an order for something of ours is about it.
	return o.param != nil && p.name == o.param.name && o.tool == t && (c.act == set || containsWord(c.tokens, deictic))
}
