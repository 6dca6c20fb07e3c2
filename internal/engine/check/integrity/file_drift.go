package integrity

import (
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-018", Name: "agent-file-drift", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 close, MCP03:2025 weak, ASI04 close, AST07 close, AST02 weak, CWE-353 close, CWE-345 close, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: "https://owasp.org/www-project-agentic-skills-top-10/",
	Doc: `A file that an agent reads or runs, such as a skill, a script of it, a hook or a settings file, is not what it was when it
was approved, or is new in what was approved.

A skill that was read once and approved can be changed by whoever can write it: by an update, a pull request or another
program. What the agent obeys is then not what anybody read.

Files are known by their path below the project or the home directory. Compared are hashes: of the bytes of a text, a script
or a program, of the servers and settings of a configuration without its secrets. A changed file is severity high, a new one
medium. Files that are gone are not reported.`,
	Advice: "Read what changed. If it is fine, approve it with gauntlet lock --update.",
	Run: func(p *check.Pass) {
		for _, pr := range catalog.Pairs(p.Baseline, p.Catalog) {
			var before, now rawjson.Tree
			was := map[string]*catalog.Item{}
			for i := range pr.Was.Lists[resources].Items {
				it := &pr.Was.Lists[resources].Items[i]
				was[it.Name()] = it
			}
			items := pr.Is.Lists[resources].Items
			for i := range items {
				it := &items[i]
				v := it.Parse(pr.Is, &now)
				if !strings.HasPrefix(v.Get("uri").Text(), "agent-file:") {
					continue
				}
				p.Looked(1)
				relation := check.Relation{At: p.At(pr.Is, it, rawjson.Value{}), Identity: []string{check.Identity(pr.Is), it.Name(), v.Get("_meta").Get("sha256").Text()}}
				switch old := was[it.Name()]; {
				case old == nil:
					relation.Severity, relation.Message = finding.Medium, "the file was not there when "+pr.Is.Name+" was approved: "+it.Name()
				case old.Parse(pr.Was, &before).Get("_meta").Canonical() != v.Get("_meta").Canonical():
					relation.Message = "the file has changed since it was approved: " + it.Name()
				default:
					continue
				}
				p.Report(relation)
			}
		}
	},
})
