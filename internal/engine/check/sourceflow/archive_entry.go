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
	Doc: `The name of an entry of an archive is joined to a directory and nothing in the function refuses ../ or compares the result with that
directory: who made the archive writes anywhere (zip slip). Also a tar archive that Python's tarfile extracts without filter=, which before Python 3.14
writes wherever its entries say.

Silent on extraction that keeps entries inside by itself, as Python's zipfile and the tar package of npm do, and on functions that compare paths, are they right or not.`,
	Advice: "Resolve the path of each entry and refuse it unless it lies in the directory; give tarfile filter=\"data\".",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.ArchiveEntry)
	},
})
