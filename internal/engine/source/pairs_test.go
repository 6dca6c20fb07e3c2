package source

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/sink"
)

// A pair is a vulnerable program beside an honest twin of it.
type pair struct {
	file, name, tool, param string
	kind                    sink.FlowKind
	// known says which side is known to be judged wrongly: "missed" or "alarm"; "" for none.
	known             string
	vulnerable, fixed []sink.File
}

// readPairs reads the programs of testdata/pairs.
func readPairs(t *testing.T) (out []*pair) {
	t.Helper()
	files, err := filepath.Glob("testdata/pairs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no pairs", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		by := map[string]*pair{}
		_, table, _ := strings.Cut(string(a.Comment), "\n\n")
		for line := range strings.Lines(table) {
			f := strings.Fields(line)
			if len(f) == 0 {
				continue
			}
			p := &pair{file: filepath.Base(file), name: f[0], tool: f[1], param: f[2], kind: sink.FlowKind(f[3])}
			if len(f) > 4 {
				p.known = f[4]
			}
			by[p.name] = p
			out = append(out, p)
		}
		for _, f := range a.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			side, path, _ := strings.Cut(rest, "/")
			p := by[name]
			if p == nil {
				t.Fatalf("%s: %s is in no row", file, f.Name)
			}
			list := &p.vulnerable
			if side == "f" {
				list = &p.fixed
			}
			*list = append(*list, sink.File{Path: path, Text: f.Data})
		}
	}
	return out
}

// arrives reports whether the parameter reaches a sink of the kind without a guard that holds.
func (p *pair) arrives(files []sink.File) (hit bool, all []string) {
	s, problems, err := Analyse(files, nil, nil)
	if err != nil && (s == nil || len(s.Sites) == 0) {
		return false, []string{err.Error(), fmt.Sprint(problems)}
	}
	for _, h := range slices.Concat(s.Handlers, s.Resources) {
		for _, f := range h.Flows {
			all = append(all, fmt.Sprintf("%s %s %s %s:%d %s", h.Tool, f.Param, f.Kind, f.At.File, f.At.Line, f.Guard))
			hit = hit || h.Tool == p.tool && f.Kind == p.kind && (p.param == "-" || f.Param == p.param || strings.HasPrefix(f.Param, p.param+".") || strings.HasPrefix(p.param, f.Param+"."))
		}
	}
	for _, site := range s.Sites {
		all = append(all, fmt.Sprintf("site %s %s:%d %s", site.Kind, site.At.File, site.At.Line, site.Why))
		hit = hit || p.param == "-" && string(site.Kind) == string(p.kind)
	}
	for i := range s.Handlers {
		all = append(all, "handler "+s.Handlers[i].Tool+" "+string(s.Handlers[i].Via))
	}
	return hit, all
}

func TestPairs(t *testing.T) {
	var found, alarms, total int
	for _, p := range readPairs(t) {
		t.Run(strings.TrimSuffix(p.file, ".txtar")+"/"+p.name, func(t *testing.T) {
			total++
			hit, all := p.arrives(p.vulnerable)
			if hit {
				found++
			}
			if hit == (p.known == "missed") {
				t.Errorf("vulnerable: found %v\n  %s", hit, strings.Join(all, "\n  "))
			}
			alarm, all := p.arrives(p.fixed)
			if alarm {
				alarms++
			}
			if alarm != (p.known == "alarm") {
				t.Errorf("twin: reported %v\n  %s", alarm, strings.Join(all, "\n  "))
			}
		})
	}
	t.Logf("%d of %d found, %d twins reported", found, total, alarms)
}

func TestAParameterThatAWrapperHandsOnIsReportedOnce(t *testing.T) {
	for _, p := range readPairs(t) {
		if p.file != "arguments.txtar" {
			continue
		}
		s, problems, err := Analyse(p.vulnerable, nil, nil)
		if err != nil {
			t.Fatal(p.name, err, problems)
		}
		for _, h := range s.Handlers {
			if len(h.Flows) != 1 || h.Flows[0].Param != p.param {
				t.Errorf("%s: flows of %s: got %v, want one from %s", p.name, h.Tool, h.Flows, p.param)
			}
		}
	}
}
