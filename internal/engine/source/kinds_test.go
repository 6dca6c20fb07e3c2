package source

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/sink"
)

// TestKinds reads small servers, one for each kind of sink, guard and registration in the forms that servers use. The name of each
// says what must be reported: NAME=KIND,KIND for one of some kinds, NAME=none for a near miss.
func TestKinds(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no kinds", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		servers := map[string][]sink.File{}
		for _, f := range a.Files {
			name, path, _ := strings.Cut(f.Name, "/")
			servers[name] = append(servers[name], sink.File{Path: path, Text: f.Data})
		}
		for name, server := range servers {
			t.Run(name, func(t *testing.T) {
				s, problems, err := Analyse(server, nil, nil)
				if s == nil {
					t.Fatal(err, problems)
				}
				var got []string
				for _, h := range slices.Concat(s.Handlers, s.Resources) {
					for _, f := range h.Flows {
						if f.Kind != sink.BodyFlow { // beside every request
							got = append(got, string(f.Kind))
						}
					}
				}
				for _, site := range s.Sites {
					got = append(got, string(site.Kind))
				}
				_, want, _ := strings.Cut(name, "=")
				if want == "none" && len(got) > 0 || want != "none" && !slices.ContainsFunc(strings.Split(want, ","), func(w string) bool { return slices.Contains(got, w) }) {
					t.Errorf("got %v, want %s (problems: %v, %v)", got, want, problems, err)
				}
			})
		}
	}
}
