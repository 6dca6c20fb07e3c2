package scanrun

import (
	"cmp"
	"math/bits"
	"net/url"
	"path"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
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

// A subject is what a finding is about: its catalogue entries, and which of the kinds below.
type subject struct {
	kinds uint
	cwe   []string
	owasp []string // OWASP MCP Top 10
}

// kinds are weaknesses that programs name differently: by neighbouring CWE entries, or by rule names. The names are whole words of
// a rule's id or name, in lower case.
var kinds = []struct {
	entries []string
	names   []string
}{
	{[]string{"CWE-77", "CWE-78", "CWE-88"}, []string{"command injection", "command line injection", "shell injection", "argument injection"}},
	{[]string{"CWE-94", "CWE-95", "CWE-1336"}, []string{"code injection", "code evaluation", "template injection"}},
	{[]string{"CWE-22", "CWE-23", "CWE-36", "CWE-59", "CWE-73"}, []string{"path traversal", "path injection", "directory traversal", "symlink escape", "prefix escape"}},
	{[]string{"CWE-918"}, []string{"ssrf", "server side request forgery", "cloud metadata access"}},
	{[]string{"CWE-89", "CWE-564", "CWE-943"}, []string{"sql injection", "nosql injection", "query injection"}},
	{[]string{"CWE-502"}, []string{"unsafe deserialization", "unsafe deserialisation"}},
	{[]string{"CWE-1427"}, []string{"prompt injection", "tool poisoning"}},
}

var (
	cweEntry   = lazyregexp.New(`(?i)\bcwe[-/ _:]?0*([1-9][0-9]{0,3})\b`)
	owaspEntry = lazyregexp.New(`(?i)\bMCP(0[1-9]|10)\b`)
	notLetters = lazyregexp.New(`[^a-z0-9]+`)
)

// subjectOf reads the entries from a rule's ties, and the kinds from those and its names.
func subjectOf(names, ties []string) (s subject) {
	for _, t := range ties {
		t = clip(t, maxName)
		for _, m := range cweEntry.FindAllStringSubmatch(t, maxNames) {
			s.cwe = append(s.cwe, "CWE-"+m[1])
		}
		for _, m := range owaspEntry.FindAllStringSubmatch(t, maxNames) {
			s.owasp = append(s.owasp, "MCP"+m[1])
		}
	}
	for _, n := range names {
		words := " " + notLetters.ReplaceAllString(strings.ToLower(clip(n, maxName)), " ") + " "
		for i := range kinds {
			if slices.ContainsFunc(kinds[i].names, func(name string) bool { return strings.Contains(words, " "+name+" ") }) {
				s.kinds |= 1 << i
			}
		}
	}
	for i := range kinds {
		if intersect(kinds[i].entries, s.cwe) {
			s.kinds |= 1 << i
		}
	}
	return s
}

// subjectOfFinding returns one of our findings' subject, without merely neighbouring entries.
func subjectOfFinding(f *finding.Finding) subject {
	var ties []string
	for _, t := range f.Taxonomy {
		if t.Fit != "weak" {
			ties = append(ties, t.ID)
		}
	}
	return subjectOf([]string{f.Name}, ties)
}

// related reports whether two findings share an entry or a kind. OWASP's wide entries count only if one side has nothing narrower.
func (s subject) related(t subject) bool {
	if s.kinds&t.kinds != 0 || intersect(s.cwe, t.cwe) {
		return true
	}
	narrow := s.kinds != 0 || len(s.cwe) > 0
	return (!narrow || t.kinds == 0 && len(t.cwe) == 0) && intersect(s.owasp, t.owasp)
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(e string) bool { return slices.Contains(b, e) })
}
