package integrity

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/internal/posture"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-016", Name: "version-stamp-posture", Severity: finding.Info, Maturity: check.Experimental,
	Axis: "posture", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `No tool in the catalog carries a version stamp: a member "version", or a key "version" in its "_meta",
with or without a prefix.

Without a stamp a definition that is swapped later leaves no trace in the catalog itself, and only a
baseline shows it. No revision of MCP gives a tool a version; a stamp is a private convention (ETDI,
arXiv 2506.01333). So this fires on nearly every server, is informational and says nothing bad about
anyone. It reads the current catalog alone, and there is one finding a catalog. One stamped tool
silences it, and so does a catalog without tools.

The posture map's signal tool-version has the figures, by the same definition.`,
	Advice: "Keep a snapshot of what you approved and compare with scan --baseline; as the author of a server, stamp your tools under _meta.",
	Run:    versionStampPosture,
})

func versionStampPosture(p *check.Pass) {
	var tree rawjson.Tree
	var first *catalog.Server
	n := 0
	identity := []string{}
	for _, s := range p.Catalog.Servers {
		identity = append(identity, check.Identity(s))
		list := s.Tools()
		if len(list) > 0 && first == nil {
			first = s
		}
		for i := range list {
			n++
			// Most tools are told by their text: parsing a million of them again would cost
			// as much as the scan.
			text := list[i].Text(s)
			if (strings.Contains(text, `version"`) || strings.Contains(text, `\u`)) && posture.Stamped(list[i].Parse(s, &tree)) {
				p.Looked(n)
				return
			}
		}
	}
	p.Looked(n)
	if first == nil {
		return
	}
	slices.Sort(identity)
	what := fmt.Sprintf("none of the %d tools carries", n)
	if n == 1 {
		what = "the only tool does not carry"
	}
	p.Report(check.Relation{
		At: p.At(first, nil, rawjson.Value{}), Identity: identity,
		Message: what + " a version stamp, so a definition that is swapped later leaves no trace in the catalog itself",
	})
}
