package proberun

import (
	"testing"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/probe"
)

// A tool declares a language where it says that this parameter is written in it, and not where it speaks of one.
func TestDeclares(t *testing.T) {
	for _, tt := range []struct {
		language               *language
		tool, parameter, about string
		want                   bool
	}{
		{payloads.languages[probe.TemplateInjection], "Renders a page.", "template", "", true},
		{payloads.languages[probe.TemplateInjection], "Renders a Mustache-like template with the given values.", "text", "", true},
		{payloads.languages[probe.TemplateInjection], "Fills text.", "text", "Text with {{placeholders}}", true},
		{payloads.languages[probe.TemplateInjection], "Evaluates a spreadsheet formula.", "input", "", true},
		{payloads.languages[probe.TemplateInjection], "Creates a page by our template.", "text", "", false},
		{payloads.languages[probe.TemplateInjection], "Renders text into the template.", "text", "", false},
		{payloads.languages[probe.TemplateInjection], "Creates a page.", "title", "The title, shown in the template", false},
		{payloads.languages[probe.TemplateInjection], "Creates a page.", "kind", "Name of the template", false},
		{payloads.languages[probe.NoSQLInjection], "Finds rows. The filter is a small language, joined with AND.", "filter", "", true},
		{payloads.languages[probe.NoSQLInjection], "Finds rows by a filter.", "filter", "", false},
		{payloads.languages[probe.NoSQLInjection], "Finds rows.", "filter", "Boolean expression over columns", true},
		{payloads.languages[probe.NoSQLInjection], "Finds rows.", "customer", "The customer whose orders are searched in the SQL database", false},
		{payloads.languages[probe.NoSQLInjection], "Evaluates.", "expression", "", true},
		{payloads.languages[probe.ArgumentInjection], "Runs git.", "extra_args", "", true},
		{payloads.languages[probe.ArgumentInjection], "Runs git with options.", "branch", "The branch for the arguments of git", false},
		{payloads.languages[probe.SQLInjection], "Runs a read-only SQL query against the database.", "query", "", true},
		{payloads.languages[probe.SQLInjection], "Reads rows.", "q", "The SELECT statement to run", true},
		{payloads.languages[probe.SQLInjection], "Reads rows.", "sql", "", true},
		{payloads.languages[probe.SQLInjection], "Finds an item in the database by name.", "query", "name in the database", false},
		{payloads.languages[probe.SQLInjection], "Finds rows.", "name", "Name that the SQL query looks for", false},
		{payloads.languages[probe.CommandInjection], "Runs a shell command.", "input", "", true},
		{payloads.languages[probe.CommandInjection], "Pings a host.", "host", "host name for the command", false},
		{payloads.languages[probe.CodeEvaluation], "Evaluates JavaScript in the page.", "expression", "", true},
		{payloads.languages[probe.CodeEvaluation], "Finds a report by its expression.", "expression", "expression of the report", false},
		{payloads.languages[probe.CRLF], "Fetches a page.", "headers", "", true},
		{payloads.languages[probe.CRLF], "Sends a mail.", "subject", "", false},
	} {
		target := target{Parameter: schemafill.Parameter{Name: tt.parameter, Schema: map[string]any{"description": tt.about}}}
		if got := target.declares(tt.language, tt.tool) != ""; got != tt.want {
			t.Errorf("%s: %q, %s: %q: declared %v, want %v", tt.language.does, tt.tool, tt.parameter, tt.about, got, tt.want)
		}
	}
}
