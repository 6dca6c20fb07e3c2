package integrity

import (
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-014", Name: "server-drift", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, MCP04:2025 close, ASI04 close, CWE-494 weak, CWE-353 close, CWE-345 close, AML.T0109 close, AML.T0110 close, SAFE-T1201 close, SAFE-T1205 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `What a server says about itself has changed since the baseline: its instructions (severity high), or its name,
title, description, website or icons (medium).

Most hosts put the instructions into the model's context in every conversation, so new instructions are at
least as powerful as a new tool description. Instructions that the baseline does not have are reported as
well, if the baseline's format could have held them: the server was approved without them. Removed
instructions are not reported.

Not reported: a new version of the server, other capabilities, and notes that a capture tool keeps about
itself. Servers are matched as in SEC-014.`,
	Advice: "Review the new text as if the server were new. If it is fine, make the new snapshot the baseline.",
	Run:    serverDrift,
})

func serverDrift(p *check.Pass) {
	var before, now rawjson.Tree
	for _, pr := range catalog.Pairs(p.Baseline, p.Catalog) {
		p.Looked(len(pr.Is.Self))
		for i := range pr.Is.Self {
			it := &pr.Is.Self[i]
			was := self(pr.Was, it.Label())
			k := kept{Pair: pr, isItem: it, wasItem: was, new: it.Parse(pr.Is, &now)}
			if was != nil {
				k.old = was.Parse(pr.Was, &before)
			}
			switch it.Label() {
			case "instructions":
				if isBlank(k.new) || k.old.Canonical() == k.new.Canonical() {
					continue
				}
				if was == nil && len(pr.Was.Self) == 0 {
					continue // a bare list of tools has no instructions
				}
				if isBlank(k.old) {
					k.old = rawjson.Value{}
				}
				k.reportChange(p, finding.High, []change{{"instructions", k.old, k.new}})
			case "server", "serverInfo":
				if was != nil {
					k.reportChange(p, finding.Medium, changes(identityOf(k.old), identityOf(k.new), only("name", "title", "description", "websiteUrl", "icons")))
				}
			}
		}
	}
}

// self returns the server's statement about itself with this label, nil if there is none.
func self(s *catalog.Server, label string) *catalog.Item {
	for i := range s.Self {
		if s.Self[i].Label() == label {
			return &s.Self[i]
		}
	}
	return nil
}

// identityOf returns the MCP Implementation object, which some capture tools wrap.
func identityOf(v rawjson.Value) rawjson.Value {
	if wrapped := v.Get("serverInfo"); wrapped.Kind() == rawjson.Object {
		return wrapped
	}
	return v
}
