package checktest

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/mcp"
)

// A golden is what one check must and must not find.
type golden struct {
	check       *check.Check
	path        string
	archive     archive
	bad, misses []section
	baselines   map[string]string            // by the section they belong to; "" for those without their own
	askings     map[string]map[string]string // by the section they belong to and how they were asked
	boundaries  map[string]string            // of traces, by the section they belong to; "" for those without their own
	want        string
}

func newGolden(k *check.Check, file, text string) (*golden, error) {
	g := &golden{check: k, path: file, archive: parseArchive(text), baselines: map[string]string{}, askings: map[string]map[string]string{}, boundaries: map[string]string{}}
	seen := map[string]bool{}
	for _, s := range g.archive.sections {
		if seen[s.name] {
			return nil, fmt.Errorf("%s: two sections %s", file, s.name)
		}
		seen[s.name] = true
		of, isBaseline := strings.CutSuffix(s.name, "-baseline.json")
		asked, how := askedAs(s.name)
		switch {
		case s.name == "baseline.json":
			g.baselines[""] = s.text
		case s.name == "boundary.yaml":
			g.boundaries[""] = s.text
		case declares(s.name) != "":
			g.boundaries[declares(s.name)] = s.text
		case how != "":
			if g.askings[asked] == nil {
				g.askings[asked] = map[string]string{}
			}
			g.askings[asked][how] = s.text
		case isBaseline && (isSectionOf(of+".json", "bad") || isSectionOf(of+".json", "near-miss")):
			g.baselines[of+".json"] = s.text
		case isSectionOf(s.name, "bad"):
			g.bad = append(g.bad, s)
		case isSectionOf(s.name, "near-miss"):
			g.misses = append(g.misses, s)
		case s.name == "want":
			g.want = s.text
		default:
			return nil, fmt.Errorf("%s: unknown section %s", file, s.name)
		}
	}
	for of := range g.baselines {
		if of != "" && !seen[of] {
			return nil, fmt.Errorf("%s: a baseline for %s, which is not there", file, of)
		}
	}
	for of := range g.askings {
		if !seen[of] {
			return nil, fmt.Errorf("%s: another asking of %s, which is not there", file, of)
		}
	}
	for of := range g.boundaries {
		if of != "" && !seen[of] {
			return nil, fmt.Errorf("%s: a boundary for %s, which is not there", file, of)
		}
	}
	if len(g.bad) == 0 {
		return nil, fmt.Errorf("%s: no section bad.json or bad-*.json", file)
	}
	if len(g.misses) == 0 {
		return nil, fmt.Errorf("%s: no section near-miss.json or near-miss-*.json", file)
	}
	return g, nil
}

// ways are how the server of a section can be asked another time, in their order.
var ways = []struct {
	name   string
	asking check.Asking
}{
	{"other", check.Asking{As: "another-client"}},
	{"again", check.Asking{As: "gauntlet", Self: true}},
	{"other-again", check.Asking{As: "another-client"}},
	{"changed", check.Asking{As: "gauntlet", Self: true, After: mcp.NotifyToolsListChanged}},
}

// askedAs returns which section another asking belongs to, and its way; "" if it is none.
func askedAs(section string) (of, how string) {
	for _, w := range ways {
		if rest, ok := strings.CutSuffix(section, "-"+w.name+".json"); ok && (isSectionOf(rest+".json", "bad") || isSectionOf(rest+".json", "near-miss")) && len(w.name) > len(how) {
			of, how = rest+".json", w.name
		}
	}
	return of, how
}

// asked adds the other askings of a section.
func (g *golden) asked(name string, c *catalog.Catalog) (out []check.Asking, err error) {
	for _, w := range ways {
		text, ok := g.askings[name][w.name]
		if !ok {
			continue
		}
		a := w.asking
		a.Of = c.Servers[0]
		if a.Catalog, err = catalog.Parse(name+" asked "+w.name, text, catalog.Limits{}); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// isSectionOf reports whether a section is base.json or base-something.json, or the same of a trace.
func isSectionOf(section, base string) bool {
	if rest, ok := strings.CutSuffix(section, recorded); ok {
		section = rest + ".json"
	}
	ok, _ := path.Match(base+"-?*.json", section) // the pattern is well-formed
	return ok || section == base+".json"
}

// runSection gives what the golden's check finds in one snapshot or trace.
func (g *golden) runSection(name, text string) ([]finding.Finding, error) {
	if strings.HasSuffix(name, recorded) {
		return g.runTrace(name, text)
	}
	c, err := catalog.Parse(name, text, catalog.Limits{})
	if err != nil {
		return nil, err
	}
	opt := check.Options{}
	before, ok := g.baselines[name]
	if !ok {
		before, ok = g.baselines[""]
	}
	if ok {
		if opt.Baseline, err = catalog.Parse("baseline of "+name, before, catalog.Limits{}); err != nil {
			return nil, err
		}
	}
	if opt.Askings, err = g.asked(name, c); err != nil {
		return nil, err
	}
	return g.result(name, check.Run(c, []*check.Check{g.check}, opt))
}

func (g *golden) result(name string, res *check.Result) ([]finding.Finding, error) {
	for _, p := range res.Problems {
		return nil, fmt.Errorf("%s: %s", name, p.Message)
	}
	for _, s := range res.Skipped {
		return nil, fmt.Errorf("%s: the check did not run: it needs %s", name, s.Needs)
	}
	return res.Findings, nil
}

// findings runs the check on the bad snapshots, each of which must give something.
func (g *golden) findings(t T) []finding.Finding {
	t.Helper()
	var out []finding.Finding
	for _, s := range g.bad {
		found, err := g.runSection(s.name, s.text)
		switch {
		case err != nil:
			t.Errorf("%s: %v", g.path, err)
		case len(found) == 0:
			t.Errorf("%s: %s is silent on %s", g.path, g.check.ID, s.name)
		}
		out = append(out, found...)
	}
	return out
}

func (g *golden) silentNearMisses(t T) {
	t.Helper()
	for _, s := range g.misses {
		found, err := g.runSection(s.name, s.text)
		if err != nil {
			t.Errorf("%s: %v", g.path, err)
		}
		if len(found) > 0 {
			t.Errorf("%s: %s fires on a near miss\n%s", g.path, g.check.ID, render(found))
		}
	}
}

// render writes one line a finding: file, pointer, severity, message, evidence; and one a
// related place.
func render(findings []finding.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s", f.Location.File, pointer(&f.Location))
		if f.Location.IsKey {
			b.WriteString(" (name)")
		}
		fmt.Fprintf(&b, ": %s: %s: %s", f.Severity, f.Message, strconv.Quote(f.Evidence.Raw))
		if f.Evidence.Normalized != "" {
			fmt.Fprintf(&b, " read as %s", strconv.Quote(f.Evidence.Normalized))
		}
		b.WriteByte('\n')
		for _, l := range f.Related {
			fmt.Fprintf(&b, "  also %s %s: server %q %s\n", l.File, pointer(&l), l.Server, strings.TrimSpace(string(l.Kind)+" "+l.Item))
		}
	}
	return b.String()
}
