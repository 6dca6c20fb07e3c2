package attacks

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gauntlet/oatf"
)

// own is the form of our ids: the number is the document's for ever.
var own = regexp.MustCompile(`^GAUNTLET-\d{3}$`)

// Every document is one that its own authors would not be warned about, and says what a
// reader needs before playing it.
func TestDocumentsAreWhole(t *testing.T) {
	ids := map[string]string{}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			text, ok := Text(name)
			if !ok {
				t.Fatal("listed and not there")
			}
			doc, warnings, err := oatf.Load(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range append(warnings, oatf.Lint(doc)...) {
				t.Errorf("%s %s: %s", w.Rule, w.Path, w.Message)
			}
			a := &doc.Attack
			if !own.MatchString(a.ID) || ids[a.ID] != "" {
				t.Errorf("the id %q is not of our form, or that of %q too", a.ID, ids[a.ID])
			}
			ids[a.ID] = name
			for what, missing := range map[string]bool{
				"a description that says why it works": !strings.Contains(a.Description, "Why it works:"),
				"a severity":                           a.Severity == nil,
				"an impact":                            len(a.Impact) == 0,
				"a reference":                          len(a.References) == 0,
				"two mappings":                         a.Classification == nil || len(a.Classification.Mappings) < 2,
				"a tag":                                a.Classification == nil || len(a.Classification.Tags) == 0,
				"an indicator":                         len(a.Indicators) == 0,
			} {
				if missing {
					t.Errorf("it lacks %s", what)
				}
			}
			for _, i := range a.Indicators {
				if i.Description == "" || i.Tier == "" || i.Surface == "" || i.Direction == "" {
					t.Errorf("%s lacks a description, a tier, a surface or a direction", i.ID)
				}
			}
		})
	}
}

// What is on the disk is in the program, under the same name.
func TestEveryDocumentIsBuiltIn(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok {
			want = append(want, name)
		}
	}
	if got := Names(); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("built in: %s; on disk: %s", fmt.Sprint(got), fmt.Sprint(want))
	}
	if _, ok := Text("../go"); ok {
		t.Error("a path was taken for a name")
	}
}
