package runstate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The line says how many of several servers are through, and of one it does not.
func TestProgressCountsServers(t *testing.T) {
	for _, tt := range []struct {
		all  int
		want string
	}{
		{20, "3 of 20 servers are through; github: tools/list…"},
		{1, "github: tools/list…"},
	} {
		var out bytes.Buffer
		p := &Progress{w: &out}
		p.Count(0, tt.all)
		for range 3 {
			p.Count(1, 0)
		}
		p.Step("github: tools/list")
		p.drawLine()
		if got := strings.TrimPrefix(out.String(), clearLine); got != tt.want {
			t.Errorf("%d servers: %q, want %q", tt.all, got, tt.want)
		}
		p.ResetCount()
		out.Reset()
		p.drawLine()
		if got := strings.TrimPrefix(out.String(), clearLine); got != "github: tools/list…" {
			t.Errorf("after the last server: %q", got)
		}
	}
}

// What ends before patience runs out leaves nothing on the terminal, and slow work clears its line.
func TestLineIsForSlowWork(t *testing.T) {
	for _, tt := range []struct {
		takes time.Duration
		want  string
	}{
		{patience - time.Millisecond, ""},
		{patience + refresh/2, clearLine + "github: tools/list…" + clearLine},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := StartProgress(&out, nil)
			p.Step("github: tools/list")
			time.Sleep(tt.takes)
			p.Stop()
			if out.String() != tt.want {
				t.Errorf("work of %v leaves %q, want %q", tt.takes, out.String(), tt.want)
			}
		})
	}
}

// Without a terminal, the log takes what should be known before the end, and no other step.
func TestTell(t *testing.T) {
	var log []string
	p := StartProgress(nil, nil)
	p.Log = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	p.Step("starting %s", "github")
	p.Tell("%s says: %s", "github", "KEY is required")
	if want := []string{"github says: KEY is required"}; !slices.Equal(log, want) || p.Doing() != want[0] {
		t.Errorf("the log is %q, the line %q, want %q", log, p.Doing(), want)
	}
}
