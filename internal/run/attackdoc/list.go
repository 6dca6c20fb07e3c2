package attackdoc

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"gauntlet/attacks"
	"gauntlet/internal/engine/delivery"
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
	l := Listed{Files: len(delivery.Files(doc)), Name: name, ID: at.ID, Title: at.Name, Description: strings.TrimSpace(at.Description), Indicators: len(at.Indicators),
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
