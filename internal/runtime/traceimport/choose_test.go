package traceimport

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	if names := Names(); names[0] != Auto || len(names) != len(formats)+1 || !slices.Contains(names, "otel") {
		t.Errorf("names %q", names)
	}
	const text = "of no known form"
	for _, f := range formats {
		got, in, err := Choose(f.Name, strings.NewReader(text))
		if err != nil || got.Name != f.Name {
			t.Errorf("%s: %s, %v", f.Name, got.Name, err)
			continue
		}
		if all, _ := io.ReadAll(in); string(all) != text {
			t.Errorf("%s: %q is left to read, want all", f.Name, all)
		}
	}
	if _, _, err := Choose(Auto, strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "name its form with --input-format") {
		t.Errorf("a form that cannot be told: %v", err)
	}
	if _, _, err := Choose("paper", strings.NewReader(text)); err == nil {
		t.Error("no error for a name that is no format")
	}
}
