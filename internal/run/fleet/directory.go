package fleet

import (
	"bytes"
	"cmp"
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
	"gauntlet/report"
	"gauntlet/result"
)

// A directory of reports: index.html and fleet.json over all jobs, and of each target a page and a SARIF file with a run for each
// lane, and the reports as workers wrote them.
type directory string

// writeDirectory writes the reports of each target and that over all jobs.
func (o *Owner) writeDirectory(ctx context.Context, path string, k *known, r *result.Fleet, note func(format string, args ...any)) error {
	d := directory(path)
	if err := d.clear(); err != nil {
		return err
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		var runs []json.RawMessage
		for n := range t.Jobs {
			j := &t.Jobs[n]
			if j.State != result.FleetDone && j.State != result.FleetIncomplete {
				continue
			}
			text, err := readReport(ctx, o.queue, k.entries[j.ID])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				j.State, j.Reason = result.FleetNotDone, "its report: "+err.Error()
				note("%s %s: %s", j.Lane, t.Name, j.Reason)
				continue
			}
			more, err := d.addResult(t, j, text)
			if err != nil {
				return err
			}
			runs = append(runs, more...)
		}
		if runs == nil {
			continue
		}
		log := map[string]any{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": runs}
		if err := d.write("sarif/"+fileName(t)+".sarif", func(w io.Writer) error { return json.NewEncoder(w).Encode(log) }); err != nil {
			return err
		}
	}
	r.Summarize()
	for _, f := range []struct{ format, name string }{{"html", "index.html"}, {"json", "fleet.json"}} {
		if err := d.write(f.name, func(w io.Writer) error { return report.FleetFormats().Write(w, f.format, r, report.Options{}) }); err != nil {
			return err
		}
	}
	return nil
}

// writtenForm is that of the files of targets.
var writtenForm = lazyregexp.New(`-[0-9a-f]{8}\.(sarif|[0-9a-f]{8}\.html|[a-z]+\.[0-9a-f]{32}\.json)$`)

// clear removes what an earlier report left, or it would look like results of this one. What others put there stays.
func (d directory) clear() error {
	old := []string{"index.html", "fleet.json"}
	for _, sub := range []string{"pages", "sarif", "results"} {
		if err := os.MkdirAll(filepath.Join(string(d), sub), 0o777); err != nil {
			return err
		}
		files, err := os.ReadDir(filepath.Join(string(d), sub))
		if err != nil {
			return err
		}
		for _, f := range files {
			if writtenForm.MatchString(f.Name()) {
				old = append(old, filepath.Join(sub, f.Name()))
			}
		}
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(string(d), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d directory) write(name string, write func(io.Writer) error) error {
	return userfile.Write(filepath.Join(string(d), filepath.FromSlash(name)), nil, write)
}

var plainName = lazyregexp.New(`[^A-Za-z0-9._-]+`)

// fileName is the name of a target's files: readable, and no other target's.
func fileName(t *result.FleetTarget) string {
	name := plainName.ReplaceAllString(t.Name, "-")
	return name[:min(len(name), 60)] + "-" + Digest([]byte(t.Name))[:8]
}

// addResult writes the report of one job as it is and as a page, and returns its runs of SARIF. A report on models has neither.
func (d directory) addResult(t *result.FleetTarget, j *result.FleetJob, text []byte) (runs []json.RawMessage, err error) {
	name := fileName(t)
	if err := d.write("results/"+name+"."+j.Lane+"."+j.ID+".json", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}); err != nil || j.Lane == string(Redteam) {
		return nil, err
	}
	var r result.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the report of %s %s: %w", j.Lane, t.Name, err)
	}
	page := "pages/" + name + "." + j.ID[:8] + ".html"
	if err := d.write(page, func(w io.Writer) error { return report.Formats().Write(w, "html", &r, report.Options{}) }); err != nil {
		return nil, err
	}
	t.Page = cmp.Or(t.Page, page)
	var written bytes.Buffer
	var log struct {
		Runs []json.RawMessage `json:"runs"`
	}
	err = errors.Join(report.Formats().Write(&written, "sarif", &r, report.Options{}), json.Unmarshal(written.Bytes(), &log))
	return log.Runs, err
}
