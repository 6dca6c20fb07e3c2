package scanrun

import (
	"cmp"
	"math/bits"
	"net/url"
	"path"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

// maxTies bounds the findings of ours tied to one imported finding.
const maxTies = 16

// A place is a definition.
type place struct {
	server string
	kind   finding.Kind
	item   string
}

// A reconciler holds this run's findings and runs by place.
type reconciler struct {
	items   map[string][]place // by name
	byItem  map[place][]*own
	byFile  map[string][]*own
	root    string            // of the sources, cleaned
	files   map[string]string // a report's file → our name for it, "" if unknown
	probing []*result.Probing
	attacks map[string][]*result.AttackRun // by the fingerprints they were made from
}

type own struct {
	*finding.Finding
	subject subject
}

// reconcile adds the imported files' findings to a report, tied to its findings and to its and their runs. c holds the scanned
// definitions, and root is the source directory, or "".
func reconcile(r *result.Report, c *catalog.Catalog, root string, files []*importedFile) {
	k := newReconciler(r, c, root, files)
	r.Imported = &result.Imported{Files: []result.ImportedFile{}, Findings: []result.ImportedFinding{}}
	for _, f := range files {
		r.Imported.Files = append(r.Imported.Files, f.Source)
		for i := range f.claims {
			one := &f.claims[i]
			k.locate(one)
			k.run(one, k.agree(one))
			r.Imported.Findings = append(r.Imported.Findings, one.ImportedFinding)
		}
	}
}

func newReconciler(r *result.Report, c *catalog.Catalog, root string, files []*importedFile) *reconciler {
	k := &reconciler{items: map[string][]place{}, byItem: map[place][]*own{}, byFile: map[string][]*own{}, root: path.Clean(root), files: map[string]string{}, attacks: map[string][]*result.AttackRun{}}
	for _, s := range c.Servers {
		for it := range s.Items() {
			if name := it.Name(); name != "" {
				k.items[name] = append(k.items[name], place{s.Name, it.Kind, name})
			}
		}
	}
	for i := range r.Findings {
		k.index(&r.Findings[i])
	}
	for i := range r.Suppressed {
		k.index(&r.Suppressed[i].Finding)
	}
	k.indexRuns(r.Probing, r.Attacks)
	for _, f := range files {
		k.indexRuns(nil, f.attacks)
		for i := range f.probing {
			k.probing = append(k.probing, &f.probing[i])
		}
	}
	return k
}

// index adds a finding by its definition. One without a pointer is in a source, where lines distinguish findings; a snapshot's
// definitions may all be on one line.
func (k *reconciler) index(f *finding.Finding) {
	o, l := &own{f, subjectOfFinding(f)}, &f.Location
	if l.Item != "" {
		at := place{l.Server, l.Kind, l.Item}
		k.byItem[at] = append(k.byItem[at], o)
	}
	if l.Pointer == "" && l.File != "" && l.Line > 0 {
		file := path.Clean(strings.ReplaceAll(l.File, `\`, "/"))
		k.byFile[file] = append(k.byFile[file], o)
	}
}

func (k *reconciler) indexRuns(p *result.Probing, attacks []result.AttackRun) {
	if p != nil {
		k.probing = append(k.probing, p)
	}
	for i := range attacks {
		for _, print := range attacks[i].Findings {
			k.attacks[print] = append(k.attacks[print], &attacks[i])
		}
	}
}

// locate finds the definition a claim names. A name that several servers use is ambiguous unless the full name decides.
func (k *reconciler) locate(c *claim) {
	for _, n := range c.names {
		var fits []place
		for _, p := range k.items[n.name] {
			if len(k.items[n.name]) == 1 || strings.HasPrefix(n.full, p.server+"/") || strings.HasPrefix(n.full, url.PathEscape(p.server)+"/") {
				fits = append(fits, p)
			}
		}
		if len(fits) == 1 {
			c.Location.Server, c.Location.Kind, c.Location.Item = clip(fits[0].server, maxName), fits[0].kind, clip(fits[0].item, maxName)
			return
		}
	}
}

// agree ties a claim to our matching findings, and returns them.
func (k *reconciler) agree(c *claim) (same []*own) {
	c.State = result.ForeignOnly
	at := &c.Location
	look := func(among []*own, fits func(*own) bool) {
		for _, o := range among {
			if len(same) < maxTies && fits(o) && (c.fingerprint != "" && c.fingerprint == o.Fingerprint || c.subject.related(o.subject)) {
				same = append(same, o)
				c.Agrees = append(c.Agrees, o.Fingerprint)
				c.State = result.Agreed
			}
		}
	}
	if at.Item != "" {
		look(k.byItem[place{at.Server, at.Kind, at.Item}], func(o *own) bool {
			p, ok := cutProperties(o.Location.Pointer)
			return c.Parameter == "" || !ok || p == c.Parameter
		})
	}
	if len(same) == 0 && at.File != "" && at.Line > 0 {
		look(k.byFile[k.fileHere(at.File)], func(o *own) bool { return overlap(at, &o.Location) })
	}
	return same
}

func overlap(a, b *finding.Location) bool {
	return a.Line <= max(b.Line, b.EndLine) && b.Line <= max(a.Line, a.EndLine)
}

// fileHere returns our name for a file: the same path, one relative to the source root, or the end of an absolute one.
func (k *reconciler) fileHere(file string) string {
	if here, ok := k.files[file]; ok {
		return here
	}
	here := ""
	for _, name := range []string{file, path.Join(k.root, file)} {
		if len(k.byFile[name]) > 0 {
			here = name
			break
		}
	}
	if here == "" && path.IsAbs(file) {
		for name := range k.byFile {
			if strings.HasSuffix(file, "/"+name) && len(name) > len(here) {
				here = name
			}
		}
	}
	k.files[file] = here
	return here
}

// run says whether a run tried exactly what a claim is about. Proved once is confirmed, whatever resisted.
func (k *reconciler) run(c *claim, same []*own) {
	at := place{c.Location.Server, c.Location.Kind, c.Location.Item}
	if at.item == "" && len(same) > 0 { // a place in a source, whose finding names the tool
		at = place{same[0].Location.Server, same[0].Location.Kind, same[0].Location.Item}
	}
	c.Run, c.By = k.tried(c, at)
	for _, o := range same {
		for _, a := range k.attacks[o.Fingerprint] {
			switch {
			case a.Scripted || c.Run == result.Confirmed: // a scripted run shows nothing about an agent
			case a.Exploited():
				c.Run, c.By = result.Confirmed, attackWords(a)
			case a.Resisted() && c.Run == "":
				c.Run, c.By = result.Refuted, attackWords(a)
			}
		}
	}
}

func attackWords(a *result.AttackRun) string {
	return "attack " + clip(cmp.Or(a.Name, a.ID, a.Document), maxName) + " on " + clip(cmp.Or(a.Agent, "whoever connected"), maxName)
}

// tried compares a claim with the probes' trials on its tool. A proof of its kind confirms it. It is refuted only if it names the
// parameter and a single kind, and every trial of that kind on it was delivered and resisted.
func (k *reconciler) tried(c *claim, at place) (result.RunState, string) {
	if at.kind != finding.Tool || at.item == "" || c.subject.kinds == 0 {
		return "", ""
	}
	resisted, doubt, by := 0, c.Parameter == "" || bits.OnesCount(c.subject.kinds) != 1, ""
	for _, p := range k.probing {
		for i := range p.Trials {
			t := &p.Trials[i]
			if t.Tool != at.item || at.server != "" && p.Server != at.server || c.Parameter != "" && t.Parameter != c.Parameter ||
				c.subject.kinds&subjectOf([]string{t.Class}, nil).kinds == 0 {
				continue
			}
			by = excerpt.Clip("probe: "+clip(t.Class, maxName)+" in "+clip(t.Tool+"."+t.Parameter, maxName), maxText)
			switch {
			case t.Outcome == result.Proved:
				return result.Confirmed, by
			case t.Outcome == result.ResistedIt && t.Delivered > 0:
				resisted++
			default:
				doubt = true
			}
		}
	}
	if resisted > 0 && !doubt {
		return result.Refuted, by
	}
	return "", ""
}
