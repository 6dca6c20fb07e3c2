package fetch

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"gauntlet/result"
)

// unpackLimits bound what is unpacked. The zero value of a field stands for its default.
type unpackLimits struct {
	Files     int   // 50,000 entries
	FileBytes int64 // 256 MiB
	Bytes     int64 // 1 GiB, all files together
	Faults    int   // 50 that are reported
	// BombBytes and BombRatio are from where on an archive counts as a bomb: 64 MiB unpacked, and 100 times
	// as many as it has itself.
	BombBytes, BombRatio int64
}

func (l unpackLimits) withDefaults() unpackLimits {
	return unpackLimits{
		Files: cmp.Or(l.Files, 50_000), FileBytes: cmp.Or(l.FileBytes, 256<<20), Bytes: cmp.Or(l.Bytes, 1<<30), Faults: cmp.Or(l.Faults, 50),
		BombBytes: cmp.Or(l.BombBytes, 64<<20), BombRatio: cmp.Or(l.BombRatio, 100),
	}
}

// unpackOptions say how to unpack.
type unpackOptions struct {
	Limits unpackLimits
	// Strip is how many leading directories each path loses; Prefix is what it loses instead, where set.
	Strip  int
	Prefix string
}

// Unpacked is what came of an archive.
type Unpacked struct {
	Files  int
	Bytes  int64
	Faults []result.ArchiveFault
}

// Hostile reports whether the archive has an entry that only somebody who means harm writes.
func (u *Unpacked) Hostile() bool {
	return slices.ContainsFunc(u.Faults, result.ArchiveFault.Hostile)
}

// unpackFile unpacks an archive, by its content a zip, a tar, or one of those compressed with gzip, into dir,
// which must exist and be empty. What is wrong with the archive is among the faults; an error says that it
// could not be read or dir not be written, or is that of ctx.
func unpackFile(ctx context.Context, archive, dir string, o unpackOptions) (*Unpacked, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	w, err := newWriter(ctx, dir, info.Size(), o)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	r := bufio.NewReader(f)
	start, _ := r.Peek(4) // a shorter file is no archive, which the readers say
	switch {
	case strings.HasPrefix(string(start), "PK\x03\x04"), strings.HasPrefix(string(start), "PK\x05\x06"):
		err = w.unpackZip(f, info.Size())
	case strings.HasPrefix(string(start), "\x1f\x8b"):
		var z *gzip.Reader
		if z, err = gzip.NewReader(r); err == nil {
			err = w.unpackTar(z)
		}
	default:
		err = w.unpackTar(r)
	}
	return w.finish(err)
}

// errStop ends an archive whose rest is not worth reading.
var errStop = errors.New("stopped")

// A writer puts the entries of one archive below a directory.
type writer struct {
	ctx    context.Context
	root   *os.Root
	o      unpackOptions
	packed int64 // bytes of the archive
	count  int   // entries of any kind
	out    Unpacked
}

func newWriter(ctx context.Context, dir string, packed int64, o unpackOptions) (*writer, error) {
	o.Limits = o.Limits.withDefaults()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, root: root, o: o, packed: max(packed, 1)}, nil
}

// finish turns what ended the reading into a fault, unless it is ours.
func (w *writer) finish(err error) (*Unpacked, error) {
	switch {
	case w.ctx.Err() != nil:
		return nil, w.ctx.Err()
	case err == nil || errors.Is(err, errStop):
	default:
		var own *fs.PathError
		if errors.As(err, &own) && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		w.fault(result.FaultBroken, "", "it could not be read to its end: "+err.Error())
	}
	return &w.out, nil
}

// fault notes a fault. The first of each kind is always noted, so that many harmless ones hide no other.
func (w *writer) fault(kind, name, detail string) {
	known := slices.ContainsFunc(w.out.Faults, func(f result.ArchiveFault) bool { return f.Kind == kind })
	if len(w.out.Faults) < w.o.Limits.Faults || !known {
		w.out.Faults = append(w.out.Faults, result.ArchiveFault{Kind: kind, Path: strings.ToValidUTF8(name, "\uFFFD"), Detail: detail})
	}
}

// enter counts an entry, and ends an archive that has too many.
func (w *writer) enter() error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	if w.count++; w.count > w.o.Limits.Files {
		w.fault(result.FaultLimit, "", fmt.Sprintf("it has more than %d entries; the rest was not unpacked", w.o.Limits.Files))
		return errStop
	}
	return nil
}

func (w *writer) unpackTar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if err := w.enter(); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg:
			err = w.writeFile(h.Name, fs.FileMode(h.Mode), t)
		case tar.TypeDir:
			_, _ = w.place(h.Name) // notes a path that leads out
			err = nil
		case tar.TypeSymlink, tar.TypeLink:
			w.link(h.Name, h.Linkname, h.Typeflag == tar.TypeLink)
			err = nil
		case tar.TypeXGlobalHeader:
			err = nil
		default:
			w.fault(result.FaultSpecial, h.Name, "is neither a file nor a directory nor a link")
			err = nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *writer) unpackZip(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	for _, f := range z.File {
		if err := w.enter(); err != nil {
			return err
		}
		if err := w.unpackZipEntry(f); err != nil {
			return err
		}
	}
	return nil
}

// maxLinkTarget is longer than any path that a system takes.
const maxLinkTarget = 4096

func (w *writer) unpackZipEntry(f *zip.File) error {
	mode := f.Mode()
	if mode.IsDir() {
		_, _ = w.place(f.Name)
		return nil
	}
	if mode&fs.ModeSymlink == 0 && !mode.IsRegular() {
		w.fault(result.FaultSpecial, f.Name, "is neither a file nor a directory nor a link")
		return nil
	}
	content, err := f.Open()
	if err != nil {
		w.fault(result.FaultBroken, f.Name, "could not be read: "+err.Error())
		return nil
	}
	defer content.Close()
	if mode&fs.ModeSymlink != 0 {
		target, _ := io.ReadAll(io.LimitReader(content, maxLinkTarget))
		w.link(f.Name, string(target), false)
		return nil
	}
	err = w.writeFile(f.Name, mode, content)
	var own *fs.PathError
	if err != nil && !errors.Is(err, errStop) && !errors.As(err, &own) && w.ctx.Err() == nil {
		w.fault(result.FaultBroken, f.Name, "could not be read: "+err.Error()) // the other entries can be
		return nil
	}
	return err
}

// place is where an entry goes, below the directory; false for nowhere.
func (w *writer) place(name string) (string, bool) {
	if strings.ContainsAny(name, "\x00\\") || len(name) > maxLinkTarget {
		w.fault(result.FaultBroken, name, "is no name of a file")
		return "", false
	}
	if path.IsAbs(name) || leavesUp(name) {
		w.fault(result.FaultOutside, name, "leads out of the directory that it is unpacked into")
		return "", false
	}
	if w.o.Prefix != "" {
		rest, ok := strings.CutPrefix(name, w.o.Prefix)
		return path.Clean(rest), ok && path.Clean(rest) != "."
	}
	name = path.Clean(name)
	for range w.o.Strip {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return "", false
		}
		name = rest
	}
	return name, name != "."
}

// leavesUp reports whether a path leads above the directory where it begins, on its way or in the end.
func leavesUp(name string) bool {
	depth := 0
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// link notes a link that leads out. No link is written: what it leads to is read at its own place.
func (w *writer) link(name, target string, hard bool) {
	from := path.Dir(name)
	if hard {
		from = "."
	}
	if path.IsAbs(target) || strings.ContainsAny(target, "\x00\\") || leavesUp(from+"/"+target) {
		w.fault(result.FaultLink, name, "is a link that leads out of the package, to "+fmt.Sprintf("%.200q", target))
	}
}

func (w *writer) writeFile(name string, mode fs.FileMode, content io.Reader) error {
	at, ok := w.place(name)
	if !ok {
		return nil
	}
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	if dir := path.Dir(at); dir != "." {
		if err := w.root.MkdirAll(dir, 0o755); err != nil {
			w.fault(result.FaultBroken, name, "cannot be written beside the other entries")
			return nil
		}
	}
	f, err := w.root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		w.fault(result.FaultBroken, name, "cannot be written beside the other entries")
		return nil
	}
	w.out.Files++
	_, err = io.Copy(f, &counted{w: w, r: content, name: name})
	return errors.Join(err, f.Close())
}

// counted reads one entry and ends where the limits do.
type counted struct {
	w    *writer
	r    io.Reader
	name string
	read int64
}

func (c *counted) Read(b []byte) (int, error) {
	if err := c.w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(b)
	c.read += int64(n)
	c.w.out.Bytes += int64(n)
	l, total := &c.w.o.Limits, c.w.out.Bytes
	switch {
	case total > l.BombBytes && total/c.w.packed >= l.BombRatio:
		c.w.fault(result.FaultBomb, "", fmt.Sprintf("its %d bytes unpack to more than %d; the rest was not unpacked", c.w.packed, total))
		return n, errStop
	case total > l.Bytes:
		c.w.fault(result.FaultLimit, c.name, fmt.Sprintf("all entries together have more than %d bytes; the rest was not unpacked", l.Bytes))
		return n, errStop
	case c.read > l.FileBytes:
		c.w.fault(result.FaultLimit, c.name, fmt.Sprintf("has more than %d bytes; the rest was not unpacked", l.FileBytes))
		return n, errStop
	}
	return n, err
}
