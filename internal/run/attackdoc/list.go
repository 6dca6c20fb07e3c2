package attackdoc

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gauntlet/attacks"
	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/faults"
	"gauntlet/oatf"
	"gauntlet/report"
)

// A Listed describes a built-in document.
type Listed struct {
	Name        string    `json:"name"` // name for commands
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Severity    string    `json:"severity"`
	Category    string    `json:"category"`
	Modes       []string  `json:"modes"` // of the played actors, without repeats
	Servers     int       `json:"servers"`
	Files       int       `json:"files,omitempty"` // planted in the agent's working directory
	Tags        []string  `json:"tags"`
	Mappings    []Mapping `json:"mappings"`
	Description string    `json:"description"`
	Indicators  int       `json:"indicators"`

	attack *oatf.Attack
}

// A Mapping is an entry of a public catalogue.
type Mapping struct {
	Framework string `json:"framework"`
	ID        string `json:"id"`
}

// Tags of attacks that only one era of the protocol allows: revisions with a handshake, and those without.
const (
	HandshakeEra = "handshake-era"
	StatelessEra = "stateless-era"
)

// BuiltIn lists the built-in documents.
func BuiltIn() ([]Listed, error) {
	var all []Listed
	for _, name := range attacks.Names() {
		text, _ := attacks.Text(name)
		doc, _, err := oatf.Load(text)
		if err != nil {
			return nil, fmt.Errorf("%s, which is built in: %w", name, err)
		}
		all = append(all, newListed(name, doc))
	}
	return all, nil
}

func newListed(name string, doc *oatf.Document) Listed {
	at := &doc.Attack
	l := Listed{attack: at, Files: len(delivery.Files(doc)), Name: name, ID: at.ID, Title: at.Name, Description: strings.TrimSpace(at.Description), Indicators: len(at.Indicators),
		Modes: []string{}, Tags: []string{}, Mappings: []Mapping{}}
	if at.Severity != nil {
		l.Severity = string(at.Severity.Level)
	}
	if c := at.Classification; c != nil {
		l.Category, l.Tags = string(c.Category), append(l.Tags, c.Tags...)
		for _, m := range c.Mappings {
			l.Mappings = append(l.Mappings, Mapping{m.Framework, m.ID})
		}
	}
	seen := map[string]bool{}
	for _, actor := range at.Execution.Actors {
		if actor.Mode == "mcp_server" {
			l.Servers++
		}
		if strings.HasPrefix(actor.Mode, "mcp_") && !seen[actor.Mode] {
			seen[actor.Mode] = true
			l.Modes = append(l.Modes, actor.Mode)
		}
	}
	return l
}

// WriteList writes the list as "json", as "markdown" for docs/attacks.md, or for a person.
func WriteList(w io.Writer, all []Listed, format string) error {
	switch format {
	case "json":
		return report.WriteJSON(w, all)
	case "markdown":
		return writeMarkdown(w, all)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tID\tSEVERITY\tPLAYS\tTITLE")
	for _, l := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.ID, l.Severity, playedRoles(&l), report.Visible(l.Title))
	}
	return t.Flush()
}

// playedRoles says which roles are played, as "2 servers".
func playedRoles(l *Listed) string {
	var parts []string
	switch {
	case l.Servers == 1:
		parts = append(parts, "server")
	case l.Servers > 1:
		parts = append(parts, fmt.Sprintf("%d servers", l.Servers))
	}
	if l.Files > 0 {
		parts = append(parts, "files")
	}
	for _, m := range l.Modes {
		if m == "mcp_client" {
			parts = append(parts, "client")
		}
	}
	return strings.Join(parts, ", ")
}

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
		writeAttackSection(&b, &all[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeAttackSection(b *strings.Builder, l *Listed) {
	at := l.attack
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

// WriteFaults lists the named faults, or all.
func WriteFaults(w io.Writer, names []string) error {
	for _, k := range faults.Kinds() {
		if len(names) > 0 && !slices.Contains(names, k.Name) {
			continue
		}
		says := k.Says
		switch {
		case k.HTTP:
			says += " (HTTP only)"
		case k.Answers:
			says += " (answers only)"
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", k.Name, says); err != nil {
			return err
		}
		for _, p := range k.Params {
			if _, err := fmt.Fprintf(w, "  %s (%s): %s; %s\n", p.Name, p.Show(p.Default), p.Says, p.Limit()); err != nil {
				return err
			}
		}
	}
	return nil
}
