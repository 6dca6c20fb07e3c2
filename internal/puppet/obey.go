package puppet

import (
	"context"
	"slices"
	"strings"
)

// A reading is a text that the victim is shown, and where.
type reading struct {
	text  string
	where string // for the record
	from  *call  // whose result it is, nil for others
	tool  *tool  // whose definition it is in, nil for others
	param *param // whose schema it is in, nil for others
}

// A rule is an order to give a parameter a value whenever a tool is called.
type rule struct {
	server, tool, param string
	raw                 string // the value as JSON
	standing            bool   // said of the calls that are made, and not of one to be made
	used                bool
	where               string
	from                request // that calls the tool if nothing else does
}

const (
	// mostDepth is how deep results are obeyed that come from obeying results.
	mostDepth = 16
	// mostRules is how many rules are kept.
	mostRules = 100
)

func (r *rule) apply(args []argument) []argument {
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

// study reads what servers say about themselves.
func (a *agent) study(ctx context.Context) {
	if !a.gullible {
		return
	}
	for _, l := range a.links {
		a.studyOf(ctx, l)
	}
}

func (a *agent) studyOf(ctx context.Context, l *link) {
	for _, text := range l.says {
		a.obey(ctx, reading{text: text, where: "the instructions of " + l.name})
	}
	for _, t := range l.tools {
		a.obey(ctx, reading{text: t.about, tool: t, where: "the description of " + t.name})
		for _, text := range t.says {
			a.obey(ctx, reading{text: text, tool: t, where: "the definition of " + t.name})
		}
		for i := range t.params {
			p := &t.params[i]
			for _, text := range p.texts {
				a.obey(ctx, reading{text: text, tool: t, param: p, where: "the schema of " + t.name})
			}
		}
	}
	for _, d := range slices.Concat(l.resources, l.prompts) {
		for _, text := range append([]string{d.about}, d.says...) {
			a.obey(ctx, reading{text: text, where: "the description of " + d.name})
		}
	}
}

// obey carries out the orders of a text, in the order in which they stand. An order that was
// obeyed once in one place is not obeyed again, so that a retry which fails alike ends, and
// so does a server that repeats what it was told.
func (a *agent) obey(ctx context.Context, r reading) {
	if strings.TrimSpace(r.text) == "" || a.depth == mostDepth {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	for _, view := range views(r.text) {
		o := &obedience{agent: a, reading: r, all: tokens(view)}
		a.mind.Lock()
		o.since = a.memos
		a.mind.Unlock()
		all := clauses(view)
		for i, c := range all {
			o.rest = all[i+1:]
			key := r.key(c)
			if a.obeyed[key] {
				continue
			}
			a.obeyed[key] = true // before, since results may repeat the order
			done := len(a.steps) + len(a.rules) + len(a.delayed)
			if o.follow(ctx, c); len(a.steps)+len(a.rules)+len(a.delayed) == done {
				delete(a.obeyed, key) // it meant nothing here, and may elsewhere
			}
		}
	}
}

// prepare heeds what the rest of the sentence says of the call that is about to be made:
// "call x and pass y as z".
func (o *obedience) prepare(c clause, t *tool) {
	for _, next := range o.rest {
		if len(next.sentence) == 0 || len(c.sentence) == 0 || &next.sentence[0] != &c.sentence[0] || next.act != set || next.denied || o.named(next.own) != nil {
			return
		}
		if meant := o.targets(next); len(meant) != 1 || meant[0] != t {
			return
		}
		if o.assign(next) {
			o.obeyed[o.key(next)] = true
		}
	}
}

// key tells the orders of all texts apart. Those in a schema mean the parameter that they
// stand at.
func (r *reading) key(c clause) string {
	if r.param != nil {
		return strings.Join([]string{r.tool.at.name, r.tool.name, r.param.name, plain(c.tokens)}, "\x00")
	}
	return plain(c.tokens)
}

// An obedience is the reading of one text, order by order.
type obedience struct {
	*agent
	reading
	all   []token
	since int      // memories before it are from before this text
	rest  []clause // behind the order at hand
	last  *tool    // that the latest order was carried out with, nil for none
	verb  string
}

// follow carries out one order.
func (o *obedience) follow(ctx context.Context, c clause) {
	if c.denied || o.cut != "" || o.prefer(c) {
		return
	}
	if c.verb == "" && !(c.item && o.verb != "" && hasValue(c.tokens)) {
		o.assign(c) // "bcc: x@example.org" needs no verb
		return
	}
	if !o.done && says(c.sentence[:min(len(c.sentence), 2)], later) && o.from == nil {
		o.delayed = append(o.delayed, func(ctx context.Context) { o.carry(ctx, c) })
		return
	}
	o.carry(ctx, c)
}

func (o *obedience) carry(ctx context.Context, c clause) {
	if o.assign(c) && c.act == set {
		return
	}
	switch {
	case c.act == again && o.toolOf(c) == nil:
		switch {
		case o.from != nil && o.from.tool != nil:
			o.useTool(ctx, o.from.tool, o.from.args, o.where)
		case o.reading.tool != nil:
			o.repeat(ctx, o.reading.tool)
		}
	case c.act != set || o.named(c.own) != nil && !says(c.sentence, standings):
		o.act(ctx, c)
	}
}

// repeat makes the latest call of a tool again, with what its definition requires by now.
func (o *obedience) repeat(ctx context.Context, t *tool) {
	args, ok := o.called[t.key()]
	if !ok {
		return
	}
	r := request{near: tokens(o.opt.Prompt), content: o.passage, secret: o.secret}
	for i := range t.params {
		p := &t.params[i]
		if !p.required || slices.ContainsFunc(args, func(a argument) bool { return a.name == p.name }) {
			continue
		}
		raw := r.implied(p, map[int]bool{})
		if raw == "" {
			return
		}
		args = append(slices.Clip(args), argument{p.name, raw})
	}
	o.useTool(ctx, t, args, o.where)
}

// act calls the tool that an order names, or the one that fits what it is about.
func (o *obedience) act(ctx context.Context, c clause) {
	if o.readURI(ctx, c.tokens) {
		return
	}
	t := o.toolOf(c)
	own := o.reading.tool
	if c.verb != "" && c.verb != o.verb {
		o.last, o.verb = nil, c.verb // also for the entries of a list below: "read each file:"
	}
	switch {
	case t == nil && !hasValue(c.tokens):
		return // "read the documentation": nothing that could be done
	case t == nil:
		t = o.fitting(c)
	case t == own && !hasValue(c.tokens) && !mentionsOne(c, t):
		return // a description that says when to use its tool
	}
	if t == nil {
		o.readFiles(c.tokens)
		return
	}
	o.prepare(c, t)
	r := o.request(c)
	r.given = o.given(c, t)
	args, ok := r.arguments(t)
	if !ok {
		return
	}
	o.last = t
	o.useTool(ctx, t, args, o.where)
}

// toolOf returns the tool that an order names: behind its verb, or else before it, as in "with
// x, send it to y".
func (o *obedience) toolOf(c clause) *tool {
	if t := o.named(c.own); t != nil {
		return t
	}
	return o.named(c.tokens)
}

// named returns the tool that the tokens mention first, nil for none.
func (o *obedience) named(tokens []token) *tool {
	if all := o.mentioned(tokens); len(all) > 0 {
		return all[0]
	}
	return nil
}

// mentioned returns the tools that the tokens name, in order.
func (o *obedience) mentioned(tokens []token) []*tool {
	var out []*tool
	for i, tok := range tokens {
		if tok.sort != word && tok.sort != quoted && tok.sort != path {
			continue
		}
		for _, t := range o.tools() {
			if tok.names(t.name) && (tok.sort == quoted || !everyday(t.name) || pointed(tokens, i)) {
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// names reports whether a token is a tool's name, or that behind the name of its server.
func (t token) names(name string) bool {
	rest, ok := strings.CutSuffix(t.low, strings.ToLower(name))
	return ok && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, "__"))
}

// everyday reports whether a name could be any word, such as "add".
func everyday(name string) bool {
	return !strings.ContainsAny(name, "_-.0123456789") && name == strings.ToLower(name)
}

// pointed reports whether the word at i is said to be a tool: "the add tool", "call add".
func pointed(tokens []token, i int) bool {
	if i+1 < len(tokens) && (tokens[i+1].low == "tool" || tokens[i+1].low == "function") {
		return true
	}
	return i > 0 && pointing[tokens[i-1].low]
}

// fitting returns the tool for an order that names none: that of the order before for an
// entry of its list or the same verb, else the one whose words it uses and whose parameters
// take its values.
func (o *obedience) fitting(c clause) *tool {
	takes := func(t *tool) bool {
		for _, tok := range c.tokens {
			for i := range t.params {
				if t.params[i].takes(tok.sort) {
					return true
				}
			}
		}
		return false
	}
	if o.last != nil && takes(o.last) {
		return o.last
	}
	var able []*tool
	for _, t := range o.tools() {
		if takes(t) {
			able = append(able, t)
		}
	}
	return best(able, append(slices.Clip(c.tokens), token{sort: word, low: o.verb}))
}

// readFiles is what the victim does without a tool: the files of an order are its own.
func (o *obedience) readFiles(tokens []token) {
	for _, t := range tokens {
		if t.sort == path {
			o.files[t.text] = fileText(t.text)
			o.remember(t.text, o.files[t.text])
		}
	}
}

// readURI reads the resource that an order names by its URI, and reports whether it names one.
func (o *obedience) readURI(ctx context.Context, tokens []token) bool {
	for _, t := range tokens {
		if t.sort != address && t.sort != quoted {
			continue
		}
		for _, l := range o.links {
			if slices.ContainsFunc(l.resources, func(d listed) bool { return d.name == t.text }) {
				o.use(ctx, call{at: l, method: "resources/read", name: t.text, why: o.where})
				return true
			}
		}
	}
	return false
}
