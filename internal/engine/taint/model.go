package taint

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/engine/declared"
	"gauntlet/internal/leaf/ir"
)

// What an SDK refuses before a handler runs, and zod or pydantic before a value is handed on, bounds values: numbers, words of a list, texts
// that match a pattern, what a function of the program lets through.

// factsOfBound is what holds of a value that a schema has accepted.
func (a *analyzer) factsOfBound(b *declared.Bound) (f fact) {
	if b.Gone {
		f |= few
	}
	if b.Text {
		f |= isText
	}
	if b.Plain {
		f |= plainWord
	}
	if b.Address { // yt-dlp takes none for an option
		f |= noDash
	}
	for _, x := range b.Patterns {
		if text, _, ok := (&reader{a: a}).patternText(x); ok {
			f |= a.patternFacts(text, false).match
		}
	}
	for _, c := range b.Checks {
		f |= a.refined(c)
	}
	return f
}

// refined is what holds of a value for which a function comes to true or, of one that is told of what is wrong, for which it names nothing.
func (a *analyzer) refined(c declared.Check) (out fact) {
	if c.Func == nil {
		return 0
	}
	for _, callee := range a.g.Functions(c.Func, nil) {
		sum := a.summarize(callee.Func, callee.Context)
		facts := sum.returned("+").facts
		if c.Told {
			facts = sum.returned(always).facts
		}
		out |= facts[source{}]
	}
	return out
}

func (a *analyzer) parsed(v *value, b *declared.Bound) *value {
	if b == nil || v.length >= 0 {
		return v
	}
	if b.Gone {
		return nothing
	}
	out := v.adding(a.factsOfBound(b))
	for _, name := range slices.Sorted(maps.Keys(b.Members)) {
		if m := b.Members[name]; name != "*" {
			out = out.limited(v, name, a.factsOfBound(m))
		}
	}
	return out
}

// limited returns a value whose member is bounded, as another value has it.
func (v *value) limited(of *value, name string, f fact) *value {
	switch {
	case f&few != 0:
		return v.with(name, nothing)
	case f != 0:
		return v.with(name, of.member(name).adding(f))
	}
	return v
}

// modelled is a value that a model of pydantic has accepted.
func (a *analyzer) modelled(v *value, class *ir.Class) *value {
	if !slices.ContainsFunc(class.Bases, func(b *ir.Expr) bool { return strings.HasSuffix(b.Text, "Model") }) {
		return v
	}
	v = a.parsed(v, a.schemas.Model(class))
	for _, name := range slices.Sorted(maps.Keys(class.Methods)) {
		m := class.Methods[name]
		for _, field := range validatedFields(m) {
			v = v.limited(v, field, a.summarize(m, nil).returned(always).facts[source{}]&(refusals|few))
		}
	}
	return v
}

// validatedFields returns the fields that a method of a model validates: @field_validator("host").
func validatedFields(m *ir.Func) (fields []string) {
	for _, d := range m.Decorators {
		if d.Kind != ir.Call || d.X == nil || d.X.Text != "field_validator" && d.X.Text != "validator" {
			continue
		}
		for _, arg := range d.Args {
			if arg.Name == "" && arg.Value != nil && arg.Value.Kind == ir.String {
				fields = append(fields, arg.Value.Text)
			}
		}
	}
	return fields
}

// checkedBefore returns what the decorators of a function make sure of a parameter before it runs: each is a function of the
// program that returns one of its own, which has a parameter of the same name.
func (a *analyzer) checkedBefore(fn *ir.Func, src source) outcome {
	out := outcome{knowledge: newKnowledge()}
	p := paramOf(fn, src.param)
	for _, d := range fn.Decorators {
		for _, callee := range a.g.Functions(d.Target(), nil) {
			if p != nil {
				a.addChecks(callee.Func, p.Name, src, &out)
			}
		}
	}
	return out
}

func (a *analyzer) addChecks(decorator *ir.Func, param string, src source, out *outcome) {
	for _, inner := range a.functionsIn(decorator) {
		for _, q := range inner.Params {
			if q.Name == param {
				own := source{param: q.Index, path: src.path}
				returned := a.summarize(inner, nil).returned(always)
				out.facts[src] |= returned.facts[own]
			}
		}
	}
}

func (a *analyzer) functionsIn(outer *ir.Func) []*ir.Func {
	if a.inner == nil {
		a.inner = map[*ir.Func][]*ir.Func{}
		for _, fn := range a.g.Program().Funcs {
			if fn.Scope.Up != nil && fn.Scope.Up.Owner() != nil {
				owner := fn.Scope.Up.Owner()
				a.inner[owner] = append(a.inner[owner], fn)
			}
		}
	}
	return a.inner[outer]
}
