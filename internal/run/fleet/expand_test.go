//go:build unix

package fleet

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// expand returns the targets of a plan in a directory and what was left of it, "NAME: REASON".
func expand(t *testing.T, dir, targets string) (names, left []string) {
	t.Helper()
	plan, wrong := Parse(filepath.Join(dir, "plan.yaml"), "targets: ["+targets+"]\nlanes: [scan, vet]\n")
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	e, err := expandPlan(t.Context(), plan, "test")
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.jobs {
		names = append(names, e.jobs[i].Target.Label())
	}
	for _, l := range e.list.Left {
		left = append(left, strings.TrimPrefix(l.Target, dir+"/")+": "+l.Reason)
	}
	return names, left
}

// Everything that a plan names is a target with a name of its own, or is left and named with the reason.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/x.json", "a/y.JSON", "a/z.jsonc", "a/readme.md", "b/x.json", "b/below/x.json", "elsewhere/w.json"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"tools":[]}`), 0o600); err != nil { // all of one content
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"a/link.json": "../elsewhere/w.json", "a/dir": "../elsewhere", "a/notes": "readme.md", "a/gone.json": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "a", "pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	const link = ": it is a link, which is not followed: name the file or directory itself"
	for _, tt := range []struct {
		name, targets string
		names, left   []string
	}{
		{"links, pipes and capitals", "directory: a", []string{"a/x.json", "a/y.JSON", "a/z.jsonc"},
			[]string{"a/dir" + link, "a/gone.json" + link, "a/link.json" + link, "a/pipe.json: it is no regular file, and was not read"}},
		{"one content in two places", "directory: b", []string{"b/below/x.json", "b/x.json"}, nil},
		{"one file named twice", "b/x.json, {file: ./b/x.json}, {directory: b}", []string{"b/x.json", "b/below/x.json"}, nil},
		{"one name for two files", "{file: a/x.json, name: one}, {file: b/x.json, name: one}", []string{"one", "one (" + dir + "/b/x.json)"}, nil},
		{"one file by two names", "{file: b/x.json, name: one}, {file: b/x.json, name: two}", []string{"one", "two"}, nil},
		{"one command with other variables", "{command: [s], env: [A]}, {command: [s], env: [B]}, {command: [s], env: [C]}", []string{"s", "s (command)", "s (command) #2"}, nil},
		{"one name for a server and a package", "{url: 'https://a.example', name: a}, {package: 'npm:a', name: a}", []string{"a", "a (npm:a)"}, nil},
		{"an empty directory", "directory: empty", nil, []string{"empty: the directory holds no file of JSON"}},
		{"a directory that is missing", "directory: nowhere", nil, []string{"nowhere: the directory cannot be read: no such file or directory"}},
		{"a file that is missing", "nowhere.json", nil, []string{"nowhere.json: no such file"}},
		{"what no lane takes", "agent: 'builtin:victim'", nil, []string{"builtin:victim: no lane of the plan takes a target of the kind agent"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names, left := expand(t, dir, tt.targets)
			if !slices.Equal(names, tt.names) || !slices.Equal(left, tt.left) {
				t.Errorf("targets %q, left %q; want %q, %q", names, left, tt.names, tt.left)
			}
		})
	}
}

// A registry is read page by page, each cursor once, also the empty one; what is not read is named.
func TestRegistryPages(t *testing.T) {
	pages := map[string]string{}
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		key := "first"
		if r.URL.Query().Has("cursor") {
			key = r.URL.Query().Get("cursor")
		}
		page, ok := pages[key]
		if !ok || r.URL.Query().Get("limit") != "1" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprint(w, page)
	}))
	defer s.Close()
	page := func(name, cursor string) string {
		return fmt.Sprintf(`{"servers":[{"server":{"name":%q,"remotes":[{"url":"http://%s.example/mcp"}]}}],"metadata":{"nextCursor":%s}}`, name, name, cursor)
	}
	for _, tt := range []struct {
		name  string
		pages map[string]string
		names []string
		left  string // after the URL
		asked int
	}{
		{"one page", map[string]string{"first": page("a", "null")}, []string{"a"}, "", 1},
		{"three pages, one behind an empty cursor", map[string]string{"first": page("a", `"b&c"`), "b&c": page("b", `""`), "": page("c", "null")}, []string{"a", "b", "c"}, "", 3},
		{"a circle", map[string]string{"first": page("a", `"1"`), "1": page("b", `"2"`), "2": page("c", `"1"`)}, []string{"a", "b", "c"}, "", 3},
		{"a page that fails", map[string]string{"first": page("a", `"1"`)}, []string{"a"}, ": the answer is 500 Internal Server Error: the rest was not read", 2},
		{"a page that is none", map[string]string{"first": page("a", `"1"`), "1": "{}"}, []string{"a"}, "page 2: it is no answer of a registry", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages, asked = tt.pages, 0
			names, left := expand(t, t.TempDir(), "registry: '"+s.URL+"/v0/servers?limit=1'")
			if !slices.Equal(names, tt.names) || (len(left) > 0) != (tt.left != "") || !strings.Contains(strings.Join(left, "; "), tt.left) || asked != tt.asked {
				t.Errorf("targets %q, left %q, %d requests; want %q, %q, %d", names, left, asked, tt.names, tt.left, tt.asked)
			}
		})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "export.json"), []byte(page("a", `"1"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if names, left := expand(t, dir, "registry: export.json"); len(names) != 1 || len(left) != 1 || !strings.Contains(left[0], "one page of a longer list") {
		t.Errorf("of one page in a file: targets %q, left %q", names, left)
	}
}
