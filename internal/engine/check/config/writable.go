package config

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(Check{
	ID: "GNT-104", Name: "writable-by-anyone", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 weak, ASI05 weak, CWE-732 exact, L2 close, L4 weak",
	Axis:     "configuration-integrity", Source: "https://cwe.mitre.org/data/definitions/732.html",
	Doc: `Every user of this machine can change the configuration, or a program that it starts: the file is
world-writable, or its folder is and lets anyone replace the file.

A client starts what its configuration says, with the rights of its user.

Not reported: files whose permissions are unknown, as on Windows or for input that was not read from a disk,
and files in a sticky folder such as /tmp that only their owner can write. Links are followed; programs are
checked only if they are named by an absolute path.`,
	Advice: "Remove write permission for others (chmod o-w) from the file and its folder.",
	Run: func(p *Pass) {
		for i := range p.Files {
			if f := &p.Files[i]; f.Access.Anyone() {
				p.Report(Report{File: i, At: Place{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}, Message: "every user of this machine can " + f.Access.how() + " this configuration"})
			}
		}
		p.eachEntry(func(file int, e *Entry) {
			if e.CommandAccess.Anyone() {
				p.Report(Report{File: file, Entry: e, At: e.CommandAt, Evidence: e.Command, Start: 0, End: len(e.Command),
					Message: fmt.Sprintf("every user of this machine can %s the program of this server", e.CommandAccess.how())})
			}
		})
	},
})

func (a Access) how() string {
	if a.Mode&0o002 != 0 {
		return "write"
	}
	return "replace"
}
