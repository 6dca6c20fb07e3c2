package fleet

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/engine/fleetplan"
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
		job   fleetplan.Job
		main  func(context.Context, []string, io.Writer) int
		exit  int
		wrote string // the report
		cause string
	}{
		{"a file", fileJob, writes, 1, "{}", ""},
		{"a crash", fileJob, func(context.Context, []string, io.Writer) int { panic("index out of range") }, -1, "", "it crashed: index out of range"},
		{"a scan that heeds its time", fileJob, func(ctx context.Context, _ []string, _ io.Writer) int { <-ctx.Done(); return 2 }, 2, "", errTime.Error()},
		{"a server", fleetplan.Job{Lane: fleetplan.Scan, Target: fleetplan.Target{Kind: fleetplan.URL}}, writes, -1, "", "fork/exec /nowhere: no such file or directory"},
		{"another lane", fleetplan.Job{Lane: fleetplan.Attack, Target: fleetplan.Target{Kind: fleetplan.File}}, writes, -1, "", "fork/exec /nowhere: no such file or directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			r := Runner{Program: []string{"/nowhere"}, Main: tt.main}
			end := r.run(t.Context(), &tt.job, fleetplan.Limits{Time: 200 * time.Millisecond}, []string{"--output=" + filepath.Join(dir, reportName)}, dir)
			if end.exit != tt.exit || string(end.report) != tt.wrote || end.cause != tt.cause {
				t.Errorf("got %+v, want exit %d, report %q, cause %q", end, tt.exit, tt.wrote, tt.cause)
			}
		})
	}
}

var fileJob = fleetplan.Job{Lane: fleetplan.Scan, Target: fleetplan.Target{Kind: fleetplan.File}}
