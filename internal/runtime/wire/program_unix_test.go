//go:build unix

package wire

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A child that a program leaves behind has the grace, with its output held open or not, and no longer.
func TestWhatAProgramLeavesHasTheGrace(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		written      bool
	}{
		{"a child without output", "(sleep 0.3; echo late > late) >/dev/null 2>&1 &", true},
		{"a child that holds the output", "(sleep 0.3; echo late > late) &", true},
		{"a child that stays too long", "(sleep 30; echo late > late) >/dev/null 2>&1 &", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			start := time.Now()
			p, err := Launch(Command{Args: []string{"/bin/sh", "-c", tt.script}, Dir: dir, Environ: os.Environ(), Grace: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			exit, err := p.Wait(t.Context())
			if err != nil || exit.Code != 0 || exit.Cut {
				t.Fatalf("Wait() = %+v, %v", exit, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "late")); (err == nil) != tt.written {
				t.Errorf("written: %v, want %v", err == nil, tt.written)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v: what it left behind was waited for", took)
			}
		})
	}
}
