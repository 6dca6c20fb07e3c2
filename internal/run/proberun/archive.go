package proberun

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A Planted is a file that must exist where the server runs before a payload is sent.
type Planted struct {
	Path string
	Data []byte
}

// unpacks matches names of tools that unpack archives, and mayUnpack those that may do so incidentally.
var (
	unpacks   = lazyregexp.New(`(?i)archive|unzip|untar|unpack|extract|decompress|(?:^|[_-])(?:zip|tar)(?:$|[_-])`)
	mayUnpack = lazyregexp.New(`(?i)import|restore|install|load|deploy|backup|bundle|plugin|skill|theme|template|package|open`)
)

// archives reports whether a tool's name says that it unpacks archives.
func archives(t *tool) bool { return unpacks.MatchString(t.Name) }

func mayTakeArchives(t *tool) bool { return archives(t) || mayUnpack.MatchString(t.Name) }

// An archiveEntry is a file in a generated archive, or a link if To is set.
type archiveEntry struct{ name, to, text string }

// archive returns the content of an archive with one honest entry and some that lead out of the destination folder.
func archive(pack func([]archiveEntry) []byte, entries func(m *Mark, p *Place) []archiveEntry) func(m *Mark, p *Place) []byte {
	return func(m *Mark, p *Place) []byte {
		return pack(append([]archiveEntry{{name: "readme.txt", text: "an ordinary file\n"}}, entries(m, p)...))
	}
}

func climbing(m *Mark, _ *Place) []archiveEntry {
	return []archiveEntry{{name: strings.TrimPrefix(climb, "/") + m.Touch, text: "x\n"}}
}

// linked leads out of the folder through a link that comes first.
func linked(m *Mark, p *Place) []archiveEntry {
	return []archiveEntry{{name: "data", to: p.WriteDir}, {name: "data" + strings.TrimPrefix(m.Touch, p.WriteDir), text: "x\n"}}
}

// absolute names a file outside of the folder.
func absolute(m *Mark, _ *Place) []archiveEntry { return []archiveEntry{{name: m.Touch, text: "x\n"}} }

// plants make the files that must exist where a value leads, by what payloads.txt calls them.
var plants = map[string]func(m *Mark, p *Place) []byte{
	"zip climbing": archive(packZip, climbing), "tar climbing": archive(packTar, climbing), "tar.gz climbing": archive(packTarGzip, climbing),
	"tar linked": archive(packTar, linked), "tar absolute": archive(packTar, absolute),
}

// packZip returns a ZIP archive. Writing to memory does not fail.
func packZip(entries []archiveEntry) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		if w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store}); err == nil {
			_, _ = w.Write([]byte(e.text)) // to memory
		}
	}
	_ = z.Close() // to memory
	return b.Bytes()
}

func packTar(entries []archiveEntry) []byte {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, e := range entries {
		h := tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: tar.TypeReg}
		if e.to != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.to
		}
		if t.WriteHeader(&h) == nil {
			_, _ = t.Write([]byte(e.text)) // to memory
		}
	}
	_ = t.Close() // to memory
	return b.Bytes()
}

func packTarGzip(entries []archiveEntry) []byte {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	_, _ = g.Write(packTar(entries)) // to memory
	_ = g.Close()                    // to memory
	return b.Bytes()
}
