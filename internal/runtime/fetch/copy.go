package fetch

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copyTree copies the regular files below a directory, without repositories' own files and what was
// installed. Links are left out.
func copyTree(ctx context.Context, from, to string) error {
	files, total := 0, int64(0)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); rel != "." && (name == ".git" || name == "node_modules") {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if files++; files > maxCopiedFiles || total+info.Size() > maxCopied {
			return errTooLarge
		}
		total += info.Size()
		return copyFile(path, filepath.Join(to, rel), info.Mode().Perm()|0o600)
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
