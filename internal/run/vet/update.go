package vet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/diff"
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
