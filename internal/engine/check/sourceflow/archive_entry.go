package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-704", Name: "archive-entry-path", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 close, L4 close, L3 weak",
	Axis:     "path-traversal", Source: "https://security.snyk.io/research/zip-slip-vulnerability",
	Doc: `The name of an archive entry is joined to a directory, and nothing in the function refuses ../ or compares the
result with that directory. Whoever made the archive can write anywhere (zip slip). Also reported: extraction
by Python's tarfile without filter=, which before Python 3.14 writes wherever the entries say.

Not reported: extraction that confines entries by itself, such as Python's zipfile and npm's tar package, and
functions that compare paths, whether or not they do it correctly.`,
	Advice: "Resolve the path of each entry and refuse it unless it lies in the directory. Pass filter=\"data\" to tarfile.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.ArchiveEntry)
	},
})
