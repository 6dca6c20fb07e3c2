package launch

import (
	"errors"
	"testing"
)

func TestExplainMadeUp(t *testing.T) {
	failed := errors.New("x: the server exited; its stderr: bad FIGMA_API_KEY")
	for _, tt := range []struct {
		name   string
		madeUp []string
		want   string
	}{
		{"a value was made up and is complained of", []string{"FIGMA_API_KEY"}, failed.Error() + "; its FIGMA_API_KEY was made up: pass on a real one with --env FIGMA_API_KEY"},
		{"another value was made up", []string{"OTHER_TOKEN", "--token"}, failed.Error()},
		{"none was", nil, failed.Error()},
	} {
		got := ExplainMadeUp(failed, tt.madeUp)
		if got.Error() != tt.want || !errors.Is(got, failed) {
			t.Errorf("%s: got %q, want %q around the error itself", tt.name, got, tt.want)
		}
	}
	if got := ExplainMadeUp(nil, []string{"FIGMA_API_KEY"}); got != nil {
		t.Errorf("got %v for no error", got)
	}
}
