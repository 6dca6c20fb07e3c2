// Package checkdoc finds checks by id or name, and writes their documentation.
package checkdoc

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/report"
	"gauntlet/result"
)

// Rules returns the rules of all checks: of servers, then of configurations.
func Rules() []result.Rule {
	return append(scanner.Rules(scanner.Checks()), scanner.ConfigRules(config.Checks())...)
}

// WriteList lists checks as "json", as "markdown" for docs/checks.md, or for a person.
func WriteList(w io.Writer, rules []result.Rule, format string) error {
	switch format {
	case "json":
		return report.WriteJSON(w, rules)
	case "markdown":
		return writeMarkdown(w, rules)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tNAME\tSEVERITY\tMATURITY")
	for _, r := range rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, r.Name, r.Severity, r.Maturity)
	}
	return t.Flush()
}

// Explain writes the full documentation of checks, in the formats of WriteList.
func Explain(w io.Writer, rules []result.Rule, format string) error {
	if format != "text" {
		return WriteList(w, rules, format)
	}
	var b strings.Builder
	for i, r := range rules {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s  %s\n\n", r.ID, r.Name)
		fmt.Fprintf(&b, "severity  %s\nmaturity  %s\naxis      %s\n\n", r.Severity, r.Maturity, r.Axis)
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Doc))
		fmt.Fprintf(&b, "what to do  %s\nsource      %s\n", r.Advice, r.Source)
		for _, t := range r.Taxonomy {
			fmt.Fprintf(&b, "see also    %s %s (%s)\n", t.System, strings.TrimSpace(t.ID+" "+t.Name), t.Fit)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ExplainText shows how a description's text is read: a line per clause, and what is reported.
func ExplainText(w io.Writer, definition string) error {
	var r clause.Reader
	r.Begin(clause.Business{})
	for _, line := range r.Explain(definition, clause.Function) {
		if _, err := fmt.Fprintln(w, report.Visible(line)); err != nil {
			return err
		}
	}
	for _, d := range r.Read(definition, clause.Function).Directives {
		if _, err := fmt.Fprintf(w, "reported: the description %s: %s\n", d.Says, report.Visible(definition[d.Start:d.End])); err != nil {
			return err
		}
	}
	return nil
}

func writeMarkdown(w io.Writer, rules []result.Rule) error {
	var b strings.Builder
	b.WriteString("# Checks\n\n<!-- Made by \"gauntlet checks --format markdown\". Change the checks, not this file. -->\n\n")
	b.WriteString("| id | name | severity | maturity |\n|---|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, headingAnchor(r), r.Name, r.Severity, r.Maturity)
	}
	for _, r := range rules {
		fmt.Fprintf(&b, "\n## %s %s\n\n", r.ID, r.Name)
		fmt.Fprintf(&b, "Severity %s, %s, axis %s.\n\n", r.Severity, r.Maturity, r.Axis)
		fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(r.Doc))
		fmt.Fprintf(&b, "**What to do:** %s\n\n", r.Advice)
		fmt.Fprintf(&b, "**Source:** <%s>\n", r.Source)
		writeTaxonomy(&b, r.Taxonomy)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// headingAnchor returns the id that code hosts give the check's heading.
func headingAnchor(r result.Rule) string {
	return strings.ToLower(strings.ReplaceAll(string(r.ID), "/", "")) + "-" + r.Name
}

func writeTaxonomy(b *strings.Builder, refs []finding.TaxonomyRef) {
	if len(refs) == 0 {
		return
	}
	b.WriteString("\n| catalogue | entry | fit |\n|---|---|---|\n")
	for _, t := range refs {
		fmt.Fprintf(b, "| %s | %s | %s |\n", t.System, strings.ReplaceAll(strings.TrimSpace(t.ID+" "+t.Name), "|", `\|`), t.Fit)
	}
}

// Choose returns the checks of servers and of configurations in only, all if it is empty, except those in skip, each in order.
func Choose(only, skip []string) (servers []*check.Check, configs []*config.Check, err error) {
	wanted, err := Lookup(only)
	if err != nil {
		return nil, nil, fmt.Errorf("--only: %w", err)
	}
	unwanted, err := Lookup(skip)
	if err != nil {
		return nil, nil, fmt.Errorf("--skip: %w", err)
	}
	out := func(id finding.Rule) bool {
		is := func(r result.Rule) bool { return r.ID == id }
		return len(wanted) > 0 && !slices.ContainsFunc(wanted, is) || slices.ContainsFunc(unwanted, is)
	}
	servers = slices.DeleteFunc(scanner.Checks(), func(k *check.Check) bool { return out(k.ID) })
	configs = slices.DeleteFunc(config.Checks(), func(k *config.Check) bool { return out(k.ID) })
	if len(servers)+len(configs) == 0 {
		return nil, nil, fmt.Errorf("--only and --skip leave no check to run")
	}
	return servers, configs, nil
}

// Lookup finds rules by id or name, ignoring case.
func Lookup(wanted []string) ([]result.Rule, error) {
	all := Rules()
	var out []result.Rule
	for _, w := range wanted {
		w = strings.TrimSpace(w)
		i := slices.IndexFunc(all, func(r result.Rule) bool {
			return strings.EqualFold(w, string(r.ID)) || strings.EqualFold(w, r.Name)
		})
		if i < 0 {
			return nil, unknownCheck(all, w)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func unknownCheck(all []result.Rule, typed string) error {
	near := nearIDs(all, typed)
	if near == nil {
		var names []string
		for _, r := range all {
			names = append(names, r.Name)
		}
		near = suggest.Names(typed, names)
	}
	return fmt.Errorf("unknown check %q%s (gauntlet checks lists them)", typed, suggest.Question(near, ""))
}

// farthestNumber bounds the distance of suggested ids from a mistyped number.
const farthestNumber = 9

// nearIDs returns at most three suggestions for an unknown id: the same series and number written differently, else near numbers.
// Letter edits do not count, since every id is close to every other.
func nearIDs(all []result.Rule, typed string) []string {
	series, number, ok := splitID(typed)
	if !ok {
		return nil
	}
	type candidate struct {
		id   string
		away int
	}
	var found []candidate
	for _, r := range all {
		s, n, ok := splitID(string(r.ID))
		switch {
		case !ok || s != series || max(n-number, number-n) > farthestNumber:
		case n == number:
			return []string{string(r.ID)}
		default:
			found = append(found, candidate{string(r.ID), max(n-number, number-n)})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.away - b.away })
	var out []string
	for _, c := range found[:min(len(found), 3)] {
		out = append(out, c.id)
	}
	return out
}

// splitID splits an id such as SEC-001 into its series, in capitals without hyphens, and its number.
func splitID(id string) (series string, number int, ok bool) {
	id = strings.ToUpper(strings.Join(strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), ""))
	series = strings.TrimRight(id, "0123456789")
	number, err := strconv.Atoi(id[len(series):])
	return series, number, err == nil && series != ""
}
