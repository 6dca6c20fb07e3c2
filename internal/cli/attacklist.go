package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gauntlet/attacks"
	"gauntlet/oatf"
	"gauntlet/report"
)

func (a *app) attackListCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the attacks that are built in",
		Long: `list names the attack documents that gauntlet brings along. Wherever a command takes an
attack document it takes one of these names too; a file of the name comes first.`,
		Example: `  gauntlet attack list
  gauntlet attack list --format json
  gauntlet attack list --format markdown > attacks.md`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := builtInAttacks()
			if err != nil {
				return err
			}
			return a.writeTo("-", func(w io.Writer) error { return writeAttackList(w, all, format) })
		},
	}
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}

// A listedAttack is what the list tells of a built-in document.
type listedAttack struct {
	Name        string          `json:"name"` // by which commands take it
	ID          string          `json:"id"`
	Title       string          `json:"title"`
	Severity    string          `json:"severity"`
	Category    string          `json:"category"`
	Modes       []string        `json:"modes"` // of the actors that are played, once each
	Servers     int             `json:"servers"`
	Tags        []string        `json:"tags"`
	Mappings    []listedMapping `json:"mappings"`
	Description string          `json:"description"`
	Indicators  int             `json:"indicators"`
}

// A listedMapping is one entry of a public catalogue.
type listedMapping struct {
	Framework string `json:"framework"`
	ID        string `json:"id"`
}

// The tags of attacks that only one era of the protocol has room for: the revisions with a
// handshake, and those without.
const (
	handshakeEra = "handshake-era"
	statelessEra = "stateless-era"
)

func builtInAttacks() ([]listedAttack, error) {
	var all []listedAttack
	for _, name := range attacks.Names() {
		text, _ := attacks.Text(name)
		doc, _, err := oatf.Load(text)
		if err != nil {
			return nil, fmt.Errorf("%s, which is built in: %w", name, err)
		}
		all = append(all, listAttack(name, &doc.Attack))
	}
	return all, nil
}

func listAttack(name string, at *oatf.Attack) listedAttack {
	l := listedAttack{Name: name, ID: at.ID, Title: at.Name, Description: strings.TrimSpace(at.Description), Indicators: len(at.Indicators),
		Modes: []string{}, Tags: []string{}, Mappings: []listedMapping{}}
	if at.Severity != nil {
		l.Severity = string(at.Severity.Level)
	}
	if c := at.Classification; c != nil {
		l.Category, l.Tags = string(c.Category), append(l.Tags, c.Tags...)
		for _, m := range c.Mappings {
			l.Mappings = append(l.Mappings, listedMapping{m.Framework, m.ID})
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

func writeAttackList(w io.Writer, all []listedAttack, format string) error {
	switch format {
	case "json":
		return writeIndented(w, all)
	case "markdown":
		return writeAttackMarkdown(w, all)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tID\tSEVERITY\tPLAYS\tTITLE")
	for _, l := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.ID, l.Severity, plays(&l), report.Visible(l.Title))
	}
	return t.Flush()
}

// plays says who is played, as "2 servers".
func plays(l *listedAttack) string {
	var parts []string
	switch {
	case l.Servers == 1:
		parts = append(parts, "server")
	case l.Servers > 1:
		parts = append(parts, fmt.Sprintf("%d servers", l.Servers))
	}
	for _, m := range l.Modes {
		if m == "mcp_client" {
			parts = append(parts, "client")
		}
	}
	return strings.Join(parts, ", ")
}
