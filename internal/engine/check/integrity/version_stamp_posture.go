package integrity

import (
	"fmt"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/posture"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-016", Name: "version-stamp-posture", Severity: finding.Info, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 weak, ASI04 weak, CWE-353 close, SAFE-T1201 weak, L6 close, L4 weak",
	Axis:     "posture", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `No tool of this server carries a version: neither a member "version" nor a key "version" in its "_meta", with
or without a prefix.

Without a version, a definition that is replaced later leaves no trace in the tool list, and only a comparison
with a baseline shows it. MCP does not define versions for tools; they are a private convention (ETDI, arXiv
2506.01333). The check therefore fires on nearly every server and is informational. It reads only the current
tool list and reports one finding for each server. One tool with a version is enough to silence it; a server
without tools is not reported.

The posture map counts the same thing as tool-version.`,
	Advice: "Keep a snapshot of what you approved and compare with scan --baseline. As the author of a server, give your tools a version under _meta.",
	Run:    versionStampPosture,
})

func versionStampPosture(p *check.Pass) {
	for _, s := range p.Catalog.Servers {
		tools := len(s.Tools())
		p.Looked(tools)
		if tools == 0 || anyToolStamped(s) {
			continue
		}
		what := fmt.Sprintf("none of the server's %d tools has", tools)
		if tools == 1 {
			what = "the server's only tool does not have"
		}
		p.Report(check.Relation{
			At: p.At(s, nil, rawjson.Value{}), Identity: []string{check.Identity(s)},
			Message: what + " a version, so replacing a definition later leaves no trace in the tool list",
		})
	}
}

func anyToolStamped(s *catalog.Server) bool {
	var tree rawjson.Tree
	list := s.Tools()
	for i := range list {
		// The text rules out most tools: parsing a million of them again would cost as much as the scan.
		text := list[i].Text(s)
		if (strings.Contains(text, `version"`) || strings.Contains(text, `\u`)) && posture.Stamped(list[i].Parse(s, &tree)) {
			return true
		}
	}
	return false
}
