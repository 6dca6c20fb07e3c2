package taint

import (
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// findSinks notes which sources arrive at an argument of a call that has consequences.
func (r *reader) findSinks(c call, callee callgraph.Callee) {
	row := callee.Row
	name := strings.TrimPrefix(callee.Name, ".")
	r.inputSink(c, callee.Name)
	r.gitSink(c, callee.Name)
	r.textSink(c, row, callee.Name)
	r.entitySink(c, name)
	if row == nil || row.Kind() == "pure" || row.Kind() == "unknown" {
		r.fetchSink(c, callee.Name)
	}
	if asks := r.a.g.Row("." + lastWord(name)); asks != nil && asks.Argument("prompt", c.expr) != nil { // whatever SDK it is of
		r.promptSink(c, r.valueOf(c, asks.Argument("prompt", c.expr)), name)
	}
	if row == nil {
		return
	}
	switch row.Kind() {
	case "spawn":
		r.spawnSink(c, row, name)
		return
	case "file":
		r.pathSink(c, row, name)
		return
	}
	if row.Kind() == "member" { // getattr(client, name)
		if n := row.Argument("name", c.expr); n != nil {
			r.sinkMarksBehind(emptyFront, c, sink.PrototypeFlow, name, chosenAttribute, r.valueOf(c, n).marks)
		}
	}
	r.statementSink(c, row, name)
	if x := row.Argument("filter", c.expr); x != nil {
		r.readFilter(c, r.asObject(x, r.valueOf(c, x)), name, 0)
	}
	armed := r.isArmed(row, c.expr)
	if code := row.Argument("code", c.expr); code != nil && armed && !r.a.g.IsSafe(row, c.expr) {
		marks := r.valueOf(c, code).all()
		if name == "Function" { // the body comes last, and the names before it are code too
			marks = c.everything().all()
		}
		r.sinkMarks(c, sink.CodeFlow, name, "", marks)
	}
	for _, role := range []struct {
		name  string
		front *front
		kind  sink.FlowKind
	}{
		// A whole expression, a script for a page, a line for another machine: to take these from the caller is what such tools are for.
		{"pattern", textFront, sink.PatternFlow}, {"page", textFront, sink.CodeFlow}, {"cmd", textFront, sink.ShellFlow},
		{"load", emptyFront, sink.CodeFlow}, // what begins with a text of the source is one of the program's own
	} {
		if x := row.Argument(role.name, c.expr); x != nil && (armed || role.name != "load") {
			r.sinkMarksBehind(role.front, c, role.kind, name, "", r.valueOf(c, x).all())
		}
	}
	if url := row.Argument("url", c.expr); url != nil {
		r.urlSink(c, r.valueOf(c, url), name)
	}
	if cmd := row.Argument("inside", c.expr); cmd != nil {
		r.containerCommand(c, r.valueOf(c, cmd), name)
	}
	if row.Kind() == "pure" || row.Kind() == "tag" && !row.Weak() && (row.Has(capability.FSRead) || row.Has(capability.FSWrite)) {
		r.pathSink(c, row, name) // of what computes, a picture that is written where it is asked for
	}
}

// isArmed reports whether a call has the options with which it runs what it reads: numpy.load(f, allow_pickle=True).
func (r *reader) isArmed(row *callgraph.Row, e *ir.Expr) bool {
	on, off := row.Argument("on", e), row.Argument("off", e)
	return (!row.Knows("on") || on != nil && r.turnsOn(r.a.g.Definition(on))) && (off == nil || !r.turnsOn(r.a.g.Definition(off)))
}

// entities says of a flow that it is a document whose external entities are resolved.
const entities = "xml"

// parsers are the last words of functions that parse XML; resolving are options with which they resolve external entities.
var (
	parsers   = names("fromstring XML parse parseXml parseXmlString parseString parseFromString ParseString")
	resolving = []string{"resolve_entities", "load_dtd", "noent", "replaceEntities", "expandEntities", "feature_external_ges"}
)

// entitySink is a document for a parser that is told, here or where it is made, to resolve external entities.
func (r *reader) entitySink(c call, name string) {
	if !parsers[lastWord(name)] || len(c.args) == 0 || c.args[0].isClean() {
		return
	}
	if slices.ContainsFunc(resolving, func(o string) bool { return r.turnsOn(r.optionOf(c.expr, o)) }) {
		r.sinkMarks(c, sink.PathFlow, name, entities, c.args[0].all())
	}
}

// optionOf returns what an option of a call was given, also where the options, or what is made with them, have a name; nil for none.
func (r *reader) optionOf(call *ir.Expr, name string) *ir.Expr {
	x := call.Option(name)
	for i := 0; x == nil && i < len(call.Args); i++ {
		if v := call.Args[i].Value; v.Is(ir.Name) {
			x = r.a.g.Definition(v).Option(name)
		}
	}
	if x == nil {
		return nil
	}
	return r.a.g.Definition(x)
}

// chosenAttribute says of a flow that the caller names what is taken from an object.
const chosenAttribute = "attribute"

// sinkMarks records the flows of marks that arrive at a sink.
func (r *reader) sinkMarks(c call, kind sink.FlowKind, name, about string, marks []mark) {
	r.sinkMarksBehind(nil, c, kind, name, about, marks)
}

// sinkMarksBehind records the flows of marks that count where a text of that kind stands in front of them.
func (r *reader) sinkMarksBehind(need *front, c call, kind sink.FlowKind, name, about string, marks []mark) {
	at := r.sinkAt
	if at.File == "" {
		at = callgraph.PlaceOf(c.expr)
	}
	for _, m := range marks {
		if r.st.gone(m.src) {
			continue
		}
		r.sum.addFlow(flow{kind: kind, at: at, name: name + "()", about: about, src: m.src, facts: m.facts | r.st.facts[m.src], head: m.head, front: need, step: m.step, argv: r.argv})
	}
}

// pathSink is the file of a call, and the second one of what copies and renames.
func (r *reader) pathSink(c call, row *callgraph.Row, name string) {
	for _, role := range []string{"path", "to"} {
		if p := row.Argument(role, c.expr); p != nil {
			v := r.valueOf(c, p)
			if v.length >= 0 { // index.add([path])
				v = v.elements()
			}
			r.sinkMarks(c, sink.PathFlow, name, "", v.marks)
		}
	}
}

// fetchers are methods of clients that request what their first argument names, whichever package the client is of.
var (
	fetchers = lazyregexp.New(`^(get|post|put|patch|head|request|fetch|goto|navigate|async_fetch|arun(_many)?|crawl|scrape|extract_info|visit|go|stream)$|^([gG]et|[fF]etch|[oO]pen|[lL]oad|[rR]ead|[sS]crape|[dD]ownload)(\w*[a-z])?_?(u|U)(rl|RL)(open)?$|^urlopen$`)
	clients  = lazyregexp.New(`(?i)fetch|http|request|client|session|browser|page|crawl|axios|scrap|spider|driver|reader|loader|download`)
	urlNames = lazyregexp.New(`(?i)(^|_|[a-z])(url|uri|href|link)s?$`)
)

// fetchSink is a request by a client that no table knows: the method of a client, given something that is called an
// address. Both names have to say so, since a cache has a get too, and a service may be given an address as data.
func (r *reader) fetchSink(c call, name string) {
	e := c.expr
	if !fetchers.MatchString(lastWord(name)) {
		return
	}
	at := slices.IndexFunc(e.Args, func(a ir.Arg) bool {
		return urlNames.MatchString(a.Name) || a.Name == "" && a.Value != nil && urlNames.MatchString(a.Value.Text)
	})
	if at < 0 || at > 1 && e.Args[at].Name == "" {
		return
	}
	whose := strings.TrimSuffix(name, lastWord(name))
	if e.X.Kind == ir.Attr && e.X.X != nil {
		whose += e.X.X.Text
	}
	if clients.MatchString(whose) {
		r.urlSink(c, c.args[at], strings.TrimPrefix(name, "."))
	}
}

// isBehindHost reports whether a text in front of a value holds the host of an address, or is the start of what only its
// path can be.
func isBehindHost(head string) bool {
	if strings.HasSuffix(head, "://") { // whatever the scheme is
		return false
	}
	return strings.HasPrefix(head, unknownText) || strings.HasPrefix(head, "/") || fixedHost.MatchString(head) ||
		strings.Contains(head, ":") && !strings.Contains(head, "/") && !strings.HasSuffix(head, "http:") // localhost:
}

// urlMembers are the members of a request's options that say where it goes.
var urlMembers = []string{"url", "uri", "baseURL", "baseUrl", "host", "hostname", "href", "origin"}

// addressMarks returns what of an address, or of the options of a request, says where it goes.
func addressMarks(v *value) (out []mark) {
	if len(v.fields) == 0 {
		return v.marks
	}
	for _, m := range v.marks {
		if !m.whole { // the members of others are looked up by their names below
			out = addMarks(out, m)
		}
	}
	for _, name := range urlMembers {
		out = addMarks(out, v.member(name).marks...)
	}
	return out
}

// arrivingMarks returns what of a value arrives where a function hands on its parameter.
func (f flow) arrivingMarks(v *value) []mark {
	switch f.kind {
	case sink.HostFlow, sink.URLPathFlow, sink.BodyFlow:
		if v.length < 0 {
			return addressMarks(v)
		}
	}
	return v.all()
}

func (r *reader) urlSink(c call, v *value, name string) {
	if v.length > 0 { // (host, port)
		v = v.member("0")
	}
	marks := addressMarks(v)
	if r.connectsChecked(c) {
		marks = newValue(marks...).adding(hostResolved).marks
	}
	for _, m := range marks {
		kind := sink.HostFlow
		if isBehindHost(m.head) || len(v.fixed) > 0 {
			kind = sink.URLPathFlow
		}
		r.sinkMarks(c, kind, name, "", []mark{m})
	}
	r.bodySink(c, v, marks, name)
}

// promptMembers are members of a request for sampling that hold what the server tells the model, above the user's own words.
var promptMembers = []string{"systemPrompt", "SystemPrompt", "system_prompt"}

// promptSink is a request that the client's model answers: what stands in its system prompt, the model obeys.
func (r *reader) promptSink(c call, v *value, name string) {
	marks := v.marks
	for _, m := range promptMembers {
		if f := v.fields[m]; f != nil {
			marks = f.all()
		}
	}
	if params := v.fields["params"]; params != nil { // server.request({ method: "sampling/createMessage", params })
		r.promptSink(c, params, name)
	}
	own := slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return m.whole && m.src.path == "" })
	r.sinkMarksBehind(textFront, c, sink.PromptFlow, name, "", own)
}
