package attackdoc

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/attacks"
	"gauntlet/oatf"
)

const attacksIntro = `# Attacks

<!-- Made by "gauntlet attack list --format markdown". Change the documents, not this file. -->

%d attacks are built in: %d on agents, played by servers or planted as files, and %d on servers, played by a client. Any command takes their names
where it takes a document: [attacking.md](attacking.md). Each is one technique; what it says is made up, and so are all names, addresses
and keys in it.

**Proofs** are tests of this project. The victim obeys what it reads and the resister does the same task and obeys nothing; neither knows
the attack. The careless server makes the mistakes that attacks on servers look for, the careful one none of them. A proof says that an
attack reaches the other side in words that can be carried out, and that its indicators take neither the task nor the attack's own words
for compliance. It says nothing about how likely a model is to obey.

| name | | severity | plays |
|---|---|---|---|
`

// writeMarkdown writes docs/attacks.md.
func writeMarkdown(w io.Writer, all []Listed) error {
	var b strings.Builder
	servers := 0
	for _, l := range all {
		if l.Servers+l.Files > 0 {
			servers++
		}
	}
	fmt.Fprintf(&b, attacksIntro, len(all), servers, len(all)-servers)
	for i := range all {
		l := &all[i]
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", l.Name, l.Name, l.Title, l.Severity, playedRoles(l))
	}
	for i := range all {
		text, _ := attacks.Text(all[i].Name)
		doc, _, err := oatf.Load(text)
		if err != nil {
			return fmt.Errorf("%s, which is built in: %w", all[i].Name, err)
		}
		writeAttackSection(&b, &all[i], &doc.Attack)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeAttackSection(b *strings.Builder, l *Listed, at *oatf.Attack) {
	fmt.Fprintf(b, "\n## %s\n\n", l.Name)
	fmt.Fprintf(b, "**%s** (%s, severity %s, %s). Plays: %s.\n\n", l.Title, l.ID, l.Severity, strings.ReplaceAll(l.Category, "_", " "), playedRoles(l))
	fmt.Fprintf(b, "%s\n\n", l.Description)
	b.WriteString("**How it is detected:** ")
	if len(at.Indicators) > 1 && at.Correlation != nil && at.Correlation.Logic == oatf.LogicAll {
		b.WriteString("by all of these together.\n\n")
	} else {
		b.WriteString("by any of these.\n\n")
	}
	for _, i := range at.Indicators {
		fmt.Fprintf(b, "- %s `%s`, %s of `%s`.\n", i.Description, i.Tier, i.Direction, i.Surface)
		for _, f := range i.FalsePositives {
			fmt.Fprintf(b, "  Not told apart from it: %s\n", f)
		}
	}
	fmt.Fprintf(b, "\n**Proofs:** %s\n\n**Catalogues:** %s\n\n**References:**\n\n", proofText(l), strings.Join(mappingNames(at), ", "))
	for _, r := range at.References {
		fmt.Fprintf(b, "- [%s](%s)\n", r.Title, r.URL)
	}
}

// proofText says which tests prove an attack both ways.
func proofText(l *Listed) string {
	if l.Servers+l.Files == 0 {
		return "opens the careless server, fails at the careful one."
	}
	eras := "in 2025-11-25 and in 2026-07-28"
	switch {
	case slices.Contains(l.Tags, HandshakeEra):
		eras = "in 2025-11-25; 2026-07-28 has no room for it"
	case slices.Contains(l.Tags, StatelessEra):
		eras = "in 2026-07-28, where the victim reads lists a second time unasked"
	}
	return "the victim falls for it and the resister does not, " + eras + "."
}

// frameworks maps the catalogues that documents refer to to their names; those whose ids are self-explanatory are missing.
var frameworks = map[string]string{"owasp_mcp": "OWASP MCP ", "owasp_agentic": "OWASP Agentic ", "owasp_llm": "OWASP LLM ", "atlas": "MITRE ATLAS "}

// mappingNames returns an attack's catalogue entries.
func mappingNames(at *oatf.Attack) []string {
	var out []string
	for _, m := range at.Classification.Mappings {
		entry := strings.TrimSpace(frameworks[m.Framework] + m.ID + " " + m.Name)
		if m.Relationship == oatf.RelationshipRelated {
			entry += " (related)"
		}
		out = append(out, entry)
	}
	return out
}
