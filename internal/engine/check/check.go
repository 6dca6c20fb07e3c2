// Package check defines security checks and runs them over a catalog.
//
// A Check is a value: a rule id with its documentation and a function. It sees only what an Item or a Pass shows it: no
// file, no network, no clock, no model. An error is not a verdict; a check that panics on one definition becomes a
// Problem there, and every other definition is checked as usual.
package check

import (
	"errors"
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/taxonomy"
)

// A Check is a deterministic rule.
type Check struct {
	ID       finding.Rule
	Name     string // kebab-case, as in the rule's public source
	Severity finding.Severity
	Maturity Maturity
	Axis     string   // taxonomy axis, for instance "tool-poisoning"
	Taxonomy string   // references to public catalogues, in the form of taxonomy.Parse
	Needs    Evidence // without it the check is skipped, and the report says so
	Doc      string   // what fires, why it matters and what does not fire; Markdown
	Advice   string   // one line for the author of the definition
	Source   string   // URL of the rule's public source

	// Exactly one of these is set. RunItem judges one definition and is called concurrently. Run judges definitions
	// against each other and is called once.
	RunItem func(*Item)
	Run     func(*Pass)
}

// Maturity says how well a check is proven on real servers.
type Maturity string

// A stable check has a false-alarm rate measured on real servers; an experimental one does not.
const (
	Stable       Maturity = "stable"
	Experimental Maturity = "experimental"
)

// Evidence is a set of inputs that a check requires.
type Evidence uint16

// The inputs: at least one definition, more than one server, a baseline with a server, a server asked more than once, a
// recorded conversation, a server's source, a probed server, what a server did in a sandbox, a package.
const (
	Definitions Evidence = 1 << iota
	Servers
	Baseline
	Askings
	Trace
	Sources
	Probes
	Observed
	Package
)

// String names the inputs for display.
func (e Evidence) String() string {
	var parts []string
	for i, name := range []string{"a definition", "more than one server", "a baseline", "a server asked twice", "a trace", "the source of a server", "a server that was probed", "a server in a sandbox", "a package"} {
		if e&(1<<i) != 0 {
			parts = append(parts, name)
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, " and ")
}

// Validate reports all defects of checks: a malformed or duplicate id, a missing name, severity, document, advice or source.
func Validate(checks []*Check) error {
	var errs []error
	seen := map[finding.Rule]bool{}
	for _, c := range checks {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("check %s: %s", c.ID, fmt.Sprintf(format, args...)))
		}
		if !c.ID.Valid() {
			bad("malformed id")
		}
		if seen[c.ID] {
			bad("the id is used twice")
		}
		seen[c.ID] = true
		for _, f := range []struct{ name, text string }{
			{"Name", c.Name}, {"Axis", c.Axis}, {"Doc", c.Doc}, {"Advice", c.Advice}, {"Source", c.Source}, {"Maturity", string(c.Maturity)},
		} {
			if f.text == "" {
				bad("%s is missing", f.name)
			}
		}
		if !strings.HasPrefix(c.Source, "https://") && !strings.HasPrefix(c.Source, "http://") {
			bad("Source is not a web address")
		}
		if _, err := taxonomy.Parse(c.Taxonomy); err != nil {
			bad("Taxonomy: %v", err)
		}
		if c.Severity == finding.None {
			bad("Severity is missing")
		}
		if c.Needs == 0 {
			bad("Needs is missing")
		}
		if (c.RunItem == nil) == (c.Run == nil) {
			bad("want exactly one of RunItem and Run")
		}
	}
	return errors.Join(errs...)
}
