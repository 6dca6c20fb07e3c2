package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// scratch makes a new directory in the cache. The caller removes it, or renames it.
func (f *Fetcher) scratch() (string, error) {
	parent := filepath.Join(f.Cache, "unfinished")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "")
}

// removeTree removes a directory also where a client has made parts of it read-only.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir) // what is left then is in the cache's folder of unfinished work
}

// hashFile returns the SHA-256 of a file in hexadecimal.
func hashFile(name string) (string, error) {
	sum, err := sumFile(name, sha256.New())
	return hex.EncodeToString(sum), err
}

func sumFile(name string, h hash.Hash) ([]byte, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if _, err := io.Copy(h, in); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// unpackArchive hashes and unpacks an archive into the cache and notes what is wrong with it.
func (f *Fetcher) unpackArchive(ctx context.Context, p *Fetched, archive string, o unpackOptions) (hash string, err error) {
	if hash, err = hashFile(archive); err != nil {
		return "", err
	}
	p.Facts.Digest = "sha256:" + hash
	o.Limits = f.Limits
	// Unpacked anew each time: it takes less time than an installation, and its faults have to be known.
	dir, err := f.scratch()
	if err != nil {
		return "", err
	}
	defer removeTree(dir)
	u, err := unpackFile(ctx, archive, dir, o)
	if err != nil {
		return "", err
	}
	p.Facts.Files, p.Facts.Bytes, p.Facts.Faults = u.Files, int(u.Bytes), u.Faults
	final := filepath.Join(f.Cache, "sources", hash)
	if err := os.MkdirAll(filepath.Dir(final), 0o700); err != nil {
		return "", err
	}
	if _, err := os.Stat(final); err != nil {
		if err := os.Rename(dir, final); err != nil && !isDir(final) { // else another run was faster
			return "", err
		}
	}
	p.Dir = final
	return hash, nil
}
