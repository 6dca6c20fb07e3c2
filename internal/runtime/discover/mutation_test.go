package discover

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/internal/engine/check/config"
)

// fixtureFiles calls f for every configuration of the fixtures.
func fixtureFiles(t testing.TB, f func(name, text string)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Files {
			if !strings.HasPrefix(s.Name, "want ") {
				f(s.Name, string(s.Data))
			}
		}
	}
}

// bare is everything of an entry but its places, secrets revealed.
func bare(e *config.Entry) string {
	s := fmt.Sprintf("%q %q %q %q %q %q %q %v %q", e.Client, e.Project, e.Name, e.Transport, e.Command, e.Cwd, e.URL.Reveal(), e.Disabled, e.Unresolved)
	for _, a := range e.Args {
		s += " " + a.Reveal()
	}
	for _, l := range [][]config.Variable{e.Env, e.Headers, e.Settings} {
		for _, v := range l {
			s += fmt.Sprintf(" %s=%q", v.Name, v.Value.Reveal())
		}
	}
	return s
}

// parsed is the tree of a text in its format.
func parsed(name, text string) (*node, Format) {
	format := formatOf(name, text)
	switch format {
	case TOML:
		root, _ := parseTOML(text)
		return root, format
	case YAML:
		root, _ := parseYAML(text, newLines(text))
		return root, format
	}
	root, _, err := parseJSON(text, false, uninteresting)
	if err != nil && applicationOf(clientOfName(name)).JSON5 {
		root, _, _ = parseJSON(text, true, uninteresting)
	}
	return root, format
}

func plainly(s string) string {
	plain, _ := plainJSON(s, false)
	return plain
}

// below lists all members below a node.
func below(n *node) []*node {
	var out []*node
	for _, c := range n.children {
		out = append(append(out, c), below(c)...)
	}
	return out
}

var alterations = map[Format][]string{
	JSON: {`null`, `5`, `"x"`, `[]`, `{}`, `[{}]`, `{"a":[1]}`, `true`, `-1e400`},
	TOML: {`5`, `"x"`, `[]`, `{}`, `[{}]`, `{a=[1]}`, `true`, `%broken%`, `2020-01-01`},
	YAML: {`null`, `5`, `"x"`, `[]`, `{}`, `[{}]`, `{a: [1]}`, `true`},
}

// Every member of every entry of every fixture is altered and removed. What the file says
// of the other entries must still be read as before.
func TestMutation(t *testing.T) {
	count := 0
	fixtureFiles(t, func(name, text string) {
		before := Read(name, []byte(text), Hint{})
		root, format := parsed(name, text)
		if root == nil || len(before.Problems) > 0 && format == YAML && len(before.Entries) == 0 {
			return
		}
		for i := range before.Entries {
			e := &before.Entries[i]
			entry := find(root, e.Raw.Place.Pointer, e.Raw.Place.Start)
			if entry == nil {
				t.Fatalf("%s: nothing stands at %s", name, e.Raw.Place.Pointer)
			}
			for _, m := range append(below(entry), entry) {
				if m == entry && format == TOML && text[min(entry.start, len(text)-1)] != '{' {
					continue // a table of its own has no value to alter
				}
				for _, mutant := range mutants(text, format, m) {
					count++
					after := Read(name, []byte(mutant), Hint{Client: before.Client})
					compare(t, name, mutant, before, after, i)
				}
			}
		}
	})
	if count < 2000 {
		t.Errorf("%d mutants only", count)
	}
}

func find(root *node, pointer string, start int) *node {
	for _, n := range below(root) {
		if n.pointer() == pointer && n.start == start {
			return n
		}
	}
	return nil
}

// mutants are the texts with one value altered, and with its member under another name,
// which is as good as removed.
func mutants(s string, format Format, m *node) []string {
	if m.end > len(s) || m.start > m.end {
		return nil
	}
	var out []string
	whole := m.kind != table && m.kind != list || format == JSON // the flat formats' parsers do not say where these end
	if whole {
		for _, a := range alterations[format] {
			out = append(out, s[:m.start]+a+s[m.end:])
		}
	}
	if m.keyStart >= 0 && m.keyEnd <= len(s) && len(m.children) == 0 {
		removed := map[Format]string{JSON: `"removed"`, TOML: "removed", YAML: "removed"}[format]
		out = append(out, s[:m.keyStart]+removed+s[m.keyEnd:])
	}
	return out
}

func compare(t *testing.T, name, mutant string, before, after config.File, mutated int) {
	t.Helper()
	left := map[string]int{}
	for i := range after.Entries {
		left[bare(&after.Entries[i])]++
	}
	for i := range before.Entries {
		if i == mutated {
			continue
		}
		if b := bare(&before.Entries[i]); left[b] == 0 {
			t.Fatalf("%s: entry %q is lost or changed by a mutation of %q:\n%s", name, before.Entries[i].Name, before.Entries[mutated].Name, mutant)
		} else {
			left[b]--
		}
	}
}

// A file that breaks off at any byte gives what stands before, and complains.
func TestTruncation(t *testing.T) {
	fixtureFiles(t, func(name, text string) {
		whole := Read(name, []byte(text), Hint{})
		if len(whole.Problems) > 0 || formatOf(name, text) != JSON || !strings.HasPrefix(strings.TrimSpace(plainly(text)), "{") {
			return
		}
		for at := 1; at < len(strings.TrimRight(text, "\n")); at++ {
			f := Read(name, []byte(text[:at]), Hint{Client: whole.Client})
			if len(f.Problems) == 0 && strings.TrimSpace(plainly(text[:at])) != "" {
				t.Fatalf("%s cut at %d gives no problem:\n%s", name, at, text[:at])
			}
			complete := 0
			for i := range whole.Entries {
				if whole.Entries[i].Raw.Place.End <= at {
					complete++
				}
			}
			if len(f.Entries) < complete {
				t.Fatalf("%s cut at %d has %d entries, want %d:\n%s", name, at, len(f.Entries), complete, text[:at])
			}
		}
	})
}

// What prints, prints no secret: every secret of the fixtures holds the canary.
func TestSecretsAreNeverPrinted(t *testing.T) {
	seen := 0
	fixtureFiles(t, func(name, text string) {
		seen += strings.Count(text, canary)
		f := Read(name, []byte(text), Hint{})
		type hidden struct{ file config.File }
		asJSON, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		found, problems := config.Run([]config.File{f}, config.Checks())
		report, err := json.Marshal([]any{found, problems, f.Problems, config.Agents([]config.File{f})})
		if err != nil {
			t.Fatal(err)
		}
		all := []string{string(asJSON), string(report), fmt.Sprint(found, problems), fmt.Sprintf("%v %+v %#v", f, f, f), fmt.Sprintf("%v %+v %#v", hidden{f}, hidden{f}, hidden{f}), fmt.Sprintf("%+v", &hidden{f})}
		for i := range f.Entries {
			e := &f.Entries[i]
			all = append(all, e.CommandLine(), e.Address(), fmt.Sprintf("%s %q %x %d", e.URL, e.Raw, e.Raw, e.Raw), fmt.Sprintf("%v %+v %#v", e, e, *e), e.Raw.String())
			r, p := Host{OS: "linux", Home: "/home/ada"}.Resolve(*e)
			all = append(all, fmt.Sprintf("%v %+v %v", r, r, p))
		}
		for _, s := range all {
			if strings.Contains(s, canary) || strings.Contains(s, fmt.Sprintf("%x", canary)) {
				t.Errorf("%s: a secret is printed: %s", name, s)
			}
		}
	})
	if seen < 8 {
		t.Errorf("the fixtures have %d canaries only", seen)
	}
}
