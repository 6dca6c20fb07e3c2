package oatf

import "slices"

// A Rule is a rule of the format, or a lint of this package.
type Rule struct {
	ID       string             // V-001 to V-049, W-001 to W-007; GNT-2… for a lint
	Section  string             // that states it; for a lint, that it follows from
	Severity DiagnosticSeverity // an error makes a document invalid
	Summary  string             // what a valid document satisfies; for a warning, what causes it
}

// Rules returns all rules by id: rules of the format, its warnings, lints.
func Rules() []Rule { return slices.Clone(rules) }

func ruleByID(id string) Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return Rule{ID: id, Section: "SDK §3.2", Severity: SeverityError}
}

const (
	fails = SeverityError
	warns = SeverityWarning
)

var rules = []Rule{
	{"V-001", "§11.1.1", fails, "oatf names a supported version"},
	{"V-002", "§11.1.2", warns, "oatf is the first key (reported as W-001)"},
	{"V-003", "§11.1.3", fails, "there is exactly one attack, a mapping"},
	{"V-004", "§11.1.4", fails, "the attack has an execution"},
	{"V-005", "§11.1.5", fails, "enumerated fields have an allowed value"},
	{"V-006", "§11.1.9", fails, "indicators, if present, is not empty"},
	{"V-007", "§11.1.7, §11.1.8", fails, "phases and actors, if present, are not empty"},
	{"V-008", "§11.1.7", fails, "an actor has at most one phase without a trigger, its last"},
	{"V-009", "§11.1.7", fails, "an actor's first phase has a state"},
	{"V-010", "§11.1.10", fails, "indicator ids are unique"},
	{"V-011", "§11.1.7", fails, "phase names are unique within an actor"},
	{"V-012", "§11.1.11", fails, "an indicator has exactly one of pattern, expression and semantic"},
	{"V-013", "§6.2", fails, "regular expressions are valid RE2"},
	{"V-014", "§6.3", fails, "CEL expressions parse"},
	{"V-015", "§5.5", fails, "JSONPath expressions are valid RFC 9535"},
	{"V-016", "§5.7", fails, "templates are closed"},
	{"V-017", "§4.3", fails, "severity.confidence is 0 to 100"},
	{"V-018", "§7", warns, "a surface is an operation of the indicator's protocol"},
	{"V-019", "§5.3", fails, "count and match only occur together with event"},
	{"V-020", "§11.1.1", fails, "no YAML anchors, aliases, merge keys or custom tags"},
	{"V-021", "§6.1, §6.2, §6.4", fails, "targets are wildcard paths"},
	{"V-022", "§6.4", fails, "a threshold is 0 to 1"},
	{"V-023", "§4.2", fails, "the attack's id has the form PREFIX-000"},
	{"V-024", "§6.1", fails, "an indicator's id is the attack's id followed by -00"},
	{"V-025", "§6.1", fails, "an indicator's confidence is 0 to 100"},
	{"V-026", "§6.3", fails, "variables of an expression are simple paths"},
	{"V-027", "SDK §5.4", fails, "keys of a match predicate are simple paths"},
	{"V-028", "§5.1", fails, "if the execution has no mode, all phases have the same mode and every indicator has a protocol"},
	{"V-029", "§7", warns, "a trigger's event occurs in its mode"},
	{"V-030", "§5.1", fails, "an execution has exactly one of state, phases and actors; state requires a mode"},
	{"V-031", "§5.1", fails, "actors have a unique name, a mode and phases"},
	{"V-032", "§5.6", fails, "templates name actors that exist"},
	{"V-033", "§11.1.14", fails, "at most one entry of a dispatch list lacks when"},
	{"V-034", "§5.1", fails, "modes and protocols have the required form"},
	{"V-035", "§4.2", fails, "the attack's version is 1 or more"},
	{"V-036", "§5.3", fails, "a trigger's after is a duration"},
	{"V-037", "§5.5", fails, "extractor names have the required form"},
	{"V-038", "§11.1.7", fails, "extractors, if present, is not empty"},
	{"V-039", "§11.1.15", fails, "names of variables are CEL identifiers"},
	{"V-040", "§5.3", fails, "a trigger has an event or an after"},
	{"V-041", "§11.1.16", fails, "an action has exactly one action key"},
	{"V-042", "§5.5", fails, "an extractor's regular expression has a capture group"},
	{"V-043", "§5.2", fails, "on_enter, if present, is not empty"},
	{"V-044", "§5.2", fails, "a phase's mode is that of its actor"},
	{"V-045", "§4.2", fails, "impacts are unique"},
	{"V-046", "§4.2", fails, "grace_period is a duration"},
	{"V-047", "§4.7", fails, "correlation only occurs together with indicators"},
	{"V-048", "§6.1", fails, "an indicator's actor exists"},
	{"V-049", "§6.1", fails, "an indicator's method matches the key that is present"},

	{"W-001", "SDK §7.0", warns, "oatf is not the first key"},
	{"W-002", "SDK §7.0", warns, "a mode belongs to no known binding"},
	{"W-003", "SDK §7.0", warns, "a protocol belongs to no known binding"},
	{"W-004", "SDK §7.0", warns, "a template names an undeclared extractor"},
	{"W-005", "SDK §7.0", warns, "no actor uses the indicator's protocol"},
	{"W-006", "SDK §7.0", warns, "synthesize is used, which is reserved for a later version"},
	{"W-007", "SDK §7.0", warns, "an indicator is semantic, which is experimental"},

	{"GNT-201", "§6", warns, "an indicator matches what the attack itself sends"},
	{"GNT-202", "§7.1.3", warns, "a CEL expression without a surface does not check that its fields exist"},
	{"GNT-203", "§5.2", warns, "a later state drops a key that an earlier one had"},
	{"GNT-204", "§6.1", warns, "a target names a path that no message of the protocol has"},
	{"GNT-205", "§5.2", warns, "a phase is never reached"},
	{"GNT-206", "§7.0.4", warns, "an event does not exist in the protocol revision of the state"},
	{"GNT-207", "§6.2", warns, "a regular expression matches nothing"},
	{"GNT-208", "§7.1.5", warns, "a client action is initialize, which is sent anyway when the connection is made"},
	{"GNT-209", "§7.1.6", warns, "a request is sent on its own although the specification ties it to another, and no reason is given"},
	{"GNT-210", "§4.2", warns, "a date is not in ISO 8601"},
	{"GNT-211", "§10.3", fails, "x-gauntlet-wire contains only rules that this version supports"},
	{"GNT-212", "§7", warns, "a state contains something that is ignored"},
	{"GNT-213", "§10.3", fails, "x-gauntlet-files contains only files that can be planted, with markers that stand nowhere else"},
}
