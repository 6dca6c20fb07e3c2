package taint

import (
	_ "embed" // the table
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/engine/declared"
	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
)

var (
	names    = callgraph.Names
	lastWord = callgraph.LastWord
	lastPart = callgraph.ProgramBase
)

//go:embed operations.txt
var operationTable string

// An operation is what a function outside of the program makes of what it is given; operations.txt says what the names mean.
type operation struct {
	name string
	adds fact
}

// factNames are the facts that the table adds.
var factNames = map[string]fact{"-": 0, "resolved": resolved, "real": real, "noDash": noDash, "relative": relative, "prefixed": prefixed, "common": common,
	"noSlash": noSlash, "encoded": encoded, "hostOf": hostOf, "shellQuoted": shellQuoted, "plainWord": plainWord, "jsonQuoted": jsonQuoted, "split": split, "inMemory": inMemory, "filterQuoted": filterQuoted, "patternQuoted": patternQuoted}

// operations are what is known of functions, by the names under which they are imported.
var operations = func() map[string]operation {
	out := map[string]operation{}
	for _, fields := range callgraph.Rows(operationTable) {
		op := operation{name: fields[0]}
		for _, f := range strings.Split(fields[1], "+") {
			op.adds |= factNames[f]
		}
		for _, function := range fields[2:] {
			out[function] = op
		}
	}
	return out
}()

// of returns what an operation makes of what a call is given.
func (op operation) of(c call) *value {
	switch op.name {
	case "number":
		return nothing
	case "part":
		if len(c.args) == 1 && c.args[0].length < 0 {
			return c.args[0].derived(op.adds)
		}
		return joinPath(c.args).derived(op.adds)
	case "path":
		return joinPath(c.args).derived(op.adds)
	case "below":
		return joinPath(append([]*value{c.receiver}, c.args...))
	case "ending":
		return c.everything().dropping(resolved | real).derived(op.adds)
	case "lookup":
		of := c.everything()
		for _, a := range c.args { // the host, and not the port of the same address
			if a.has(hostOf) {
				of = a
				break
			}
		}
		return of.each(func(m *mark) {
			if m.whole = false; m.facts&hostOf != 0 {
				m.facts |= looked
			}
		})
	}
	if i := slices.Index([]string{"first", "second", "third"}, op.name); i >= 0 && i < len(c.args) {
		return c.args[i].derived(op.adds)
	}
	return c.everything().derived(op.adds)
}

var (
	// digests make a number of what they are given, by how their names begin.
	digests = []string{"hashlib.", "crypto.createHash()", "crypto.createHmac()", "hmac.", "crypto/sha", "crypto/md5"}
	// unchanged are methods and functions whose result is the text they were given, but for blanks and case.
	unchanged = names(`trim trimEnd trimStart strip lstrip rstrip toString String str valueOf toLowerCase toUpperCase lower upper normalize stripIndent dedent oneLine expanduser as_posix fspath TrimSpace ToLower`)
	// bodies are methods of a request that give its body.
	bodies = names("form json body get_json")
	// validators give back what they were given, once it fits a schema.
	validators = names(`parse parseAsync validate model_validate parse_obj validateSync GetArguments getArguments`)
)

// sqlQuotes are functions of clients of databases that double the quotation marks of a name or a literal.
var sqlQuotes = lazyregexp.New(`(?i)^(sql)?(quote|escape|format)_?(sql)?_?(query)?_?(id|ident|identifier|literal|value|name|str|string|table|column|sql)(_?name)?$|^mogrify$`)

// transfer returns what a call outside of the program gives back.
func (r *reader) transfer(c call, callee callgraph.Callee) *value {
	name := callee.Name
	method := lastWord(name)
	if scalars[method] || strings.HasPrefix(name, "math.") || strings.HasPrefix(name, "Math.") { // text.count(word), math.log(n)
		return nothing
	}
	if v := r.transferPath(c, name, method); v != nil {
		return v
	}
	if v := r.transferText(c, name, method); v != nil {
		return v
	}
	if row := callee.Row; row != nil {
		switch row.Kind() {
		case "same", "entries", "map":
			if arg := row.Argument("arg", c.expr); arg != nil {
				return r.valueOf(c, arg)
			}
		case "spawn":
			return r.started(row, c)
		case "tag", "file", "sql", "env", "temp", "opaque", "member":
			return nothing // what the outside answers is not the caller's
		}
	}
	if strings.Contains(name, "()") && c.receiver.isClean() && callee.Row.Kind() != "pure" {
		return nothing // a client's answer
	}
	if d := callee.Type; d != nil && len(d.Result) > 0 && r.a.g.ClassOf(d.Result[0], nil) != nil {
		return nothing // an object that is found by what the call is given, and not made of it
	}
	if (method == "get" || method == "pop") && c.receiver.isClean() && len(c.args) > 1 {
		return c.args[1] // what stands in a table of the server's own, or else the default
	}
	if strings.HasPrefix(name, ".") && c.receiver.isClean() && (c.receiver.length < 0 || method == "get" || method == "pop") {
		return nothing // a method of something unknown, which keeps its answer to itself
	}
	return c.everything().dropping(inMemory).derived(0)
}

func (c call) everything() *value {
	out := newValue(addMarks(nil, c.receiver.all()...)...)
	for _, a := range c.args {
		out.marks = addMarks(out.marks, a.all()...)
	}
	return out
}

func (r *reader) valueOf(c call, arg *ir.Expr) *value {
	for i, a := range c.expr.Args {
		if a.Value == arg {
			return c.args[i]
		}
	}
	if c.expr.X != nil && c.expr.X.X == arg {
		return c.receiver
	}
	return r.silently(arg) // a member of an options object
}

// transferPath is what functions of paths, addresses and hosts do, and those that are known by their names; nil for any other.
func (r *reader) transferPath(c call, name, method string) *value {
	op, known := operations[name]
	if !known {
		op, known = operations["."+method]
	}
	switch {
	case op.adds&relative != 0 && len(c.args) == 2: // the way from one to the other
		of, from := c.args[1], c.args[0]
		if method == "relpath" {
			of, from = from, of
		}
		if !r.isFenced(of, from) {
			return c.everything().derived(0)
		}
		return of.derived(op.adds)
	case known:
		return op.of(c)
	case slices.ContainsFunc(digests, func(d string) bool { return strings.HasPrefix(name, d) }):
		return nothing
	case strings.HasSuffix(name, "net/url.Values.Encode"), name == "urllib.parse.quote" && len(c.expr.Args) > 1:
		return c.everything().derived(encoded)
	case name == "os.path.commonpath":
		all, add := c.everything(), common
		if all.has(resolved) {
			add |= resolved
		}
		return all.derived(add)
	case name == "URL" || name == "url.URL":
		if len(c.args) > 1 { // relative to a base
			return joinPath([]*value{c.args[1], c.args[0]})
		}
		return c.everything().derived(0)
	}
	if r.a.g.Convention().Language == "python" && strings.HasPrefix(method, "resolve") &&
		!slices.ContainsFunc(c.expr.Args, func(a ir.Arg) bool { return a.Name != "strict" }) { // of pathlib
		f := resolved | noDash
		if method == "resolve" {
			f |= real
		}
		return c.receiver.derived(f)
	}
	switch method {
	case "relative_to": // raises where the path does not lie in the directory
		if r.isFenced(c.receiver, c.args[0]) {
			r.st.learn(c.receiver, fenced)
		}
		return c.receiver.derived(0)
	}
	return nil
}

// transferText is what functions of text do; nil for any other.
func (r *reader) transferText(c call, name, method string) *value {
	switch {
	case sqlQuotes.MatchString(method):
		return c.everything().derived(sqlQuoted)
	case name == "encoding/json.Marshal" && len(c.args) == 1: // to be read into a struct
		return c.args[0]
	case unchanged[method]:
		if c.receiver.isClean() && len(c.args) > 0 {
			return c.args[0].adding(isText)
		}
		if method == "toString" { // of bytes
			return c.receiver.dropping(inMemory).adding(isText)
		}
		return c.receiver.adding(isText)
	case method == "safeParse" || method == "safeParseAsync":
		if len(c.args) == 1 {
			return nothing.with("data", r.a.parsed(c.args[0], r.schemaOf(c)))
		}
	case validators[method] && len(c.args) >= 1 && len(c.args[0].marks) > 0:
		if c.expr.X.Is(ir.Attr) && r.a.g.Convention().Language == "python" {
			if class := r.a.g.ClassOf(c.expr.X.X, r.ctx); class != nil {
				return r.a.modelled(c.args[0], class)
			}
		}
		return r.a.parsed(c.args[0], r.schemaOf(c))
	case method == "GetArguments" && len(c.args) == 0 && r.a.g.Convention().Language == "go":
		return c.receiver.member("arguments")
	case validators[method] && len(c.args) == 0:
		return c.receiver
	case bodies[method] && len(c.args) == 0: // form = await request.form()
		return c.receiver.member(method)
	case (method == "get" || method == "pop" || strings.HasPrefix(method, "Require") || strings.HasPrefix(method, "Get")) && len(c.args) > 0 && c.args[0].fixed != "":
		if !c.receiver.isClean() {
			v := c.receiver.member(c.args[0].fixed)
			if strings.HasSuffix(method, "Int") || strings.HasSuffix(method, "Bool") || strings.HasSuffix(method, "Float") {
				return nothing
			}
			if strings.HasSuffix(method, "String") {
				return v.adding(isText)
			}
			return v
		}
	case (strings.HasSuffix(name, "/mcp.ParseString") || strings.HasSuffix(name, "/mcp.ParseStringMap") || strings.HasSuffix(name, "/mcp.ParseArgument")) && len(c.args) > 1 && c.args[1].fixed != "":
		return c.args[0].member(c.args[1].fixed)
	case method == "join" && !c.everything().isClean():
		return c.joined()
	case method == "format" && c.receiver.fixed != "":
		return c.format()
	case name == "fmt.Sprintf" && len(c.args) > 0:
		return c.sprintf()
	case method == "replace" || method == "replaceAll" || name == "re.sub":
		return r.replaced(c, name)
	case name == "append" && len(c.args) > 1 && r.a.g.Convention().Language == "go":
		return r.appended(c)
	}
	return nil
}

// schemaOf returns what the schema says whose method is called, or nil.
func (r *reader) schemaOf(c call) *declared.Bound {
	if r.a.g.Convention().Language != "typescript" || c.expr.X == nil || c.expr.X.Kind != ir.Attr {
		return nil
	}
	return r.a.schemas.Schema(c.expr.X.X)
}

// joined is list.join(" "), or " ".join(list).
func (c call) joined() *value {
	list := c.receiver
	if list.isClean() && len(c.args) == 1 {
		list = c.args[0]
	}
	if list.length < 0 {
		return list.behind("")
	}
	return joinTexts(list.known(), " ")
}

// appended is append(list, values...) of Go.
func (r *reader) appended(c call) *value {
	out := c.args[0]
	for i := 1; i < len(c.args); i++ {
		if l := c.spread(i); l != nil {
			out = out.extend(l)
		} else {
			out = out.push(r.st.noted(c.args[i]))
		}
	}
	return out
}
