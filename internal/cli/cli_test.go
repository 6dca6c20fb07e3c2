package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"gauntlet/result"
)

// run runs gauntlet inside the test.
func run(ctx context.Context, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(ctx, args, Host{Stdin: stdin, Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

func TestInterruptedWhileReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe() // nothing ever comes
	defer w.Close()
	cancel()
	code, stdout, stderr := run(ctx, r, "scan", "-")
	if code != result.ExitTrouble || stdout != "" || stderr != "gauntlet: interrupted\n" {
		t.Errorf("got %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestStdinThatFails(t *testing.T) {
	r, w := io.Pipe()
	w.CloseWithError(errors.New("the line broke"))
	code, stdout, stderr := run(t.Context(), r, "scan", "-")
	if code != result.ExitTrouble || stdout != "" || stderr != "gauntlet: -: the line broke\n" {
		t.Errorf("got %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int // 0 for an error
	}{
		{"1", 1}, {"64MiB", 64 << 20}, {"64mib", 64 << 20}, {"2GB", 2e9}, {"1 KiB", 1024}, {"10KB", 10_000}, {"7B", 7},
		{"", 0}, {"0", 0}, {"-1", 0}, {"1.5GB", 0}, {"B", 0}, {"99999999999GiB", 0}, {"1TB", 0},
	} {
		got, err := parseSize(tt.in)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("parseSize(%q) = %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}
