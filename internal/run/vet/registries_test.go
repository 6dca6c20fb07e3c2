package vet

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// files are the files of a package, by path.
type files map[string]string

func (f files) sorted() []string {
	var out []string
	for name := range f {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// tgz packs files as npm does, below the folder package. Further headers stand behind them.
func (f files) tgz(t *testing.T, more ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range f.sorted() {
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o755, Size: int64(len(f[name])), Typeflag: tar.TypeReg}), write(w, f[name])); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range more {
		if err := errors.Join(w.WriteHeader(h), write(w, strings.Repeat("\x00", int(h.Size)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(w interface{ Write([]byte) (int, error) }, text string) error {
	_, err := w.Write([]byte(text))
	return err
}

// zip packs files below a folder, "" for none.
func (f files) zip(t *testing.T, prefix string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range f.sorted() {
		one, err := w.Create(prefix + name)
		if err := errors.Join(err, write(one, f[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write writes the files below a directory.
func (f files) write(t *testing.T, dir string) {
	t.Helper()
	for _, name := range f.sorted() {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(f[name]), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
}

// A world is registries of all kinds, made of fixtures, and the environment of a user of them.
type world struct {
	mu sync.Mutex // of what is published
	*httptest.Server
	home, cache string
	environ     []string

	npm     map[string]map[string]any // packuments by name
	archive map[string][]byte         // by path
	pypi    map[string][]map[string]any
	servers map[string]map[string]any // of the MCP registry
	// waiting is closed when somebody asks for a path that is not answered.
	waiting chan struct{}
	asked   sync.Once
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{home: t.TempDir(), cache: t.TempDir(), npm: map[string]map[string]any{}, archive: map[string][]byte{}, pypi: map[string][]map[string]any{}, servers: map[string]map[string]any{}, waiting: make(chan struct{})}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	gocache := filepath.Join(w.home, "gocache")
	if out, err := exec.Command("go", "env", "GOCACHE").Output(); err == nil {
		gocache = strings.TrimSpace(string(out)) // with the standard library
	}
	w.environ = []string{
		"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"npm_config_registry=" + w.URL + "/npm/", "npm_config_cache=" + filepath.Join(w.home, "npm"), "npm_config_fetch_retries=0", "npm_config_replace_registry_host=never",
		"PIP_INDEX_URL=" + w.URL + "/simple/", "PIP_CONFIG_FILE=" + os.DevNull, "PIP_TRUSTED_HOST=127.0.0.1", "PIP_RETRIES=0",
		"GOPROXY=" + w.URL + "/go", "GOSUMDB=off", "GOCACHE=" + gocache, "GOFLAGS=",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
	}
	return w
}

func (w *world) ServeHTTP(a http.ResponseWriter, q *http.Request) {
	body, kind, waits := w.answer(q)
	switch {
	case waits:
		w.asked.Do(func() { close(w.waiting) })
		<-q.Context().Done()
	case body == nil:
		http.NotFound(a, q)
	default:
		if kind != "" {
			a.Header().Set("Content-Type", kind)
		}
		_, _ = a.Write(body)
	}
}

// answer returns what is published at an address, nil for nothing, and whether it never comes. Tests publish more while
// connections of the clients before are still open.
func (w *world) answer(q *http.Request) (body []byte, kind string, waits bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := q.URL.Path
	if body, ok := w.archive[p]; ok {
		return body, "", body == nil
	}
	var answer any
	switch {
	case strings.HasPrefix(p, "/npm/"):
		if one, ok := w.npm[strings.TrimPrefix(p, "/npm/")]; ok {
			answer = one
		}
	case strings.HasPrefix(p, "/simple/"):
		if list, ok := w.pypi[strings.Trim(strings.TrimPrefix(p, "/simple/"), "/")]; ok {
			answer = map[string]any{"meta": map[string]any{"api-version": "1.1"}, "name": path.Base(p), "files": list}
			kind = "application/vnd.pypi.simple.v1+json"
		}
	case strings.HasPrefix(p, "/v0.1/servers/"):
		name, _, _ := strings.Cut(strings.TrimPrefix(q.URL.EscapedPath(), "/v0.1/servers/"), "/")
		if name, err := url.PathUnescape(name); err == nil && w.servers[name] != nil {
			answer = map[string]any{"server": w.servers[name]}
		}
	}
	if answer == nil {
		return nil, "", false
	}
	body, _ = json.Marshal(answer) // of texts and numbers
	return body, kind, false
}

// publish changes what is published.
func (w *world) publish(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// publishNPM publishes a package of npm. manifest is its package.json but for name and version.
func (w *world) publishNPM(t *testing.T, name, version string, manifest map[string]any, content files, more ...*tar.Header) {
	t.Helper()
	if manifest == nil {
		manifest = map[string]any{}
	}
	manifest["name"], manifest["version"] = name, version
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	all := files{"package.json": string(text)}
	for n, c := range content {
		all[n] = c
	}
	w.publishArchive(name, version, manifest, all.tgz(t, more...))
}

func (w *world) publishArchive(name, version string, manifest map[string]any, archive []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sum := sha512.Sum512(archive)
	at := "/npm/" + name + "/-/" + path.Base(name) + "-" + version + ".tgz"
	w.archive[at] = archive
	one := map[string]any{}
	for k, v := range manifest {
		one[k] = v
	}
	one["dist"] = map[string]any{"tarball": w.URL + at, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	one["maintainers"] = []any{map[string]any{"name": "ada", "email": "ada@example.org"}}
	doc := w.npm[name]
	if doc == nil {
		doc = map[string]any{"name": name, "versions": map[string]any{}, "time": map[string]any{}, "dist-tags": map[string]any{}, "maintainers": one["maintainers"]}
		w.npm[name] = doc
	}
	doc["versions"].(map[string]any)[version] = one
	doc["time"].(map[string]any)[version] = "2026-01-02T03:04:05.000Z"
	doc["dist-tags"].(map[string]any)["latest"] = version
}

// publishPyPI publishes a wheel.
func (w *world) publishPyPI(t *testing.T, name, version, requires string, content files) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	info := strings.ReplaceAll(name, "-", "_") + "-" + version + ".dist-info/"
	all := files{
		info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\nAuthor: Ada\n" + requires + "\n",
		info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
	}
	for n, c := range content {
		all[strings.ReplaceAll(n, "INFO/", info)] = c
	}
	record := ""
	for _, n := range all.sorted() {
		sum := sha256.Sum256([]byte(all[n]))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", n, base64.RawURLEncoding.EncodeToString(sum[:]), len(all[n]))
	}
	all[info+"RECORD"] = record + info + "RECORD,,\n"
	wheel := all.zip(t, "")
	file := strings.ReplaceAll(name, "-", "_") + "-" + version + "-py3-none-any.whl"
	w.archive["/wheels/"+file] = wheel
	sum := sha256.Sum256(wheel)
	w.pypi[name] = append(w.pypi[name], map[string]any{"filename": file, "url": w.URL + "/wheels/" + file, "hashes": map[string]any{"sha256": hex.EncodeToString(sum[:])}, "upload-time": "2026-01-02T03:04:05.000Z", "yanked": false})
}

// publishGo publishes a module.
func (w *world) publishGo(t *testing.T, module, version string, content files) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	base := "/go/" + module + "/@v/" + version
	w.archive[base+".info"] = fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-02T03:04:05Z"}`, version)
	w.archive[base+".mod"] = []byte(content["go.mod"])
	w.archive[base+".zip"] = content.zip(t, module+"@"+version+"/")
	w.archive["/go/"+module+"/@v/list"] = []byte(version + "\n")
	w.archive["/go/"+module+"/@latest"] = w.archive[base+".info"]
}

// repository makes a repository with one commit and returns its address and the commit.
func repository(t *testing.T, w *world, content files) (address, commit string) {
	t.Helper()
	dir := t.TempDir()
	content.write(t, dir)
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "."}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "-m", "first"}, {"rev-parse", "HEAD"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, w.environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		commit = strings.TrimSpace(string(out))
	}
	return "file://" + dir, commit
}
