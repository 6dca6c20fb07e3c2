package fetch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What Python runs at each start is told with the package that brings it; a .pth file that names folders runs nothing.
func TestNoteStartup(t *testing.T) {
	tree := t.TempDir()
	for name, text := range map[string]string{
		"own.pth":                          "# a note\nimport os; os.system('x')\n",
		"folders.pth":                      "../src\nimportant/folder\n",
		"distutils-precedence.pth":         "import os; os.environ.get('X')\n",
		"usercustomize/__init__.py":        "print(1)\n",
		"my_pkg-1.0.dist-info/RECORD":      "own.pth,sha256=x,1\n",
		"setuptools-75.0.dist-info/RECORD": "distutils-precedence.pth,,\nsetuptools/sitecustomize.py,,\n",
		"setuptools/sitecustomize.py":      "",
		"not_sitecustomize.py":             "",
	} {
		file := filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &Fetched{Label: "my-pkg@1.0"}
	p.Name = "my-pkg"
	p.noteStartup(tree)
	var got []string
	for _, s := range p.Facts.Scripts {
		got = append(got, fmt.Sprintf("%s %t %s: %s", s.Package, s.Own, s.File, s.Command))
	}
	slices.Sort(got)
	want := []string{
		"my-pkg@1.0 true own.pth: import os; os.system('x')",
		"my-pkg@1.0 true usercustomize/__init__.py: usercustomize/__init__.py",
		"setuptools@75.0 false distutils-precedence.pth: import os; os.environ.get('X')",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A wheel of thousands of such files is told of, and not read for ever.
func TestNoteStartupLimit(t *testing.T) {
	tree := t.TempDir()
	for i := range maxScripts + 5 {
		if err := os.WriteFile(filepath.Join(tree, fmt.Sprintf("%03d.pth", i)), []byte("import os\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &Fetched{Label: "x@1"}
	p.noteStartup(tree)
	if len(p.Facts.Scripts) != maxScripts || len(p.Facts.Odd) != 1 {
		t.Errorf("%d scripts, %+v", len(p.Facts.Scripts), p.Facts.Odd)
	}
}
