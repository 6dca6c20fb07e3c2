package main

import (
	"bytes"
	"strings"
	"testing"

	"gauntlet/result"
)

func TestScanFile(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		code       int
	}{
		{"../poisoned.json", "SEC-003", result.ExitGate},
		{"../honest.json", "The scan is complete", 0},
	} {
		var out bytes.Buffer
		code, err := scanFile(tt.name, &out)
		if err != nil || code != tt.code || !strings.Contains(out.String(), tt.says) {
			t.Errorf("%s: exit code %d, want %d, and %q (%v)\n%s", tt.name, code, tt.code, tt.says, err, out.String())
		}
	}
	if _, err := scanFile("missing.json", new(bytes.Buffer)); err == nil {
		t.Error("a file that is missing is no error")
	}
}
