package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/calibrate"
	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/near"
)

// sourceFlags say where the sources of the servers of a corpus are.
type sourceFlags struct {
	all  string   // a directory with one directory a server
	each []string // SERVER=DIR
}

func (f *sourceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.all, "sources", "", "read the sources of servers below this `DIR`, which holds one directory a server, called as its files of the corpus")
	cmd.Flags().StringArrayVar(&f.each, "source", nil, "read the source of one server, `SERVER=DIR`; repeatable (default none)")
}

// dirs returns the directory of each server's source, by the names that the corpus gives
// servers. What names no server of the corpus, or is no directory, is a problem.
func (f *sourceFlags) dirs(names []string) (map[string]string, []finding.Problem) {
	out := map[string]string{}
	var problems []finding.Problem
	if f.all != "" {
		entries, err := os.ReadDir(f.all)
		if err != nil {
			problems = append(problems, failedAt(f.all, err))
		}
		for _, e := range entries {
			if dir := filepath.Join(f.all, e.Name()); slices.Contains(names, e.Name()) {
				out[e.Name()] = dir
			}
		}
		if err == nil && len(out) == 0 {
			problems = append(problems, failedAt(f.all, errors.New("no directory in it is called as a server of the corpus")))
		}
	}
	for _, s := range f.each {
		name, dir, ok := strings.Cut(s, "=")
		switch {
		case !ok || dir == "":
			problems = append(problems, failedAt("--source", fmt.Errorf("%q is not of the form SERVER=DIR", s)))
		case !slices.Contains(names, name):
			problems = append(problems, failedAt("--source", fmt.Errorf("the corpus has no server %q%s", name, near.Question(near.Names(name, names), ""))))
		default:
			out[name] = dir
		}
	}
	return out, problems
}

// readSources reads the sources that the flags name. Its error says that it was interrupted.
func (c *calibrateRun) readSources(ctx context.Context, to *corpus) ([]finding.Problem, error) {
	dirs, problems := c.sources.dirs(to.names)
	for i, name := range to.names {
		dir, ok := dirs[name]
		if !ok {
			continue
		}
		c.progress.say("reading the source of %s", name)
		var tools []string
		for t := range to.servers[i].Tools() {
			tools = append(tools, to.servers[i].Tools()[t].Name())
		}
		found, err := readSources(ctx, dir, tools)
		if err != nil {
			return nil, err
		}
		problems = append(problems, found.problems...)
		if found.err != nil {
			problems = append(problems, failedAt(dir, found.err))
		}
		if to.sources == nil {
			to.sources = map[string]*analysed{}
		}
		to.sources[name] = found
	}
	return problems, nil
}

// compared scores the servers whose source was given by layer 1, as they were, and by layers
// 1 and 2; nil if no source was given.
func (c *corpus) compared(cases []calibrate.Case) *calibrate.Layers {
	if c.sources == nil {
		return nil
	}
	var definition, source []calibrate.Case
	var read []calibrate.Reading
	var unread []calibrate.Unread
	for i, name := range c.names {
		found := c.sources[name]
		if found == nil {
			continue
		}
		if found.err != nil {
			unread = append(unread, calibrate.Unread{Server: cases[i].Truth.Server, Why: reason(found.err).Error()})
			continue
		}
		both := cases[i]
		p := classify.Server(c.servers[i])
		classify.WithSources(&p, found.sources)
		both.Predicted = &p
		definition, source = append(definition, cases[i]), append(source, both)
		read = append(read, reading(name, &p, found))
	}
	l := calibrate.Compare(definition, source, read)
	l.Unread = unread
	return l
}

// reading counts what was found in the source of a server.
func reading(name string, s *capability.Server, found *analysed) calibrate.Reading {
	r := calibrate.Reading{Server: name, Tools: len(s.Tools), Handlers: found.tied}
	handlers := found.sources.ByTool()
	for i := range s.Tools {
		h := handlers[s.Tools[i].Name]
		if h == nil {
			continue
		}
		if h.Complete() {
			r.Whole++
		}
		if len(h.Calls) > 0 {
			r.Sinks++
		}
	}
	return r
}
