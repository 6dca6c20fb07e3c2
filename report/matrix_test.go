package report

import (
	"strings"
	"testing"

	"gauntlet/capability"
)

// matrixOf writes one server with one tool of a long name.
func matrixOf(t *testing.T, floor capability.Confidence, opt Options, labels ...capability.Label) string {
	t.Helper()
	var b strings.Builder
	s := capability.Server{Name: "desk", Tools: []capability.Tool{{Name: strings.Repeat("long_name_", 9), Capabilities: labels}, {Name: "quiet"}}}
	if err := WriteLabels(&b, "pretty", []capability.Server{s}, floor, nil, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMatrixFitsNarrowTerminals(t *testing.T) {
	labels := []capability.Label{{Tag: capability.Exec, Confidence: capability.High}, {Tag: capability.DBWrite, Confidence: capability.Low}}
	for _, width := range []int{50, 60, 100} {
		for line := range strings.Lines(matrixOf(t, capability.Low, Options{Width: width, Color: true}, labels...)) {
			if got := columns(colours.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")); got > width {
				t.Errorf("%d columns of %d: %q", got, width, line)
			}
		}
	}
}

// TestMatrixSaysWhatItLeftOut: labels that were not asked for are no capabilities that are missing.
func TestMatrixSaysWhatItLeftOut(t *testing.T) {
	if got := matrixOf(t, capability.High, Options{}); !strings.Contains(got, "no capability found at high confidence or above\n") {
		t.Errorf("got %s", got)
	}
	got := matrixOf(t, capability.Medium, Options{}, capability.Label{Tag: capability.Exec, Confidence: capability.High})
	if !strings.Contains(got, "1 more without any at medium confidence or above\n") || strings.Contains(got, " low") {
		t.Errorf("got %s", got)
	}
	if got := matrixOf(t, capability.Low, Options{}); !strings.Contains(got, "no capability found\n") {
		t.Errorf("got %s", got)
	}
}

// TestMatrixTellsWarnings: two lines a kind, whatever the number of tools, and no server's
// text reaches the terminal as it is.
func TestMatrixTellsWarnings(t *testing.T) {
	s := capability.Server{Name: "desk", Warnings: []string{"source_unread: src/a.js: too long", "source_unread: src/b.js: too long"}}
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		s.Tools = append(s.Tools, capability.Tool{Name: name, Warnings: []string{"source_incomplete: unknown_callee: method " + name, "source_incomplete: other"}})
	}
	s.Tools[1].Warnings = append(s.Tools[1].Warnings, "weak_signal: the definition says \x1b[31m exec, "+strings.Repeat("and so on ", 20))
	var b strings.Builder
	if err := WriteLabels(&b, "pretty", []capability.Server{s}, capability.Low, nil, Options{Width: 60}); err != nil {
		t.Fatal(err)
	}
	want := `desk: 0 of 5 tools with a capability; 0 sets of
  capabilities that are more dangerous together
No tool was called. Cells show the confidence of a label.
What the tools of desk can do
  no capability found

What makes labels less certain
  source_unread      the server: src/a.js: too long; all: 2
  source_incomplete  one: unknown_callee: method one; all:
                     one, two, three, four and 1 more
  weak_signal        two: the definition says <U+001B>[31m
`
	got := b.String()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(got, "\x1b") || !strings.Contains(got, "two: the definition says <U+001B>") {
		t.Errorf("got %q", got)
	}
	for line := range strings.Lines(got) {
		if columns(strings.TrimSuffix(line, "\n")) > 60 {
			t.Errorf("more than 60 columns: %q", line)
		}
	}
}
