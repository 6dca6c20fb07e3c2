package source

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/leaf/syntax"
	"gauntlet/sink"
)

// A rewriting changes how a program is written. Where it keeps the meaning, what was found must still be found, and what was
// quiet must stay quiet; the share that is lost tells how much the analysis knows of shapes instead of values.
type rewriting struct {
	name string
	// wrap holds, by language, what each variable that is handed to a call becomes; %s is the variable.
	wrap map[string]string
	// call and handler hold, by language, what each call inside of functions and each function that is handed to a call of the module
	// becomes, likewise.
	call, handler map[string]string
	await         map[string]string // what each await inside of functions becomes
	// top is put behind the imports of each file.
	top map[string]string
	// file is one more file of the program, by language: its path and its text.
	file map[string][2]string
}

// keeping are the rewritings that keep the meaning of a program.
var keeping = []rewriting{
	{name: "helper",
		wrap: map[string]string{"ts": "metaSame(%s)", "py": "meta_same(%s)", "go": "metaSame(%s)"},
		top: map[string]string{"ts": "function metaSame(x) { const y = x; return y; }\n", "py": "def meta_same(x):\n    y = x\n    return y\n\n",
			"go": "func metaSame[T any](x T) T {\n\ty := x\n\treturn y\n}\n"}},
	{name: "map",
		wrap: map[string]string{"ts": "[%s].map((v) => v)[0]", "py": "[v_ for v_ in [%s]][0]"}},
	{name: "loop",
		wrap: map[string]string{"ts": "metaLast([%s])", "py": "meta_last([%s])", "go": "metaLast(%s)"},
		top: map[string]string{"ts": "function metaLast(list) { let out; for (const v of list) { out = v; } return out; }\n",
			"py": "def meta_last(items):\n    out = None\n    for v in items:\n        out = v\n    return out\n\n",
			"go": "func metaLast[T any](list ...T) T {\n\tvar out T\n\tfor _, v := range list {\n\t\tout = v\n\t}\n\treturn out\n}\n"}},
	{name: "default",
		wrap: map[string]string{"ts": "metaOr(%s)", "py": "meta_or(%s)"},
		top:  map[string]string{"ts": "function metaOr(x) { x ??= undefined; return x; }\n", "py": "def meta_or(x):\n    if x is None:\n        x = None\n    return x\n\n"}},
	{name: "field",
		wrap: map[string]string{"ts": "({ v: %s, more: 1 }).v", "py": `{"v": %s, "more": 1}["v"]`}},
	{name: "added field",
		wrap: map[string]string{"ts": "metaBox(%s).v", "py": `meta_box(%s)["v"]`},
		top: map[string]string{"ts": "function metaBox(x) { const o = {}; if (!o.w) { o.w = {}; } o.v = x; o.more = 1; return { ...o }; }\n",
			"py": "def meta_box(x):\n    o = {}\n    o[\"v\"] = x\n    o.update({\"more\": 1})\n    return {**o}\n\n"}},
	{name: "table",
		wrap: map[string]string{"ts": `metaTable["same"](%s)`, "py": `META_TABLE["same"](%s)`},
		top: map[string]string{"ts": "const metaTable = { none: () => null, same: (x) => x };\n",
			"py": "META_TABLE = {\"none\": lambda x: None, \"same\": lambda x: x}\n\n"}},
	{name: "class",
		wrap: map[string]string{"ts": "new MetaBox(%s).get()", "py": "MetaBox(%s).get()", "go": "metaBox[any]{}.same(%s)"},
		top: map[string]string{"ts": "class MetaBox { constructor(x) { this.x = x; } get() { return this.x; } }\n",
			"py": "class MetaBox:\n    def __init__(self, x):\n        self.x = x\n    def get(self):\n        return self.x\n\n"}},
	{name: "re-export",
		wrap: map[string]string{"ts": "metaSame(%s)", "py": "meta_same(%s)"},
		top:  map[string]string{"ts": "import { metaSame } from \"./metaindex.js\";\n", "py": "from metaindex import meta_same\n"},
		file: map[string][2]string{"ts": {"metaindex.js", "export * from \"./metasame.js\";\n"}, "py": {"metaindex.py", "from metasame import meta_same\n"}}},
	{name: "spread",
		wrap: map[string]string{"ts": "metaFirst(...[%s])", "py": "meta_first(*[%s])"},
		top:  map[string]string{"ts": "const metaFirst = (...all) => { const [x] = all; return x; };\n", "py": "def meta_first(*all_):\n    (x,) = all_\n    return x\n\n"}},
	{name: "try",
		wrap: map[string]string{"ts": "metaTry(%s)", "py": "meta_try(%s)"},
		top: map[string]string{"ts": "function metaTry(x) { try { return x; } finally { void 0; } }\n",
			"py": "def meta_try(x):\n    try:\n        return x\n    finally:\n        pass\n\n"}},
	{name: "closure",
		call: map[string]string{"ts": "metaDo(() => %s)", "py": "(lambda: %s)()"},
		top:  map[string]string{"ts": "function metaDo(f) { return f(); }\n"}},
	{name: "retried",
		call: map[string]string{"ts": "metaRetry(() => %s, 3)", "py": "meta_retry(lambda: %s, times=3)"},
		top: map[string]string{"ts": "function metaRetry(f, n) { let last; for (let i = 0; i < n; i++) { try { return f(); } catch (e) { last = e; } } throw last; }\n",
			"py": "def meta_retry(f, times=1):\n    last = None\n    for _ in range(times):\n        try:\n            return f()\n        except OSError as e:\n            last = e\n    raise last\n\n"}},
	{name: "wrapped handler",
		handler: map[string]string{"ts": "metaHandler(%s)", "py": "@meta_handler\n"},
		top: map[string]string{"ts": "function metaHandler(h) { return async (...all) => { const out = await h(...all); return out; }; }\n",
			"py": "import functools\ndef meta_handler(f):\n    @functools.wraps(f)\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n    return inner\n\n"}},
	{name: "handler in a table",
		handler: map[string]string{"ts": "({ none: null, own: %s }).own"}},
	{name: "awaited",
		await: map[string]string{"ts": "await metaDo(async () => %s)", "py": "(await meta_do(%s))"},
		top: map[string]string{"ts": "async function metaDo(f) { const out = await f(); return out; }\n",
			"py": "async def meta_do(x):\n    return x\n\n"}},
	{name: "choice",
		wrap: map[string]string{"ts": "(%[1]s ? %[1]s : %[1]s)", "py": "(%[1]s if %[1]s else %[1]s)"}},
}

func languageOf(path string) string {
	switch {
	case strings.HasSuffix(path, ".py"):
		return "py"
	case strings.HasSuffix(path, ".go"):
		return "go"
	case strings.HasSuffix(path, ".ts"), strings.HasSuffix(path, ".js"), strings.HasSuffix(path, ".mjs"), strings.HasSuffix(path, ".cjs"):
		return "ts"
	}
	return ""
}

// A span is a part of a file.
type span struct{ start, end int }

// Spans are the parts of a file that can be rewritten.
type spans struct {
	variables []span // that calls inside of functions are given
	calls     []span // inside of functions, without what cannot be moved into another function
	awaits    []span // inside of functions
	handlers  []span // functions that are handed to calls or, in Python, where one more decorator fits
	behind    int    // the imports
}

func spansOf(name string, text []byte) (out spans) {
	if languageOf(name) == "go" {
		out.variables, out.behind = goSpans(text)
		return out
	}
	lang := syntax.TypeScript()
	switch {
	case strings.HasSuffix(name, ".py"):
		lang = syntax.Python()
	case !strings.HasSuffix(name, ".ts"):
		lang = syntax.JavaScript()
	}
	t, err := syntax.Parse(lang, text, nil)
	if err != nil {
		return out
	}
	at := func(n syntax.Node) span { return span{int(t.Start(n)), int(t.End(n))} }
	for c := t.First(0); c != syntax.None; c = t.Next(c) {
		switch t.Kind(c) {
		case "import_statement", "import_from_statement", "future_import_statement":
			out.behind = int(t.End(c))
		}
	}
	var walk func(n syntax.Node, inside bool)
	walk = func(n syntax.Node, inside bool) {
		for c := t.First(n); c != syntax.None; c = t.Next(c) {
			switch k := t.Kind(c); {
			case k == "decorator":
				if f := t.Next(c); f != syntax.None && t.Kind(f) == "function_definition" && !bytes.HasPrefix(text[t.Start(f):], []byte("async")) && t.Kind(n) == "decorated_definition" {
					out.handlers = append(out.handlers, span{int(t.Start(f)), int(t.Start(f))})
				}
				continue
			case inside && k == "identifier" && (t.Kind(n) == "arguments" || t.Kind(n) == "argument_list"):
				out.variables = append(out.variables, at(c))
			case (k == "arrow_function" || k == "function_expression") && t.Kind(n) == "arguments" && !inside:
				out.handlers = append(out.handlers, at(c))
				if body := t.Field(c, "body"); body != syntax.None {
					walk(body, true)
				}
				continue
			case inside && (k == "await_expression" || k == "await"):
				out.awaits = append(out.awaits, at(c))
			case inside && (k == "call_expression" || k == "call") && !unmovable.Match(text[t.Start(c):t.End(c)]):
				out.calls = append(out.calls, at(c))
			case strings.Contains(k, "function") || k == "method_definition":
				if body := t.Field(c, "body"); body != syntax.None {
					walk(body, true)
				}
				continue
			}
			walk(c, inside)
		}
	}
	walk(0, false)
	return out
}

// unmovable is what means something else, or nothing, inside of another function.
var unmovable = regexp.MustCompile(`\bawait\b|\byield\b|\bsuper\b|\barguments\b|^import\b|^require\b|:=|\basync with\b`)

func goSpans(text []byte) (variables []span, behind int) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "a.go", text, 0)
	if err != nil {
		return nil, 0
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	behind = at(file.Name.End())
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			behind = at(g.End())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			for _, a := range c.Args {
				if id, ok := a.(*ast.Ident); ok && id.Name != "ctx" && id.Name != "nil" {
					variables = append(variables, span{at(id.Pos()), at(id.End())})
				}
			}
		}
		return true
	})
	return variables, behind
}

// apply rewrites a program; ok is false where nothing in it can be rewritten so.
func (w rewriting) apply(files []sink.File) (out []sink.File, ok bool) {
	added := map[string]bool{}
	for _, f := range files {
		lang := languageOf(f.Path)
		wrap, call, handler := w.wrap[lang], w.call[lang], w.handler[lang]
		if wrap == "" && call == "" && handler == "" && w.await[lang] == "" || w.name == "class" && lang == "go" {
			out = append(out, f)
			continue
		}
		parts := spansOf(f.Path, f.Text)
		var edits []edit
		rewrite := func(form string, where []span) {
			for _, v := range where {
				if form == "" {
					return
				}
				by := fmt.Sprintf(strings.ReplaceAll(form, "%s", "%[1]s"), f.Text[v.start:v.end])
				if v.start == v.end { // a decorator, in front of what is indented likewise
					by = form + string(f.Text[bytes.LastIndexByte(f.Text[:v.start], '\n')+1:v.start])
				}
				edits = append(edits, edit{v, by})
			}
		}
		rewrite(wrap, parts.variables)
		rewrite(call, parts.calls)
		rewrite(handler, parts.handlers)
		rewrite(w.await[lang], parts.awaits)
		if len(edits) > 0 {
			ok = true
			dir := "" // Python's modules are named from the root
			if lang == "ts" {
				dir = path.Dir(f.Path)
			}
			if more := path.Join(dir, w.file[lang][0]); w.file[lang][0] != "" && !added[more] {
				added[more] = true
				out = append(out, sink.File{Path: more, Text: []byte(w.file[lang][1])})
				out = append(out, sink.File{Path: strings.Replace(more, "index", "same", 1), Text: []byte(sameIn[lang])})
			}
			if top := w.top[lang]; top != "" {
				edits = append(edits, edit{span{parts.behind, parts.behind}, "\n" + top})
			}
		}
		out = append(out, sink.File{Path: f.Path, Text: applyEdits(f.Text, edits)})
	}
	return out, ok
}

// sameIn is the module behind the one that exports it again.
var sameIn = map[string]string{"ts": "export function metaSame(x) { return x; }\n", "py": "def meta_same(x):\n    return x\n"}

type edit struct {
	span
	by string
}

func applyEdits(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		out.Write(text[at:e.start])
		out.WriteString(e.by)
		at = e.end
	}
	out.Write(text[at:])
	return out.Bytes()
}

// TestRewritingsThatKeepTheMeaning prints the share of findings that are lost, and of twins that are reported, when programs are
// written differently.
func TestRewritingsThatKeepTheMeaning(t *testing.T) {
	pairs := readPairs(t)
	var lost, of, alarms, quiet int
	for _, w := range keeping {
		var l, o, a, q int
		var names []string
		for _, p := range pairs {
			if p.known == "" || p.known == "alarm" {
				if files, ok := w.apply(p.vulnerable); ok {
					o++
					if hit, _ := p.arrives(files); !hit {
						l++
						names = append(names, "lost "+p.file+"/"+p.name)
					}
				}
			}
			if p.known == "" || p.known == "missed" {
				if files, ok := w.apply(p.fixed); ok {
					q++
					if hit, _ := p.arrives(files); hit {
						a++
						names = append(names, "alarm "+p.file+"/"+p.name)
					}
				}
			}
		}
		t.Logf("%-11s %3d of %3d lost, %3d of %3d twins reported: %s", w.name, l, o, a, q, strings.Join(names, ", "))
		lost, of, alarms, quiet = lost+l, of+o, alarms+a, quiet+q
	}
	t.Logf("ALL %d of %d lost (%.1f %%), %d of %d twins reported (%.1f %%)", lost, of, 100*float64(lost)/float64(of), alarms, quiet, 100*float64(alarms)/float64(quiet))
	if 100*lost > 4*of || 100*alarms > 2*quiet {
		t.Error("more than 4 in 100 findings are lost, or more than 2 in 100 twins are reported")
	}
}

// A guard is an if of a function that leaves it: its condition, and all of it.
type guard struct{ whole, cond, block span }

// guards returns the ifs without an else whose body only leaves the function.
func guards(name string, text []byte) (out []guard) {
	lang := syntax.TypeScript()
	switch {
	case strings.HasSuffix(name, ".go"):
		return nil
	case strings.HasSuffix(name, ".py"):
		lang = syntax.Python()
	case !strings.HasSuffix(name, ".ts"):
		lang = syntax.JavaScript()
	}
	t, err := syntax.Parse(lang, text, nil)
	if err != nil {
		return nil
	}
	at := func(n syntax.Node) span { return span{int(t.Start(n)), int(t.End(n))} }
	var walk func(n, block syntax.Node)
	walk = func(n, block syntax.Node) {
		for c := t.First(n); c != syntax.None; c = t.Next(c) {
			body := t.Field(c, "consequence")
			if t.Kind(c) == "if_statement" && body != syntax.None && t.Field(c, "alternative") == syntax.None && block != syntax.None {
				left := body
				if k := t.Kind(body); k == "block" || k == "statement_block" {
					left = t.First(body)
				}
				if left != syntax.None && slices.Contains([]string{"throw_statement", "raise_statement", "return_statement"}, t.Kind(left)) {
					out = append(out, guard{at(c), at(t.Field(c, "condition")), at(block)})
				}
			}
			inner := block
			if k := t.Kind(c); k == "block" || k == "statement_block" {
				inner = c
			}
			walk(c, inner)
		}
	}
	walk(0, syntax.None)
	return out
}

// changing are rewritings of guards that change the meaning of a program: what a guard kept out gets in.
var changing = []struct {
	name string
	by   func(lang string, text []byte, g guard) []edit
}{
	{"removed", func(lang string, _ []byte, g guard) []edit { return []edit{{g.whole, nothingIn(lang)}} }},
	{"behind the sink", func(lang string, text []byte, g guard) []edit {
		whole := string(text[g.whole.start:g.whole.end])
		if lang == "py" {
			indent := text[bytes.LastIndexByte(text[:g.whole.start], '\n')+1 : g.whole.start]
			return []edit{{g.whole, "pass"}, {span{g.block.end, g.block.end}, "\n" + string(indent) + whole}}
		}
		return []edit{{g.whole, ";"}, {span{g.block.end - 1, g.block.end - 1}, "\n" + whole + "\n"}}
	}},
	{"on another value", func(lang string, text []byte, g guard) []edit {
		return []edit{{g.cond, otherName.ReplaceAllString(string(text[g.cond.start:g.cond.end]), `${1}metaOther${3}`)}}
	}},
}

// otherName finds a variable: a name in small letters that nothing is called or taken from by.
var otherName = regexp.MustCompile(`(^|[^.\w"'/\\])([a-z]\w*)(\.(?:starts?[wW]ith|includes|is_relative_to|match)\(|\s*(?:\)|$|==|!=| not in| in ))`)

func nothingIn(lang string) string {
	if lang == "py" {
		return "pass"
	}
	return ";"
}

// TestRewritingsOfGuards prints how many twins are reported when their guards are taken out, and, of these, when the guards stand
// behind what they guard or ask for another value.
func TestRewritingsOfGuards(t *testing.T) {
	counts := make([]int, len(changing))
	var missed []string
	guarded := 0
	for _, p := range readPairs(t) {
		if p.known == "alarm" {
			continue
		}
		for i, c := range changing {
			var files []sink.File
			changed := false
			for _, f := range p.fixed {
				var edits []edit
				for _, g := range guards(f.Path, f.Text) {
					edits = append(edits, c.by(languageOf(f.Path), f.Text, g)...)
				}
				text := applyEdits(f.Text, edits)
				if c.name == "on another value" && len(edits) > 0 {
					text = append([]byte(map[string]string{"py": "meta_other = \"\"\nmetaOther = \"\"\n", "ts": "const metaOther = \"\";\n"}[languageOf(f.Path)]), text...)
				}
				changed = changed || !bytes.Equal(text, f.Text)
				files = append(files, sink.File{Path: f.Path, Text: text})
			}
			hit, _ := p.arrives(files)
			if i == 0 {
				if changed {
					guarded++
				}
				if !changed || !hit {
					break
				}
			}
			if hit {
				counts[i]++
			} else {
				missed = append(missed, c.name+" "+p.file+"/"+p.name)
			}
		}
	}
	t.Logf("of %d twins with guards, %d are reported without them; of these %d with the guards behind, %d with guards of another value", guarded, counts[0], counts[1], counts[2])
	t.Logf("missed: %s", strings.Join(missed, ", "))
	if counts[0] < 60 || 100*counts[1] < 95*counts[0] {
		t.Error("fewer than 60 twins are reported without their guards, or fewer than 95 in 100 of these with the guards behind")
	}
}
