package config

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(Check{
	ID: "GNT-108", Name: "duplicate-server-name", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP09:2025 weak, ASI04 weak, CWE-694 close, CWE-706 close, L2 close, L6 weak",
	Axis:     "tool-shadowing", Source: "https://cwe.mitre.org/data/definitions/706.html",
	Doc: `One client would find two servers of the same name: in its global file and in the file of a project, in two
global files, or twice in one file.

Only one of them runs, the client decides which, and a project can thereby replace a server that the user
knows by that name with its own.

There is one finding for each name, at the later entry, with all files in the message. Not reported: the same
name in two clients or in two different projects, and entries that are switched off.`,
	Advice: "Give every server of a client its own name.",
	Run: func(p *Pass) {
		for _, a := range Agents(p.Files) {
			reportDuplicates(p, a)
		}
	},
})

func reportDuplicates(p *Pass, a Agent) {
	byName := map[string][]Seen{}
	var names []string
	for _, s := range a.Servers {
		if s.Disabled {
			continue
		}
		key := s.Name
		if byName[key] == nil {
			names = append(names, key)
		}
		byName[key] = append(byName[key], s)
	}
	for _, name := range names {
		same := byName[name]
		// A global conflict is reported once, for the client without a project.
		if len(same) < 2 || a.Project != "" && !slices.ContainsFunc(same, func(s Seen) bool { return s.entry.Project == a.Project }) {
			continue
		}
		if name == "" {
			continue
		}
		last := same[len(same)-1]
		var others []string
		for _, s := range same[:len(same)-1] {
			others = append(others, fmt.Sprintf("%s:%d", s.File, s.Line))
		}
		how := "another"
		if slices.ContainsFunc(same[:len(same)-1], func(s Seen) bool { return s.entry.starts() == last.entry.starts() }) {
			how = "the same"
		}
		p.Report(Report{File: last.file, Entry: last.entry, At: last.entry.Place, IsKey: true, Evidence: last.Name, End: len(last.Name),
			Message: fmt.Sprintf("%s already has a server named %s, with %s command or address, in %s", a.Client, quoteArgument(maskSecrets(last.Name)), how, strings.Join(others, ", "))})
	}
}

// starts returns what a client would start or connect to, for comparison.
func (e *Entry) starts() string {
	parts := []string{e.Command}
	for _, a := range e.Args {
		parts = append(parts, a.Reveal())
	}
	return strings.Join(append(parts, e.URL.Reveal()), "\x00")
}
