package liveview

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorderOf returns a recorder and what it says.
func recorderOf(file string, view bool) (*Recorder, *[]string) {
	said := new([]string)
	return &Recorder{File: file, View: view, Say: func(format string, args ...any) { *said = append(*said, fmt.Sprintf(format, args...)) }}, said
}

func TestRecorderWithoutAFile(t *testing.T) {
	r, said := recorderOf("", false)
	if err := r.Prepare("scan"); err != nil || r.File != "" || r.Start() != nil {
		t.Errorf("%v, file %q", err, r.File)
	}
	r.Close()
	r.End(t.Context(), nil)
	if len(*said) > 0 {
		t.Errorf("it said %q", *said)
	}
}

func TestRecorderKeepsARecord(t *testing.T) {
	for _, tt := range []struct {
		name     string
		err      error
		reported bool
		want     string
	}{
		{"without a report", nil, false, "it had nothing to report"},
		{"after an error", errors.New("no such file"), false, "no such file"},
		{"after the report", nil, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.json")
			r, _ := recorderOf(file, false)
			if err := r.Prepare("attack run"); err != nil {
				t.Fatal(err)
			}
			record := r.Start()
			if record == nil || r.Start() != record {
				t.Fatal("a run has one record")
			}
			if tt.reported {
				r.Close()
			}
			r.End(t.Context(), tt.err)
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), `"command":"attack run"`) || strings.Contains(string(text), `"ended"`) == tt.reported || !strings.Contains(string(text), tt.want) {
				t.Errorf("%v, the record is %q, want %q at its end", err, text, tt.want)
			}
		})
	}
}

func TestRecorderThatCannotWrite(t *testing.T) {
	r, said := recorderOf(filepath.Join(t.TempDir(), "none", "run.json"), true)
	if err := r.Prepare("scan"); err != nil {
		t.Fatal(err)
	}
	if r.Start() != nil || len(*said) != 1 || !strings.HasPrefix((*said)[0], "--progress: ") {
		t.Errorf("it said %q", *said)
	}
	r.End(t.Context(), nil)
}

// A view of a run for which nobody named a file has one of its own, which goes with it; a file that was named stays.
func TestRecorderShowsTheRun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	named := filepath.Join(t.TempDir(), "run.json")
	for _, file := range []string{"", named} {
		r, said := recorderOf(file, true)
		if err := r.Prepare("attack run"); err != nil {
			t.Fatal(err)
		}
		if file == "" && filepath.Base(r.File) != "run.json" || file != "" && r.File != file {
			t.Errorf("the record is in %s", r.File)
		}
		if r.Start() == nil || len(*said) != 1 {
			t.Fatalf("it said %q", *said)
		}
		address, _ := strings.CutPrefix((*said)[0], "open ")
		if code, _ := get(t, address); code != http.StatusOK {
			t.Errorf("%s answers with status %d", address, code)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		r.End(over, nil)
		if _, err := os.Stat(r.File); (err == nil) != (file != "") {
			t.Errorf("after the end %s: %v", r.File, err)
		}
	}
}
