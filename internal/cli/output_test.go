package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/report"
	"gauntlet/result"
)

func TestOutputsArePlanned(t *testing.T) {
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
		outs, err := (&outputFlags{app: &app{}, format: pretty, file: tt.main, more: tt.more, live: &tt.progress}).checkOutputs([]string{"in.json"})
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
	dir := t.TempDir()
	plain := outputs{{report.Formats()[0], "-"}, {report.Formats()[0], filepath.Join(dir, "a")}}
	for _, tt := range []struct {
		outs outputs
		page bool
	}{{plain, false}, {append(plain, output{html, filepath.Join(dir, "b")}), true}} {
		a, page := &app{host: Host{Stdout: io.Discard, Stderr: io.Discard}}, false
		a.writeReports(&outputFlags{}, tt.outs, &result.Report{}, "", func(*report.Options) { page = true })
		if page != tt.page {
			t.Errorf("%q: a page is asked for %t, want %t", tt.outs.files(), page, tt.page)
		}
	}
}
