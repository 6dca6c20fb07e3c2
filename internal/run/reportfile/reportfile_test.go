package reportfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/report"
)

func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("in.json", []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("in.json", "link.json"); err != nil {
		t.Fatal(err)
	}
	pretty := report.Formats()[0]
	for _, tt := range []struct {
		name, main string
		more       []string
		progress   string
		want       string // formats and files, or the beginning of the error behind "!"
	}{
		{"standard output", "-", nil, "", "pretty=-"},
		{"further reports in their order", "-", []string{"sarif=b", "json=a"}, "", "pretty=- sarif=b json=a"},
		{"an equals sign in a file's name", "-", []string{"json=a=b"}, "", "pretty=- json=a=b"},
		{"the file of progress ends as JSON", "out", nil, "run", "pretty=out json=run"},
		{"no file", "-", []string{"json="}, "", `!--report: "json=" is not of the form FORMAT=FILE`},
		{"no format", "-", []string{"json"}, "", `!--report: "json" is not of the form FORMAT=FILE`},
		{"unknown format", "-", []string{"xml=a"}, "", "!--report: "},
		{"one file twice", "a", []string{"json=./a"}, "", "!two reports would go to ./a"},
		{"standard output twice", "-", []string{"json=-"}, "", "!two reports would go to standard output"},
		{"the file of progress and a report", "-", []string{"json=a"}, "a", "!two reports would go to a"},
		{"over an input", "in.json", nil, "", "!in.json "},
		{"over an input by another name", "-", []string{"json=link.json"}, "", "!link.json "},
		{"progress over an input", "-", nil, "in.json", "!in.json "},
	} {
		outs, err := Plan(Output{pretty, tt.main}, tt.more, tt.progress, []string{"in.json"})
		if want, wrong := strings.CutPrefix(tt.want, "!"); wrong {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", tt.name, err, want)
			}
			continue
		}
		var got []string
		for _, o := range outs {
			got = append(got, o.Format.Name+"="+o.File)
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestOutputs(t *testing.T) {
	html, err := report.Formats().Lookup("html")
	if err != nil {
		t.Fatal(err)
	}
	plain := []Output{{report.Formats()[0], "-"}, {report.Formats()[0], "a"}}
	if HasPage(plain) || !HasPage(append(plain, Output{html, "b"})) {
		t.Error("a page is not told from other reports")
	}
	if got := Files(plain); !slices.Equal(got, []string{"-", "a"}) {
		t.Errorf("got %q", got)
	}
}

// A page draws at most twelve recordings; what cannot be read is noted, and the rest is read.
func TestConversations(t *testing.T) {
	dir := t.TempDir()
	names := []string{"", "-", filepath.Join(dir, "absent")}
	for i := range maxPageTraces + 1 {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name, name)
	}
	var notes []string
	got := Conversations(names, func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) })
	if len(got) != maxPageTraces || got[0].File != filepath.Join(dir, "0") || len(got[0].Trace.Messages) != 1 {
		t.Errorf("got %d conversations", len(got))
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "absent is not drawn: ") {
		t.Errorf("notes %q", notes)
	}
}

// line is a recording of one message, behind its head.
const line = `{"format":"gauntlet-trace","version":"1.0","tool":"a test"}
{"seq":1,"server":"a","role":"proxy","direction":"to_server","kind":"request","id":"1","method":"tools/list","raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"}` + "\n"
