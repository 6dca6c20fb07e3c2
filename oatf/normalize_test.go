package oatf

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestNormalize plays testdata/normalize: one archive a step, with documents before*.yaml,
// what becomes of them in after*.yaml, and stays*.yaml, which the step leaves as they are,
// byte for byte. Each document also stays the same when it is normalized or written twice.
func TestNormalize(t *testing.T) {
	for n := 1; n <= 8; n++ {
		id := fmt.Sprintf("N-%03d", n)
		t.Run(id, func(t *testing.T) {
			path := filepath.Join("testdata", "normalize", id+".txtar")
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, f := range a.Files {
				want[f.Name] = string(f.Data)
			}
			out := &txtar.Archive{Comment: a.Comment}
			before, stays := 0, 0
			for _, f := range a.Files {
				if strings.HasPrefix(f.Name, "after") {
					continue
				}
				out.Files = append(out.Files, f)
				got := normalizedTwice(t, string(f.Data))
				switch rest, isBefore := strings.CutPrefix(f.Name, "before"); {
				case isBefore:
					before++
					out.Files = append(out.Files, txtar.File{Name: "after" + rest, Data: []byte(got)})
					if got != want["after"+rest] && !*update {
						t.Errorf("%s became:\n%swant:\n%s", f.Name, got, want["after"+rest])
					}
				default:
					stays++
					if got != string(f.Data) {
						t.Errorf("%s became:\n%s", f.Name, got)
					}
				}
			}
			if before == 0 || stays == 0 {
				t.Errorf("%d documents that change and %d that do not: want one of each at least", before, stays)
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// normalizedTwice loads a document and writes it, and checks what must hold for any.
func normalizedTwice(t *testing.T, text string) string {
	t.Helper()
	parsed, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	before := render(parsed)
	n := Normalize(parsed)
	if render(parsed) != before {
		t.Errorf("Normalize changed its argument:\n%s", text)
	}
	if again := Normalize(n); !reflect.DeepEqual(again, n) {
		t.Errorf("normalized twice:\n%s\nonce:\n%s", render(again), render(n))
	}
	written := Serialize(parsed)
	if Serialize(n) != written {
		t.Errorf("the normalized document is written otherwise:\n%s\n%s", Serialize(n), written)
	}
	again, _, err := Load(written)
	if err != nil {
		t.Fatalf("what was written is not valid: %v\n%s", err, written)
	}
	if Serialize(again) != written {
		t.Errorf("written again:\n%s\nfirst:\n%s", Serialize(again), written)
	}
	return written
}
