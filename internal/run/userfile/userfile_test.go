package userfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReplaceFileIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "report")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := replaceFile(file, 0, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the new")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if got, _ := os.ReadFile(file); string(got) != "old" {
		t.Errorf("the file holds %q, want what was there", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files, want only the report", len(entries))
	}
}

// A name that cannot be read says why before anything waits on it.
func TestReadText(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"ten": "0123456789", "empty": ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, file, stdin string
		limit             int
		want, err         string
	}{
		{"as long as the limit", "ten", "", 10, "0123456789", ""},
		{"longer than the limit", "ten", "", 9, "", "the file has 10 bytes, the limit is 9"},
		{"stdin as long as the limit", "-", "0123456789", 10, "0123456789", ""},
		{"stdin longer than the limit", "-", "0123456789", 9, "", "more than 9 bytes"},
		{"an empty file", "empty", "", 9, "", "it is empty"},
		{"no file", "none", "", 9, "", "no such file"},
		{"a directory", ".", "", 9, "", "it is a directory"},
		{"a device", "/dev/null", "", 9, "", "not a regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadText(tt.file, strings.NewReader(tt.stdin), tt.limit)
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q, %v, want %q, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestSame(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"soft": "a"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link("a", "hard"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"a", "./a", true}, {"a", "soft", true}, {"a", "hard", true}, {"a", "b", false},
		{"new", "./new", true}, {"new", "newer", false}, {"-", "-", true}, {"-", "a", false}, {"/dev/null", "/dev/null", false},
	} {
		for _, names := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := Same(names[0], names[1]); got != tt.want {
				t.Errorf("Same(%q, %q) = %v, want %v", names[0], names[1], got, tt.want)
			}
		}
	}
}

func TestCheckWritable(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("dir", 0o700), os.WriteFile("in", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ file, err string }{
		{"-", ""}, {"new", ""}, {"dir/new", ""}, {"dir", "it is a directory, want a file"},
		{"none/new", "there is no folder none; create it first"}, {"in", "would be read and overwritten"}, {"./in", "would be read and overwritten"},
	} {
		err := CheckWritable(tt.file, []string{"-", "in"})
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("CheckWritable(%q): %v, want %q", tt.file, err, tt.err)
		}
	}
}
