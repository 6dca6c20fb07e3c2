package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gauntlet/catalog"
	"gauntlet/diff"
)

var diffSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := os.ReadFile("../docs/schemas/diff.schema.json")
	if err != nil {
		return nil, err
	}
	return compile(text)
})

func diffOf(t testing.TB, old, new string) *diff.Diff {
	t.Helper()
	var states [2]*catalog.Catalog
	for i, text := range []string{old, new} {
		c, err := catalog.Parse([2]string{"old.json", "new.json"}[i], text, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		states[i] = c
	}
	return diff.Catalogs(states[0], states[1])
}

func diffText(t testing.TB, format string, d *diff.Diff, opt Options) string {
	t.Helper()
	f, err := DiffFormats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := f.Write(&b, d, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDiffGolden: each file of testdata/diff has old.json, new.json and what each format
// makes of them. What is called near-miss is a change of nothing.
func TestDiffGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			for _, f := range a.Files {
				in[f.Name] = string(f.Data)
			}
			if near := in["near-miss.json"]; near != "" {
				if d := diffOf(t, in["old.json"], near); d.Changed() || len(d.Servers) > 0 {
					t.Errorf("the near miss has changes:\n%s", diffText(t, "pretty", d, Options{}))
				}
			}
			d := diffOf(t, in["old.json"], in["new.json"])
			changed := false
			for _, format := range DiffFormats().Names() {
				got := withoutAssets(diffText(t, format, d, Options{}))
				if got == in[format] {
					continue
				}
				t.Errorf("%s: %s differs; run go test ./report -update and read the diff. Got:\n%s", file, format, got)
				in[format], changed = got, true
			}
			if !*update || !changed {
				return
			}
			var keep []txtar.File
			for _, f := range a.Files {
				if strings.HasSuffix(f.Name, ".json") {
					keep = append(keep, f)
				}
			}
			for _, format := range DiffFormats().Names() {
				keep = append(keep, txtar.File{Name: format, Data: []byte(in[format])})
			}
			a.Files = keep
			if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// gossip is a diff of servers that say a here and b there, in every place.
func gossip(t testing.TB, a, b string) *diff.Diff {
	snapshot := func(text string) string {
		q, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		z, err := json.Marshal("z" + text) // sorts behind the other tool, whatever it is
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"server":{"name":%[1]s},"instructions":%[1]s,"tools":[{"name":"x","description":%[1]s,"inputSchema":{"properties":{%[1]s:{"enum":[%[1]s],"title":%[1]s}}},"annotations":{"title":%[1]s}},{"name":%[2]s}]}`, q, z)
	}
	return diffOf(t, snapshot(a), snapshot(b))
}

func TestHostileTextOfADiffStaysInCode(t *testing.T) {
	honest, _ := mustBeCode(t, diffText(t, "markdown", gossip(t, "😀", "x"), Options{}))
	for _, s := range []string{
		hostile, "`", "``", "a`b", "```\n# x", strings.Repeat("`", 100), "~~~", "@octocat #1", "<img src=x onerror=alert(1)>", "[a](https://evil.example)",
		"\n\n# heading", "- [x] done", "a\n  ```\n# b", "a\r\nb", "</details>", "  ```", "\n```\n",
	} {
		page := diffText(t, "markdown", gossip(t, "😀", s), Options{})
		if shown, _ := mustBeCode(t, page); shown != honest {
			t.Errorf("%q is shown outside of code:\n%s\nfor an honest server:\n%s", s, shown, honest)
		}
	}
}

func TestMarkdownOfADiffFitsAComment(t *testing.T) {
	var tools []string
	for i := range 2000 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":"%s"}`, i, strings.Repeat("word ", 20)))
	}
	page := diffText(t, "markdown", diffOf(t, `{"tools":[]}`, `{"tools":[`+strings.Join(tools, ",")+`]}`), Options{})
	if len(page) > markdownLimit || !strings.Contains(page, "definitions not shown") {
		t.Errorf("%d bytes, which end with %q", len(page), page[len(page)-100:])
	}
}

// Whatever servers say, the JSON form is that of the schema, no format lets a hidden
// character through, and in Markdown everything of a server is code.
func FuzzDiff(f *testing.F) {
	f.Add("one two", "one\x1b[2J \u202e three\n2 changed")
	f.Add("```\n# x", "`` [a](b) @someone\u200b")
	f.Fuzz(func(t *testing.T, a, b string) {
		d := gossip(t, a, b)
		for _, format := range DiffFormats().Names() {
			got := diffText(t, format, d, Options{})
			if hidden := strings.ReplaceAll(got, "\n", ""); firstHidden(hidden) < len(hidden) {
				t.Errorf("%s lets through %q", format, got)
			}
			switch format {
			case "json":
				mustMatch(t, diffSchema, got)
			case "markdown":
				mustBeCode(t, got)
			}
		}
	})
}
