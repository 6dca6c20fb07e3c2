package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/result"
)

// An entry of an archive in a test; a link has a target.
type entry struct {
	name, content, target string
	kind                  byte // of tar; 0 for a regular file
}

func tarball(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o755, Size: int64(len(e.content)), Linkname: e.target, Typeflag: e.kind}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipfile(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(0o644)
		content := e.content
		if e.target != "" {
			h.SetMode(fs.ModeSymlink | 0o777)
			content = e.target
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked unpacks an archive into out below a new directory, and returns that directory as well.
func unpacked(t testing.TB, archive []byte, o unpackOptions) (*Unpacked, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "archive"), archive, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	u, err := unpackFile(t.Context(), filepath.Join(dir, "archive"), filepath.Join(dir, "out"), o)
	if err != nil {
		t.Fatal(err)
	}
	return u, dir
}

// written lists the files below a directory.
func written(t testing.TB, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if !d.Type().IsRegular() {
				t.Errorf("%s is no regular file", path)
			}
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

func kinds(faults []result.ArchiveFault) (out []string) {
	for _, f := range faults {
		out = append(out, f.Kind)
	}
	return out
}

func TestHostileEntries(t *testing.T) {
	honest := entry{name: "package/index.js", content: "1"}
	for _, tt := range []struct {
		name   string
		entry  entry
		faults []string
		also   string // a file that is written beside the honest one
	}{
		{"a path that leads out", entry{name: "package/../../evil", content: "x"}, []string{"outside"}, ""},
		{"a path that leads up and back", entry{name: "package/../../package/x", content: "x"}, []string{"outside"}, ""},
		{"a path that stays inside", entry{name: "package/lib/../y", content: "x"}, nil, "y"},
		{"an absolute path", entry{name: "/tmp/evil", content: "x"}, []string{"outside"}, ""},
		{"a backslash", entry{name: `package/..\..\evil`, content: "x"}, []string{"broken"}, ""},
		{"a link that leads out", entry{name: "package/a", target: "../../etc/passwd", kind: tar.TypeSymlink}, []string{"link"}, ""},
		{"an absolute link", entry{name: "package/a", target: "/etc/passwd", kind: tar.TypeSymlink}, []string{"link"}, ""},
		{"a link that stays inside", entry{name: "package/lib/a", target: "../index.js", kind: tar.TypeSymlink}, nil, ""},
		{"a hard link that leads out", entry{name: "package/a", target: "../x", kind: tar.TypeLink}, []string{"link"}, ""},
		{"a device", entry{name: "package/a", kind: tar.TypeChar}, []string{"special"}, ""},
		{"a pipe", entry{name: "package/a", kind: tar.TypeFifo}, []string{"special"}, ""},
		{"a file where a directory is", entry{name: "package/index.js/b", content: "x"}, []string{"broken"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, dir := unpacked(t, tarball(t, honest, tt.entry), unpackOptions{Strip: 1})
			if got := kinds(u.Faults); !slices.Equal(got, tt.faults) {
				t.Errorf("faults %v, want %v", u.Faults, tt.faults)
			}
			want := []string{"archive", "out/index.js"}
			if tt.also != "" {
				want = append(want, "out/"+tt.also)
			}
			if got := written(t, dir); !slices.Equal(got, want) {
				t.Errorf("written: %q, want %q", got, want)
			}
		})
	}
}

func TestZip(t *testing.T) {
	u, dir := unpacked(t, zipfile(t, entry{name: "m@v1/go.mod", content: "module m"}, entry{name: "../x", content: "x"}, entry{name: "m@v1/l", target: "/etc/passwd"}), unpackOptions{Prefix: "m@v1/"})
	if got := kinds(u.Faults); !slices.Equal(got, []string{"outside", "link"}) {
		t.Errorf("faults %v", u.Faults)
	}
	if got := written(t, dir); !slices.Equal(got, []string{"archive", "out/go.mod"}) {
		t.Errorf("written: %q", got)
	}
}

func TestBombsEndEarly(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	limits := unpackLimits{BombBytes: 64 << 10, BombRatio: 100}
	for _, tt := range []struct {
		name    string
		archive []byte
	}{
		{"tar", tarball(t, entry{name: "p/zeros", content: zeros})},
		{"zip", zipfile(t, entry{name: "p/zeros", content: zeros})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, _ := unpacked(t, tt.archive, unpackOptions{Limits: limits})
			if got := kinds(u.Faults); !slices.Equal(got, []string{"bomb"}) || !u.Hostile() {
				t.Errorf("faults %v", u.Faults)
			}
			if u.Bytes > 512<<10 {
				t.Errorf("%d bytes were unpacked", u.Bytes)
			}
		})
	}
	// The near miss: as large, and not more than its size deserves.
	u, _ := unpacked(t, tarball(t, entry{name: "p/zeros", content: zeros}), unpackOptions{})
	if len(u.Faults) > 0 || u.Bytes != 1<<20 {
		t.Errorf("an archive below the limits: %+v", u)
	}
}

func TestLimits(t *testing.T) {
	archive := tarball(t, entry{name: "p/a", content: "1234"}, entry{name: "p/b", content: "5678"})
	for _, tt := range []struct {
		name   string
		limits unpackLimits
		want   string
	}{
		{"entries", unpackLimits{Files: 1}, "more than 1 entries"},
		{"bytes of a file", unpackLimits{FileBytes: 3}, "has more than 3 bytes"},
		{"bytes", unpackLimits{Bytes: 7}, "together have more than 7 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, _ := unpacked(t, archive, unpackOptions{Limits: tt.limits})
			if len(u.Faults) != 1 || u.Faults[0].Kind != result.FaultLimit || !strings.Contains(u.Faults[0].Detail, tt.want) || u.Hostile() {
				t.Errorf("faults %+v, want a limit with %q", u.Faults, tt.want)
			}
		})
	}
}

func TestBrokenArchives(t *testing.T) {
	whole := tarball(t, entry{name: "p/a", content: strings.Repeat("text ", 1000)})
	for name, archive := range map[string][]byte{"nothing": nil, "words": []byte("no archive at all, but words"), "half": whole[:len(whole)/2]} {
		t.Run(name, func(t *testing.T) {
			u, _ := unpacked(t, archive, unpackOptions{})
			if name != "nothing" && (len(u.Faults) != 1 || u.Faults[0].Kind != result.FaultBroken) {
				t.Errorf("faults %+v, want one that says it is broken", u.Faults)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), tarball(t, entry{name: "p/a", content: "x"}), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := unpackFile(ctx, filepath.Join(dir, "a"), t.TempDir(), unpackOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// Whatever an archive holds, nothing is written outside, and no more than the limits allow.
func FuzzFile(f *testing.F) {
	f.Add(tarball(f, entry{name: "p/../../x", content: "x"}, entry{name: "p/l", target: "/", kind: tar.TypeSymlink}, entry{name: "p/l/y", content: "y"}))
	f.Add(zipfile(f, entry{name: "../x", content: "x"}, entry{name: "p/y", content: "y"}))
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, archive []byte) {
		u, dir := unpacked(t, archive, unpackOptions{Limits: unpackLimits{Files: 50, Bytes: 1 << 16, FileBytes: 1 << 15}})
		for _, file := range written(t, dir) {
			if file != "archive" && !strings.HasPrefix(file, "out/") {
				t.Errorf("%s was written", file)
			}
		}
		if u.Bytes > 1<<17 {
			t.Errorf("%d bytes were unpacked", u.Bytes)
		}
	})
}

// However many harmless faults come first, one that matters is seen.
func TestFaultsHideNone(t *testing.T) {
	entries := []entry{{name: "package/index.js", content: "1"}}
	for i := range 60 {
		entries = append(entries, entry{name: fmt.Sprintf(`package/a\%d`, i), content: "x"})
	}
	u, _ := unpacked(t, tarball(t, append(entries, entry{name: "../evil", content: "x"})...), unpackOptions{Strip: 1})
	if !u.Hostile() {
		t.Errorf("faults %v", kinds(u.Faults))
	}
}
