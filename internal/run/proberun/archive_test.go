package proberun

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
)

// Each archive can be read, holds the ordinary file, and one entry that leads to the file to be created.
func TestArchives(t *testing.T) {
	m, p := Mark{Token: "abcdefghijkl", Touch: "/drop/abcdefghijkl"}, Place{Root: "/p", WriteDir: "/drop"}
	target := target{variants: payloads.lists["archive"]}
	for n := range target.Payloads() {
		made, ok := target.Payload(n, m, p, "")
		if !ok || made.Plant == nil || made.Value != made.Plant.Path || !strings.HasPrefix(made.Plant.Path, "/p/") {
			t.Fatalf("%s: %+v", made.Variant, made)
		}
		names, links := entriesOf(t, made.Plant)
		if len(names) < 2 || names[0] != "readme.txt" {
			t.Errorf("%s: entries %q", made.Variant, names)
		}
		last := names[len(names)-1]
		led := path.Join("/somewhere/deep", last)
		if path.IsAbs(last) {
			led = last
		}
		for name, to := range links {
			led = strings.Replace(led, "/somewhere/deep/"+name, to, 1)
		}
		if led != m.Touch {
			t.Errorf("%s: the last entry leads to %s, want %s", made.Variant, led, m.Touch)
		}
	}
	if _, ok := target.Payload(0, m, Place{}, ""); ok {
		t.Error("an archive where there is nothing to plant it in")
	}
}

func entriesOf(t *testing.T, f *Planted) (names []string, links map[string]string) {
	t.Helper()
	links = map[string]string{}
	if strings.HasSuffix(f.Path, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(f.Data), int64(len(f.Data)))
		if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
			t.Fatal(err)
		}
		for _, e := range z.File {
			names = append(names, e.Name)
		}
		return names, links
	}
	var in io.Reader = bytes.NewReader(f.Data)
	if strings.HasSuffix(f.Path, ".gz") {
		g, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		in = g
	}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names, links
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if h.Linkname != "" {
			links[h.Name] = h.Linkname
		}
	}
}
