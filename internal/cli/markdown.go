package cli

import (
	"fmt"
	"io"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// writeMarkdown writes docs/checks.md.
func writeMarkdown(w io.Writer, rules []result.Rule) error {
	var b strings.Builder
	b.WriteString("# Checks\n\n<!-- Made by \"gauntlet checks --format markdown\". Change the checks, not this file. -->\n\n")
	b.WriteString("| id | name | severity | maturity |\n|---|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, anchor(r), r.Name, r.Severity, r.Maturity)
	}
	for _, r := range rules {
		fmt.Fprintf(&b, "\n## %s %s\n\n", r.ID, r.Name)
		fmt.Fprintf(&b, "Severity %s, %s, axis %s.\n\n", r.Severity, r.Maturity, r.Axis)
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Doc))
		fmt.Fprintf(&b, "**What to do:** %s\n\n", r.Advice)
		fmt.Fprintf(&b, "**Source:** <%s>\n", r.Source)
		markdownTaxonomy(&b, r.Taxonomy)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// anchor is the id that code hosts give the check's heading.
func anchor(r result.Rule) string {
	return strings.ToLower(strings.ReplaceAll(string(r.ID), "/", "")) + "-" + r.Name
}

func markdownTaxonomy(b *strings.Builder, refs []finding.TaxonomyRef) {
	if len(refs) == 0 {
		return
	}
	b.WriteString("\n| catalogue | entry | fit |\n|---|---|---|\n")
	for _, t := range refs {
		fmt.Fprintf(b, "| %s | %s | %s |\n", t.System, strings.ReplaceAll(strings.TrimSpace(t.ID+" "+t.Name), "|", `\|`), t.Fit)
	}
}
