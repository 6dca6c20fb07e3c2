package fetch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	dir := t.TempDir()
	bundle, other := filepath.Join(dir, "a.mcpb"), filepath.Join(dir, "a.txt")
	for _, f := range []string{bundle, other} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		text string
		want Spec // Text is left out; no kind for an error
	}{
		{"npm:some-mcp", Spec{Kind: NPM, Name: "some-mcp"}},
		{"npm:@scope/name@1.2.3", Spec{Kind: NPM, Name: "@scope/name", Version: "1.2.3"}},
		{"npm:@scope/name@^1.2 || >=3", Spec{Kind: NPM, Name: "@scope/name", Version: "^1.2 || >=3"}},
		{"npm:--global", Spec{}},
		{"npm:name@--global", Spec{}},
		{"npm:name@file:/etc", Spec{}},
		{"npm:name@git+https://evil.example/x", Spec{}},
		{"npm:../name", Spec{}},
		{"npm:", Spec{}},
		{"pypi:some_mcp==1.2", Spec{Kind: PyPI, Name: "some_mcp", Version: "1.2"}},
		{"pypi:some-mcp[cli]", Spec{Kind: PyPI, Name: "some-mcp[cli]"}},
		{"pypi:-r", Spec{}},
		{"pypi:name @ https://evil.example", Spec{}},
		{"go:example.org/m@v1.2.3", Spec{Kind: Go, Name: "example.org/m", Version: "v1.2.3"}},
		{"go:./cmd", Spec{}},
		{"git:https://example.org/a.git#main", Spec{Kind: Git, Name: "https://example.org/a.git", Version: "main"}},
		{"git:git@example.org:a/b", Spec{Kind: Git, Name: "git@example.org:a/b"}},
		{"git:ext::sh -c x", Spec{}},
		{"git:--upload-pack=x", Spec{}},
		{"git:https://example.org/a#--output=x", Spec{}},
		{"oci:ghcr.io/a/b:1.0", Spec{Kind: OCI, Name: "ghcr.io/a/b:1.0"}},
		{"oci:--privileged", Spec{}},
		{"registry:io.example/weather@1.0.0", Spec{Kind: Registry, Name: "io.example/weather", Version: "1.0.0"}},
		{"registry:../x", Spec{}},
		{"mcpb:" + bundle, Spec{Kind: MCPB, Name: bundle}},
		{bundle, Spec{Kind: MCPB, Name: bundle}},
		{dir, Spec{Kind: Directory, Name: dir}},
		{other, Spec{}},
		{"HTTPS://example.org/mcp", Spec{Kind: URL, Name: "HTTPS://example.org/mcp"}},
		{"nothing-of-that-name", Spec{}},
	} {
		t.Run(strings.ReplaceAll(tt.text, dir, "DIR"), func(t *testing.T) {
			got, err := Parse(tt.text)
			got.Text = ""
			if got != tt.want || (err != nil) != (tt.want.Kind == "") {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestCredentialsAreNotShown(t *testing.T) {
	for _, text := range []string{"git:https://ada:secret@example.org/a?token=secret#main", "https://ada:secret@example.org/mcp?key=secret"} {
		s, err := Parse(text)
		if err != nil || strings.Contains(s.Text, "secret") || !strings.Contains(s.Name, "secret") {
			t.Errorf("%q: shown as %q, used as %q, %v", text, s.Text, s.Name, err)
		}
	}
}

// Whatever is named, no client takes it for an option, a file or an address of another kind.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"npm:@a/b@1", "pypi:a==1", "go:a.b/c@v1", "git:https://a/b#c", "oci:a:1", "registry:a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil || s.Kind == Directory || s.Kind == MCPB || s.Kind == URL {
			return
		}
		for _, word := range []string{s.Name, s.Version} {
			if strings.HasPrefix(word, "-") || strings.ContainsAny(word, "\x00\n\r") {
				t.Errorf("%q gives the word %q", text, word)
			}
		}
		if s.Kind == NPM && strings.ContainsAny(s.Version, ":/") {
			t.Errorf("%q gives the version %q", text, s.Version)
		}
	})
}

func TestChooseProgram(t *testing.T) {
	for _, tt := range []struct {
		names  string
		pkg    string
		want   string
		others int
	}{
		{"", "a", "", 0}, {"b", "a", "b", 0}, {"b a", "a", "a", 1}, {"setup weather-mcp cli", "x", "weather-mcp", 2}, {"z server-run", "x", "server-run", 1}, {"z y", "x", "y", 1},
	} {
		if got, others := chooseProgram(strings.Fields(tt.names), tt.pkg); got != tt.want || others != tt.others {
			t.Errorf("of %q for %q: %q, %d others; want %q, %d", tt.names, tt.pkg, got, others, tt.want, tt.others)
		}
	}
}
