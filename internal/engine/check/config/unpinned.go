package config

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(Check{
	ID: "GNT-101", Name: "unpinned-package", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-494 close, CWE-829 close, L6 close, L2 weak",
	Axis:     "supply-chain", Source: "https://owasp.org/www-project-mcp-top-10/",
	Doc: `A package runner fetches the server at every start, and the configuration does not fix a version: npx, npm
exec, bunx, pnpm dlx, yarn dlx, uvx, uv tool run, uv run --with, pipx run, deno run npm:, go run, docker run.

Whoever publishes the next version of the package, or takes over its name, runs code on this machine at the
next start of the client, and nobody has reviewed it.

Reported: a missing version, a tag that moves ("latest", "next", "main", an image's "stable" or "1"), a range
("^1.2.0", ">=1"), and a repository without a commit. Not reported: an exact version, an image with a digest,
a commit, a path on this machine, a runner that is told to fetch nothing (--no-install, --offline), and a name
that the client fills in. An exact version protects from later versions and does not prove that this one is
honest; the owner of an image can still move a tag that looks like an exact version.`,
	Advice: "Write the exact version that you reviewed (name@1.2.3, name==1.2.3, image@sha256:…) and update it deliberately.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			for _, s := range specs(launched(e)) {
				why := s.loose()
				if why == "" {
					continue
				}
				p.Report(Report{File: file, Entry: e, At: s.at, Evidence: s.text, Start: s.from, End: s.from + len(s.text),
					Message: fmt.Sprintf("%s starts the %s %q %s", s.runner, []string{npm: "package", pypi: "package", image: "image", golang: "module"}[s.kind], maskSecrets(s.text), why)})
			}
		})
	},
})
