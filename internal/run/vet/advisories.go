package vet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"gauntlet/finding"
	"gauntlet/internal/runtime/fetch"
	"gauntlet/internal/runtime/wire"
	"gauntlet/result"
)

// Limits on advisories.
const (
	maxAdvisoryFile = 16 << 20  // bytes of one file
	maxAdvisories   = 512 << 20 // bytes of a downloaded export
	maxListed       = 200       // advisories listed in a report, and as many about the package itself
	loadTime        = 2 * time.Minute
)

// lookUpAdvisories looks up the package and its installed dependencies in the user's advisories.
func (v *vetting) lookUpAdvisories(ctx context.Context) {
	switch {
	case v.Advisories == "":
		v.skipped(stepAdvisories, "no advisories were named (--osv)")
		return
	case v.fetched.Ecosystem == "":
		v.skipped(stepAdvisories, "its ecosystem has no advisories")
		return
	}
	v.begin("reading advisories")
	s := &advisorySearch{own: packageKey(v.fetched.Ecosystem, v.fetched.Name), wanted: map[string][]fetch.Dependency{}}
	for _, d := range append([]fetch.Dependency{{Ecosystem: v.fetched.Ecosystem, Name: v.fetched.Name, Version: v.fetched.Version}}, v.fetched.Packages...) {
		key := packageKey(d.Ecosystem, d.Name)
		s.wanted[key] = append(s.wanted[key], d)
	}
	if err := s.read(ctx, v.Advisories); err != nil {
		if ctx.Err() == nil {
			v.failed(stepAdvisories, err)
		}
		return
	}
	v.fetched.Facts.Advisories = s.found
	text := fmt.Sprintf("%d advisories read, %d are about it or what it depends on", s.count, len(s.found))
	if s.bad > 0 {
		text += fmt.Sprintf("; %d could not be read", s.bad)
	}
	v.done(stepAdvisories, "%s", text)
}

// An advisorySearch searches advisories about packages.
type advisorySearch struct {
	own        string
	wanted     map[string][]fetch.Dependency
	found      []result.PackageAdvisory
	count, bad int
	ofOwn      int // matches about the package itself
}

// read reads an export: a directory of JSON files, a JSON file, a zip of them, or a URL of either.
func (s *advisorySearch) read(ctx context.Context, place string) error {
	if strings.HasPrefix(place, "http://") || strings.HasPrefix(place, "https://") {
		text, err := load(ctx, place)
		if err != nil {
			return fmt.Errorf("%s: %w", fetch.WithoutCredentials(place), err)
		}
		return s.take(ctx, text)
	}
	info, err := os.Stat(place)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if info.Size() > maxAdvisories {
			return fmt.Errorf("%s has more than %d bytes", place, maxAdvisories)
		}
		text, err := os.ReadFile(place)
		if err != nil {
			return err
		}
		return s.take(ctx, text)
	}
	if err := s.takeAll(ctx, os.DirFS(place)); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

// takeAll reads every JSON file of a folder or an archive.
func (s *advisorySearch) takeAll(ctx context.Context, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if !d.Type().IsRegular() || path.Ext(name) != ".json" {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxAdvisoryFile {
			s.bad++
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil || s.takeJSON(text) != nil {
			s.bad++
		}
		return nil
	})
}

func load(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loadTime, fmt.Errorf("downloading it took more than %s", loadTime))
	defer cancel()
	transport := wire.NewTransport()
	transport.Proxy = http.ProxyFromEnvironment
	defer transport.CloseIdleConnections()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	a, err := (&http.Client{Transport: transport}).Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", a.Status)
	}
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAdvisories+1))
	if err == nil && len(text) > maxAdvisories {
		err = fmt.Errorf("it has more than %d bytes", maxAdvisories)
	}
	return text, err
}

// take reads a JSON text or a zip of them.
func (s *advisorySearch) take(ctx context.Context, text []byte) error {
	if !bytes.HasPrefix(text, []byte("PK")) {
		return s.takeJSON(text)
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	return s.takeAll(ctx, z)
}

func (s *advisorySearch) takeJSON(text []byte) error {
	entries, bad, err := parseAdvisory(text)
	if err != nil {
		return err
	}
	s.bad += bad
	for i := range entries {
		s.count++
		s.compare(&entries[i])
	}
	return nil
}

// full reports whether no more advisories are listed. Those about the package itself have their own limit, so that others cannot
// crowd them out.
func (s *advisorySearch) full(own bool) bool {
	if own {
		return s.ofOwn == maxListed
	}
	return len(s.found)-s.ofOwn == maxListed
}

// compare records an advisory once per affected package and version.
func (s *advisorySearch) compare(e *advisory) {
	seen := map[fetch.Dependency]bool{}
	for _, key := range e.Names() {
		for _, d := range s.wanted[key] {
			fixed, ok := e.Match(d.Ecosystem, d.Name, d.Version)
			if !ok || seen[d] || s.full(key == s.own) {
				continue
			}
			seen[d] = true
			a := result.PackageAdvisory{ID: e.ID, Aliases: e.Aliases, Package: d.Name, Version: d.Version, Summary: e.Summary, Fixed: fixed, Severity: e.Severity(), Own: key == s.own}
			if !a.Own && a.Severity < finding.Critical {
				a.Severity = min(a.Severity, finding.Medium)
			}
			if a.Own {
				s.ofOwn++
			}
			s.found = append(s.found, a)
		}
	}
}
