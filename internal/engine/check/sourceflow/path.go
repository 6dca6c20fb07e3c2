package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-006", Name: "path-traversal", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 exact, L3 close, L4 weak",
	Axis:     "path-traversal", Source: "https://cwe.mitre.org/data/definitions/22.html",
	Doc: `A parameter of a tool becomes the path of a file that is read or written, and nothing keeps it inside a directory.
With ../ or an absolute path the caller then reaches whatever the server's user may.

The finding shows the way and says what is missing. A path is guarded where it is resolved first and then compared with a
directory, by a prefix that ends with a separator, by the relative path between both, or by a function that refuses what lies
outside; where it is cut down to one file name; and where a pattern or a list leaves out separators and "..". It is not where
the prefix lacks its separator (/data-other passes for /data), where the comparison comes before ".." is resolved, where only
some paths are refused, and where the refusal is an error that the same function catches.

Whether symbolic links are resolved is not judged. Silent on files beside the program, temporary files, questions whether a
file exists, and where the way could not be followed.`,
	Advice: "Resolve the path, symbolic links included, and refuse it unless it lies in a directory that the user chose. Compare it with the directory followed by a separator.",
	Run: func(p *check.Pass) {
		reportFlows(p, func(f sink.Flow) finding.Severity {
			if f.Kind == sink.LinkFlow {
				return finding.Low
			}
			return finding.None
		}, map[sink.FlowKind]string{sink.PathFlow: "the path of a file", sink.LinkFlow: "the path of a file"})
	},
})
