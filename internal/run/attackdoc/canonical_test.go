package attackdoc

import (
	"os"
	"strings"
	"testing"

	"gauntlet/attacks"
	"gauntlet/oatf"
)

func TestCanonicalForm(t *testing.T) {
	text, ok := attacks.Text(attacks.Names()[0])
	if !ok {
		t.Fatal("no built-in attack")
	}
	plain := Text{Name: "a.yaml", Text: text}
	limits := oatf.DefaultLimits()
	upTo := func(n int) oatf.Limits { l := limits; l.Bytes = n; return l }
	canonical, _, err := plain.Canonical(limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, text string
		limits     oatf.Limits
		comments   int
		err        string
	}{
		{"canonical already", canonical, limits, 0, ""},
		{"one comment", "# why\n" + canonical, limits, 1, ""},
		{"no document", "a: [", limits, 0, "a.yaml: "},
		{"longer than the limit", canonical, upTo(len(canonical) - 1), 0, "a.yaml: "},
		{"as long as the limit", canonical, upTo(len(canonical)), 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Text{Name: "a.yaml", Text: tt.text}
			got, comments, err := d.Canonical(tt.limits)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) || got != "" {
					t.Errorf("Canonical of %.40q = %.40q, %v, want no text and an error with %q", tt.text, got, err, tt.err)
				}
				return
			}
			if err != nil || got != canonical || comments != tt.comments {
				t.Errorf("Canonical of %.40q = %.40q, %d comments, %v, want %.40q and %d", tt.text, got, comments, err, canonical, tt.comments)
			}
		})
	}
}

func TestPlayable(t *testing.T) {
	text, _ := attacks.Text(attacks.Names()[0])
	texts := []Text{{Name: "a.yaml", Text: text}, {Name: "broken.yaml", Text: "a: ["}, {Name: "gone.yaml", Err: os.ErrNotExist}}
	for holds, want := range map[bool]int{true: 1, false: 0} {
		if got := Playable(texts, oatf.DefaultLimits(), func(*oatf.Document) bool { return holds }); len(got) != want {
			t.Errorf("%d documents, want %d where %v holds of each", len(got), want, holds)
		}
	}
}
