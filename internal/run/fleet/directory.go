package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/broker"
	"gauntlet/report"
	"gauntlet/result"
)

// A directory of reports: index.html and fleet.json over all jobs, and of each target a page, a SARIF file with a run for each
// lane, and the reports as workers wrote them.
type directory struct {
	path  string
	runs  map[string][]json.RawMessage // of SARIF, by the name of the target's file
	order []string
	pages map[string]string // of targets, by name
	note  func(format string, args ...any)
}

// WriteDirectory writes the report over all jobs and those of each target. A report that cannot be read is noted and listed as
// not done.
func (o *Owner) WriteDirectory(ctx context.Context, path string, r *result.Fleet, note func(format string, args ...any)) error {
	d := &directory{path: path, runs: map[string][]json.RawMessage{}, pages: map[string]string{}, note: note}
	if err := d.clear(); err != nil {
		return err
	}
	unread := map[string]error{}
	err := o.Each(ctx, func(l *Listed, text []byte, err error) error {
		if err != nil {
			unread[l.ID] = err
			return ctx.Err()
		}
		return d.addResult(l, text)
	})
	if err != nil {
		return err
	}
	if err := d.writeSARIF(0); err != nil {
		return err
	}
	d.finish(r, unread)
	for _, f := range []struct{ format, name string }{{"html", "index.html"}, {"json", "fleet.json"}} {
		format, err := report.LookupFleet(f.format)
		if err != nil {
			return err
		}
		if err := d.write(f.name, func(w io.Writer) error { return format.Write(w, r, report.Options{}) }); err != nil {
			return err
		}
	}
	return nil
}

// writtenForm is that of the files of targets.
var writtenForm = lazyregexp.New(`-[0-9a-f]{8}\.(sarif|[0-9a-f]{8}\.html|[a-z]+\.[0-9a-f]{32}\.json)$`)

// clear removes what an earlier report left, or it would look like results of this one. What others put there stays.
func (d *directory) clear() error {
	old := []string{"index.html", "fleet.json"}
	for _, sub := range []string{"pages", "sarif", "results"} {
		if err := os.MkdirAll(filepath.Join(d.path, sub), 0o777); err != nil {
			return userfile.Reason(err)
		}
		files, err := os.ReadDir(filepath.Join(d.path, sub))
		if err != nil {
			return userfile.Reason(err)
		}
		for _, f := range files {
			if writtenForm.MatchString(f.Name()) {
				old = append(old, filepath.Join(sub, f.Name()))
			}
		}
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", filepath.Join(d.path, name), userfile.Reason(err))
		}
	}
	return nil
}

func (d *directory) write(name string, write func(io.Writer) error) error {
	return userfile.Write(filepath.Join(d.path, name), nil, write)
}

var plainName = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// fileName is the name of a target's files: readable, and no other target's.
func fileName(l *Listed) string {
	name := plainName.ReplaceAllString(l.Target, "-")
	if len(name) > 60 {
		name = name[:60]
	}
	return name + "-" + broker.Digest([]byte(l.Target))[:8]
}

// addResult writes the report of one job as it is, as a page, and keeps its run for the target's SARIF.
func (d *directory) addResult(l *Listed, text []byte) error {
	name := fileName(l)
	if err := d.write(filepath.Join("results", name+"."+string(l.Lane)+"."+l.ID+".json"), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}); err != nil {
		return err
	}
	var r result.Report
	if err := json.Unmarshal(text, &r); err != nil || r.Findings == nil {
		return nil // a report of models has neither page nor SARIF
	}
	page := name + "." + l.ID[:8] + ".html"
	if d.pages[l.Target] == "" {
		d.pages[l.Target] = "pages/" + page
	}
	html, err := report.Lookup("html")
	if err != nil {
		return err
	}
	if err := d.write(filepath.Join("pages", page), func(w io.Writer) error { return html.Write(w, &r, report.Options{}) }); err != nil {
		return err
	}
	return d.addRun(name, &r)
}

// addRun keeps the SARIF run of a report.
func (d *directory) addRun(name string, r *result.Report) error {
	sarif, err := report.Lookup("sarif")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	var log struct {
		Runs []json.RawMessage `json:"runs"`
	}
	if err := errors.Join(sarif.Write(&text, r, report.Options{}), json.Unmarshal(text.Bytes(), &log)); err != nil {
		return fmt.Errorf("SARIF of %s: %w", name, err)
	}
	if d.runs[name] == nil {
		d.order = append(d.order, name)
	}
	d.runs[name] = append(d.runs[name], log.Runs...)
	return d.writeSARIF(64) // jobs of one target stand together in the list
}

// writeSARIF writes the oldest files until so many are kept.
func (d *directory) writeSARIF(keep int) error {
	for ; len(d.order) > keep; d.order = d.order[1:] {
		name := d.order[0]
		log := map[string]any{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": d.runs[name]}
		if err := d.write(filepath.Join("sarif", name+".sarif"), func(w io.Writer) error { return json.NewEncoder(w).Encode(log) }); err != nil {
			return err
		}
		delete(d.runs, name)
	}
	return nil
}

// finish links the pages, and takes back that a job is done whose report could not be read.
func (d *directory) finish(r *result.Fleet, unread map[string]error) {
	for i := range r.Targets {
		t := &r.Targets[i]
		t.Page = d.pages[t.Name]
		for j := range t.Jobs {
			if err := unread[t.Jobs[j].ID]; err != nil {
				t.Jobs[j].State, t.Jobs[j].Reason = result.FleetNotDone, "its report: "+err.Error()
				d.note("%s %s: its report: %s", t.Jobs[j].Lane, t.Name, err)
			}
		}
	}
	if len(unread) > 0 {
		r.Summarize()
	}
}
