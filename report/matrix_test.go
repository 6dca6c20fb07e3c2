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
	if err := WriteMatrix(&b, []capability.Server{s}, floor, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMatrixFitsNarrowTerminals(t *testing.T) {
	labels := []capability.Label{{Tag: capability.Exec, Confidence: capability.High}, {Tag: capability.DBWrite, Confidence: capability.Low}}
	for _, width := range []int{40, 60, 100} {
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
	if !strings.Contains(got, "1 more without any at medium confidence or above\n") || strings.Contains(got, "low") {
		t.Errorf("got %s", got)
	}
	if got := matrixOf(t, capability.Low, Options{}); !strings.Contains(got, "no capability found\n") {
		t.Errorf("got %s", got)
	}
}
