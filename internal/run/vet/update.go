package vet

import (
	"context"
	_ "embed" // the list
	"fmt"
	"slices"
	"strings"
	"sync"

	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

// readOlder reads the user's current version: its package and definitions.
func (v *vetting) readOlder(ctx context.Context) *vetting {
	if v.target.Older == nil {
		return nil
	}
	o := &vetting{Options: v.Options, target: &Target{Spec: *v.target.Older, Args: v.target.Args, Env: v.target.Env}}
	o.Depth, o.Advisories = Definitions, ""
	o.Fetcher.Progress = v.Fetcher.Progress
	o.get(ctx)
	if o.fetched != nil && ctx.Err() == nil {
		o.install(ctx)
		o.readServer(ctx)
	}
	for _, p := range o.problems {
		p.Message = "the older version: " + p.Message
		v.problems = append(v.problems, p)
	}
	return o
}

// compare reports the differences from the older version.
func (v *vetting) compare(o *vetting) {
	v.what.Changes = []string{}
	say := func(format string, args ...any) {
		v.what.Changes = append(v.what.Changes, fmt.Sprintf(format, args...))
	}
	if o.fetched != nil && v.fetched != nil {
		was, now := &o.fetched.Facts, &v.fetched.Facts
		if o.fetched.Version != v.fetched.Version {
			say("version %s became %s", o.fetched.Version, v.fetched.Version)
		}
		if was.Digest == now.Digest && was.Digest != "" {
			say("the archives are the same")
		}
		sayLists(say, "install script", scriptTexts(was.Scripts), scriptTexts(now.Scripts))
		sayLists(say, "maintainer", was.Maintainers, now.Maintainers)
		sayLists(say, "dependency", dependencyNames(o.fetched), dependencyNames(v.fetched))
		if was.Provenance != "" && now.Provenance == "" {
			say("the older version had a statement of provenance, and this one has none")
		}
	}
	if len(o.read.catalog.Servers) > 0 && len(v.read.catalog.Servers) > 0 {
		d := diff.Catalogs(&o.read.catalog, &v.read.catalog)
		say("definitions: %d added, %d changed, %d removed, %d the same", d.Summary.Added, d.Summary.Changed, d.Summary.Removed, d.Summary.Same)
		for _, s := range d.Servers {
			for _, it := range s.Items[:min(len(s.Items), maxNamed)] {
				say("%s %s: %s", it.Kind, it.Name, it.State)
			}
			if n := len(s.Items) - maxNamed; n > 0 {
				say("and %d more definitions", n)
			}
		}
	}
}

// maxNamed bounds the entries named in a change.
const maxNamed = 20

func sayLists(say func(string, ...any), what string, was, now []string) {
	for _, change := range []struct {
		word string
		list []string
	}{{"added", without(now, was)}, {"removed", without(was, now)}} {
		if n := len(change.list); n > 0 {
			say("%s %s: %s", what, change.word, excerpt.List(change.list, maxNamed))
		}
	}
}

func without(list, other []string) (out []string) {
	has := make(map[string]bool, len(other))
	for _, o := range other {
		has[o] = true
	}
	for _, one := range list {
		if !has[one] {
			out = append(out, one)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func scriptTexts(scripts []result.InstallScript) (out []string) {
	for _, s := range scripts {
		name := ""
		if !s.Own {
			name = s.Package + " "
		}
		out = append(out, strings.TrimSpace(name+s.Event+" "+s.Command))
	}
	return out
}

func dependencyNames(p *fetch.Fetched) (out []string) {
	for _, d := range p.Packages {
		out = append(out, d.Name)
	}
	return out
}

//go:embed popular.txt
var popularText string

// popular maps ecosystems to well-known names.
var popular = sync.OnceValue(func() map[string][]string {
	names := map[string][]string{}
	for line := range strings.Lines(popularText) {
		ecosystem, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && !strings.HasPrefix(line, "#") {
			names[ecosystem] = append(names[ecosystem], name)
		}
	}
	return names
})

// shortest is the length below which one letter of difference is coincidence.
const shortest = 8

// longest bounds the names compared: no registry allows longer ones.
const longest = 300

// findLookalike returns the well-known name that a package of an ecosystem ("npm", "pypi", "go") imitates, or nil. A well-known
// name imitates nothing, nor do other packages of its scope.
func findLookalike(ecosystem, name string) *result.Likeness {
	name = strings.ToLower(name)
	names := popular()[ecosystem]
	if len(name) < shortest || len(name) > longest {
		return nil
	}
	for _, known := range names {
		if known == name || scopeOf(name) != "" && scopeOf(known) == scopeOf(name) {
			return nil
		}
	}
	var best *result.Likeness
	for _, known := range names {
		if l := compare(name, known); l != nil && (best == nil || l.Severity > best.Severity) {
			best = l
		}
	}
	return best
}

// compare says how a name imitates a known one, or returns nil. Both are in lower case and differ.
func compare(name, known string) *result.Likeness {
	likeness := func(how string, severity finding.Severity) *result.Likeness {
		return &result.Likeness{Name: known, How: how, Severity: severity}
	}
	scope, base := scopeOf(name), name[len(scopeOf(name)):]
	knownScope, knownBase := scopeOf(known), known[len(scopeOf(known)):]
	switch {
	case len(known) < shortest:
	case skeleton(name) == skeleton(known):
		return likeness("letters in it look the same", finding.High)
	case oneEdit(name, known):
		return likeness("one letter differs", finding.High)
	case scope != "" && knownScope != "" && base == knownBase && oneEdit(scope, knownScope):
		return likeness("one letter of the scope differs", finding.High)
	case withoutSeparators(name) == withoutSeparators(known):
		return likeness("only separators differ", finding.Medium)
	case scope == "" && knownScope != "" && base == knownBase && len(base) >= shortest && !generic[base]:
		return likeness(fmt.Sprintf("the scope %s is left out", strings.TrimSuffix(knownScope, "/")), finding.Medium)
	}
	return nil
}

// generic names are too common to mean anything.
var generic = map[string]bool{"mcp-server": true, "mcp-client": true, "inspector": true}

// scopeOf returns a name's scope with its slash, or "".
func scopeOf(name string) string {
	if !strings.HasPrefix(name, "@") {
		return ""
	}
	return name[:strings.IndexByte(name, '/')+1]
}

// skeleton replaces letters by similar-looking ones.
func skeleton(s string) string { return looksSame.Replace(s) }

var looksSame = strings.NewReplacer("0", "o", "1", "l", "i", "l", "5", "s", "rn", "m", "vv", "w", "а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "і", "l", "ѕ", "s", "ո", "n")

func withoutSeparators(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_./@", r) {
			return -1
		}
		return r
	}, s)
}

// oneEdit reports whether inserting, deleting or changing one letter, or swapping two neighbours, turns a into b. It takes linear
// time.
func oneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	front := 0
	for front < len(x) && x[front] == y[front] {
		front++
	}
	back := 0
	for back < len(x)-front && x[len(x)-1-back] == y[len(y)-1-back] {
		back++
	}
	restX, restY := x[front:len(x)-back], y[front:len(y)-back]
	switch {
	case len(restX) == 0 && len(restY) == 1, len(restX) == 1 && len(restY) == 1:
		return true
	}
	return len(restX) == 2 && len(restY) == 2 && restX[0] == restY[1] && restX[1] == restY[0]
}
