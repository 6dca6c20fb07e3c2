package fleet

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A scan of a file runs in the worker's process, within its time and whatever becomes of it; anything else is started.
func TestScansInTheWorker(t *testing.T) {
	writes := func(_ context.Context, args []string, said io.Writer) int {
		_, _ = io.WriteString(said, "read\n")
		name, _ := strings.CutPrefix(args[0], "--output=")
		_ = os.WriteFile(name, []byte("{}"), 0o600)
		return 1
	}
	for _, tt := range []struct {
		name  string
		job   Job
		main  func(context.Context, []string, io.Writer) int
		exit  int
		wrote string // the report
		cause string
	}{
		{"a file", fileJob, writes, 1, "{}", ""},
		{"a crash", fileJob, func(context.Context, []string, io.Writer) int { panic("index out of range") }, -1, "", "it crashed: index out of range"},
		{"a scan that heeds its time", fileJob, func(ctx context.Context, _ []string, _ io.Writer) int { <-ctx.Done(); return 2 }, 2, "", errTime.Error()},
		{"a server", Job{Lane: Scan, Target: Target{Kind: URL}}, writes, -1, "", "fork/exec /nowhere: no such file or directory"},
		{"another lane", Job{Lane: Attack, Target: Target{Kind: File}}, writes, -1, "", "fork/exec /nowhere: no such file or directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := Runner{Program: []string{"/nowhere"}, Main: tt.main}
			end := r.run(t.Context(), &tt.job, Limits{Time: 200 * time.Millisecond}, []string{"--output=" + filepath.Join(dir, reportName)}, dir)
			if end.exit != tt.exit || string(end.report) != tt.wrote || end.cause != tt.cause {
				t.Errorf("got %+v, want exit %d, report %q, cause %q", end, tt.exit, tt.wrote, tt.cause)
			}
		})
	}
}

var fileJob = Job{Lane: Scan, Target: Target{Kind: File}}

// What a process says last is kept, and of a crash the line that tells why.
func TestTail(t *testing.T) {
	long := strings.Repeat("x", tailBytes)
	for _, tt := range []struct {
		name  string
		wrote []string
		want  string
	}{
		{"lines", []string{"one\ntw", "o\n"}, "one; two"},
		{"too much", []string{"first", long}, long},
		{"far too much", []string{"first", long, long + "y", "z"}, long[2:] + "yz"},
		{"a crash", []string{"read a file\nfatal error: runtime: out", " of memory\n\nruntime stack:\n" + long, "goroutine 1"}, "read a file; fatal error: runtime: out of memory"},
		{"a signal", []string{"SIGSEGV: segmentation violation\nPC=0x439a9d\n"}, "SIGSEGV: segmentation violation"},
		{"a word within a line", []string{"no panic: all is well\nthe end\n"}, "no panic: all is well; the end"},
		{"control characters", []string{"\x1b[31mred"}, "<U+001B>[31mred"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := &tail{}
			for _, text := range tt.wrote {
				_, _ = said.Write([]byte(text)) // it never fails
			}
			if got := said.text(); got != tt.want {
				t.Errorf("got %.200q, want %.200q", got, tt.want)
			}
		})
	}
}
