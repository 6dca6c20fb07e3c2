package fetch

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
		t.Fatal(err)
	}
}

func TestProgramOfABundle(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "bin/server"), "")
	writeFile(t, filepath.Join(outside, "server"), "")
	if err := os.Symlink(filepath.Join(outside, "server"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for command, want := range map[string]string{
		"node": "node", "python": "python3", "uv": "uv",
		"bin/server": filepath.Join(dir, "bin/server"), filepath.Join(dir, "bin/server"): filepath.Join(dir, "bin/server"),
		filepath.Join(outside, "server"): "", "../" + filepath.Base(outside) + "/server": "", dir + "/../" + filepath.Base(outside) + "/server": "", "./link": "", "bin/none": "", "/usr/bin/env": "",
	} {
		if got, err := bundleProgram(command, dir); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", command, got, err, want)
		}
	}
}

func TestProgramOfANodeProject(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "index.js"), "#!/usr/bin/env node\n")
	writeFile(t, filepath.Join(dir, "native"), "\x7fELF")
	writeFile(t, filepath.Join(dir, "lib/index.js"), "")
	writeFile(t, filepath.Join(outside, "program"), "\x7fELF")
	if err := os.Symlink(filepath.Join(outside, "program"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for entry, want := range map[string]string{"index.js": "node", "lib": "node", "native": filepath.Join(dir, "native"), "link": "", "none": "", "../x": ""} {
		s, err := nodeProjectStart(dir, &nodeManifest{Main: entry})
		if want == "" && err == nil || want != "" && (err != nil || s.Command[0] != want) {
			t.Errorf("%s: %+v, %v; want %q", entry, s, err, want)
		}
	}
}

func TestPublicTargets(t *testing.T) {
	f := &Fetcher{Public: true, Cache: t.TempDir(), Progress: func(string, ...any) {}}
	for _, text := range []string{"oci:10.0.0.5:5000/x", "oci:127.0.0.1/x", "oci:127.1/x", "oci:0x7f.0x1/x", "oci:localhost/x", "oci:localhost:5000/x", "oci:registry.example.com:5000/x", "oci:host.internal/x", "git:file:///etc", "mcpb:/tmp/x.mcpb", "http://127.0.0.1/mcp", f.Cache} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Fetch(t.Context(), s); !errors.Is(err, errNotPublic) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, image := range []string{"alpine", "alpine:3.20", "mcp/fetch:latest", "ghcr.io/owner/image:1.2@sha256:ab", "docker.io/library/alpine"} {
		if !publicImage(image) {
			t.Errorf("%s is public", image)
		}
	}
}

func TestProxiesWithoutDirect(t *testing.T) {
	for list, want := range map[string]string{
		"": "https://proxy.golang.org", "direct": "https://proxy.golang.org", "https://proxy.golang.org,direct": "https://proxy.golang.org",
		"https://a.example|https://b.example, direct": "https://a.example,https://b.example", "off": "off",
	} {
		if got := withoutDirect(list); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

// Several runs that unpack one archive at once all get it.
func TestUnpackedAtOnce(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "one.zip")
	writeFile(t, archive, oneZip(t))
	f := &Fetcher{Cache: t.TempDir()}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			p := &Fetched{}
			if _, err := f.unpackArchive(t.Context(), p, archive, unpackOptions{}); err != nil {
				t.Error(err)
			} else if text, err := os.ReadFile(filepath.Join(p.Dir, "a.txt")); err != nil || string(text) != "text" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	all.Wait()
}

func TestCompareNPM(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.tgz")
	writeFile(t, archive, "content")
	for _, tt := range []struct {
		integrity, shasum string
		mismatch          bool
	}{
		{"", "040f06fd774092478d450774f5ba30c5da78acc8", false},
		{"", strings.Repeat("0", 40), true},
		{"sha512-sofaRy8JvcHhyAp1G/LcMOTKb5vd/u4dKzb/0Kp/n4DYYvfBQRzQYi/oKuUJPg7sVmPpRBmqEjrfkJZVXQQ7sQ==", "", true},
	} {
		var v npmView
		v.Dist.Integrity, v.Dist.Shasum = tt.integrity, tt.shasum
		p := &Fetched{}
		if err := p.compareNPM(archive, &v); err != nil || (p.Facts.Mismatch != "") != tt.mismatch {
			t.Errorf("%+v: %q, %v", tt, p.Facts.Mismatch, err)
		}
	}
	if err := (&Fetched{}).compareNPM(archive+".none", &npmView{}); err != nil {
		t.Errorf("without a hash there is nothing to read: %v", err)
	}
}

func oneZip(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	one, err := w.Create("a.txt")
	if err == nil {
		_, err = one.Write([]byte("text"))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A lockfile in a package names what npm loads, in the forms of all its versions; what is not of the registry is named.
func TestShrinkwrap(t *testing.T) {
	for _, tt := range []struct{ name, lock, want string }{
		{"of the registry", `{"packages":{"":{"version":"1.0.0"},"node_modules/x":{"version":"1.0.0","resolved":"https://registry.example.org/x.tgz"}}}`, ""},
		{"another host", `{"packages":{"node_modules/a/node_modules/@s/x":{"version":"1.0.0","resolved":"http://127.0.0.1:9/x.tgz?token=1"}}}`, `@s/x: the npm-shrinkwrap.json of p@1 has it come from "http://127.0.0.1:9/x.tgz", which is not the registry`},
		{"the first form", `{"dependencies":{"y":{"version":"1.0.0","dependencies":{"x":{"version":"git+ssh://git@example.org/x.git#1"}}}}}`, `x: the npm-shrinkwrap.json of p@1 has it come from "git+ssh://example.org/x.git", which is not the registry`},
		{"broken", `{"packages":`, "p@1: its npm-shrinkwrap.json could not be read"},
	} {
		p := &Fetched{Label: "p@1", Dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(p.Dir, "npm-shrinkwrap.json"), []byte(tt.lock), 0o600); err != nil {
			t.Fatal(err)
		}
		p.noteShrinkwrap([]string{"https://registry.example.org/npm/"})
		got := ""
		for _, o := range p.Facts.Odd {
			got += o.Package + ": " + o.Detail
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
