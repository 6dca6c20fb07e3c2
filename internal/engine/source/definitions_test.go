package source

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/sink"
)

var update = flag.Bool("update", false, "write what is read as what is expected")

// TestDefinitions reads the definitions of small servers in each style; a part that is made when the server runs is unknown.
func TestDefinitions(t *testing.T) {
	files, err := filepath.Glob("testdata/definitions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no servers", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var sources []sink.File
			want := len(a.Files)
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				sources = append(sources, sink.File{Path: f.Name, Text: f.Data})
			}
			s, problems, err := Analyse(sources, nil, nil)
			if err != nil {
				t.Fatal(err, problems)
			}
			var b strings.Builder
			for _, d := range s.Definitions {
				fmt.Fprintf(&b, "%s at %s\n", d.Tool, d.At)
				if d.Title != "" {
					fmt.Fprintf(&b, "  title %q\n", d.Title)
				}
				if d.Description != "" {
					fmt.Fprintf(&b, "  description %q\n", d.Description)
				}
				if d.InputSchema != nil {
					fmt.Fprintf(&b, "  takes %s\n", d.InputSchema)
				}
				if d.Annotations != nil {
					fmt.Fprintf(&b, "  annotations %s\n", d.Annotations)
				}
				for _, u := range d.Unknown {
					fmt.Fprintf(&b, "  unknown %s\n", u)
				}
			}
			if *update {
				if want == len(a.Files) {
					a.Files = append(a.Files, txtar.File{Name: "want"})
				}
				a.Files[want].Data = []byte(b.String())
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want == len(a.Files) || string(a.Files[want].Data) != b.String() {
				t.Errorf("read:\n%s", b.String())
			}
		})
	}
}
