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
		{languageOf[probe.TemplateInjection], "Renders a page.", "template", "", true},
		{languageOf[probe.TemplateInjection], "Renders a Mustache-like template with the given values.", "text", "", true},
		{languageOf[probe.TemplateInjection], "Fills text.", "text", "Text with {{placeholders}}", true},
		{languageOf[probe.TemplateInjection], "Evaluates a spreadsheet formula.", "input", "", true},
		{languageOf[probe.TemplateInjection], "Creates a page by our template.", "text", "", false},
		{languageOf[probe.TemplateInjection], "Renders text into the template.", "text", "", false},
		{languageOf[probe.TemplateInjection], "Creates a page.", "title", "The title, shown in the template", false},
		{languageOf[probe.TemplateInjection], "Creates a page.", "kind", "Name of the template", false},
		{&conditionLanguage, "Finds rows. The filter is a small language, joined with AND.", "filter", "", true},
		{&conditionLanguage, "Finds rows by a filter.", "filter", "", false},
		{&conditionLanguage, "Finds rows.", "filter", "Boolean expression over columns", true},
		{&conditionLanguage, "Finds rows.", "customer", "The customer whose orders are searched in the SQL database", false},
		{languageOf[probe.NoSQLInjection], "Evaluates.", "expression", "", true},
		{languageOf[probe.ArgumentInjection], "Runs git.", "extra_args", "", true},
		{languageOf[probe.ArgumentInjection], "Runs git with options.", "branch", "The branch for the arguments of git", false},
		{languageOf[probe.SQLInjection], "Runs a read-only SQL query against the database.", "query", "", true},
		{languageOf[probe.SQLInjection], "Reads rows.", "q", "The SELECT statement to run", true},
		{languageOf[probe.SQLInjection], "Reads rows.", "sql", "", true},
		{languageOf[probe.SQLInjection], "Finds an item in the database by name.", "query", "name in the database", false},
		{languageOf[probe.SQLInjection], "Finds rows.", "name", "Name that the SQL query looks for", false},
		{languageOf[probe.CommandInjection], "Runs a shell command.", "input", "", true},
		{languageOf[probe.CommandInjection], "Pings a host.", "host", "host name for the command", false},
		{languageOf[probe.CodeEvaluation], "Evaluates JavaScript in the page.", "expression", "", true},
		{languageOf[probe.CodeEvaluation], "Finds a report by its expression.", "expression", "expression of the report", false},
		{languageOf[probe.CRLF], "Fetches a page.", "headers", "", true},
		{languageOf[probe.CRLF], "Sends a mail.", "subject", "", false},
	} {
		target := Target{Parameter: schemafill.Parameter{Name: tt.parameter, Schema: map[string]any{"description": tt.about}}}
		if got := target.declares(tt.language, tt.tool) != ""; got != tt.want {
			t.Errorf("%s: %q, %s: %q: declared %v, want %v", tt.language.does, tt.tool, tt.parameter, tt.about, got, tt.want)
		}
	}
}
