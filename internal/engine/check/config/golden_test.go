package config_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/internal/runtime/discover"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read reads a section: NAME or NAME MODE with the file's mode bits, NAME -> PLACE for a link that leads out of its folder.
func read(section txtar.File) config.File {
	name, mode, _ := strings.Cut(section.Name, " ")
	hint := discover.Hint{}
	if strings.HasSuffix(name, ".pyc") {
		hint.Role = config.SkillFile
	}
	f := discover.Read(name, section.Data, hint)
	if to, ok := strings.CutPrefix(mode, "-> "); ok {
		f.LinksTo, mode = to, ""
	}
	var file, dir uint32 = 0o600, 0o700
	fmt.Sscanf(mode, "%o %o", &file, &dir) //nolint:errcheck // absent: the defaults
	f.Access = config.Access{Known: true, Mode: fs.FileMode(file & 0o777), Dir: fs.FileMode(dir & 0o777)}
	if dir&0o1000 != 0 {
		f.Access.Dir |= fs.ModeSticky
	}
	return f
}

// Each check has a golden: every section bad* must give findings of it, every section
// near-miss* none, and want lists those of the bad ones.
func TestGolden(t *testing.T) {
	if err := defects(config.Checks()); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, k := range config.Checks() {
		file := filepath.Join("testdata", string(k.ID)+".txtar")
		seen[file] = true
		t.Run(string(k.ID), func(t *testing.T) { golden(t, k, file) })
	}
	all, _ := filepath.Glob("testdata/*.txtar")
	for _, p := range all {
		if !seen[p] {
			t.Errorf("orphan golden %s", p)
		}
	}
}

func golden(t *testing.T, k *config.Check, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	bad, misses, want := 0, 0, -1
	for i, s := range a.Files {
		isBad, isMiss := matches("bad*", s.Name), matches("near-miss*", s.Name)
		if s.Name == "want" {
			want = i
			continue
		}
		files := []config.File{read(s)}
		if k.ID == "GNT-108" || k.ID == "GNT-115" { // their sections hold several files
			files = nil
			for _, part := range strings.Split(string(s.Data), "+++ ")[1:] {
				name, text, _ := strings.Cut(part, "\n")
				path, project, _ := strings.Cut(name, " in ")
				files = append(files, discover.Read(path, []byte(text), discover.Hint{Project: project}))
			}
		}
		found, problems := config.Run(files, []*config.Check{k})
		if len(problems) > 0 {
			t.Errorf("%s: %v", s.Name, problems)
		}
		switch {
		case isBad:
			bad++
			if len(found) == 0 {
				t.Errorf("silent on %s", s.Name)
			}
		case isMiss:
			misses++
			for _, f := range found {
				t.Errorf("fires on %s: %s: %s: %q", s.Name, f.Location.Pointer, f.Message, f.Evidence.Raw)
			}
		default:
			t.Errorf("unknown section %s", s.Name)
		}
		for _, f := range found {
			if f.Fingerprint == "" || f.Taxonomy == nil || f.Location.Line < 1 || f.Location.File == "" {
				t.Errorf("%s: incomplete finding %+v", s.Name, f)
			}
			if isBad {
				fmt.Fprintf(&got, "%s %s:%d:%d %s %d-%d: %s: %q\n", f.Severity, f.Location.File, f.Location.Line, f.Location.Column, f.Location.Pointer, f.Evidence.Start, f.Evidence.End, f.Message, f.Evidence.Raw)
			}
		}
	}
	if bad == 0 || misses == 0 {
		t.Errorf("%d bad sections and %d near misses, want both", bad, misses)
	}
	if want >= 0 && string(a.Files[want].Data) == got.String() {
		return
	}
	t.Errorf("findings differ; run with -update and read the diff; got\n%s", got.String())
	if *update && got.Len() > 0 {
		if want < 0 {
			a.Files = append(a.Files, txtar.File{Name: "want"})
			want = len(a.Files) - 1
		}
		a.Files[want].Data = []byte(got.String())
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func matches(pattern, name string) bool {
	name, _, _ = strings.Cut(name, " ")
	name, _, _ = strings.Cut(name, "/")
	ok, _ := path.Match(pattern, name)
	return ok
}

// defects reports all defects of the checks.
func defects(checks []*config.Check) error {
	var errs []error
	seen := map[finding.Rule]bool{}
	for _, c := range checks {
		if !c.ID.Valid() || seen[c.ID] {
			errs = append(errs, fmt.Errorf("check %s: the id is malformed or used twice", c.ID))
		}
		seen[c.ID] = true
		if c.Name == "" || c.Axis == "" || c.Doc == "" || c.Advice == "" || c.Maturity == "" || c.Severity == finding.None || c.Run == nil || !strings.HasPrefix(c.Source, "https://") {
			errs = append(errs, fmt.Errorf("check %s: a field is missing", c.ID))
		}
		if _, err := taxonomy.Parse(c.Taxonomy); err != nil {
			errs = append(errs, fmt.Errorf("check %s: Taxonomy: %w", c.ID, err))
		}
	}
	return errors.Join(errs...)
}
