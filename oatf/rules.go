package oatf

import "slices"

// A Rule is one of the format's rules for documents, or one of this package's own lints.
type Rule struct {
	ID       string             // V-001 to V-049, W-001 to W-007; GNT-2… for a lint
	Section  string             // where it stands in the specification; for a lint, what it follows from
	Severity DiagnosticSeverity // an error makes a document invalid
	Summary  string             // what a document must be like; of a warning, what draws it
}

// Rules returns all rules in the order of their ids: those of the format, its warnings,
// the lints.
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
	{"V-002", "§11.1.2", warns, "oatf stands first (reported as W-001)"},
	{"V-003", "§11.1.3", fails, "there is exactly one attack, a mapping"},
	{"V-004", "§11.1.4", fails, "the attack has an execution"},
	{"V-005", "§11.1.5", fails, "words of closed lists are in them"},
	{"V-006", "§11.1.9", fails, "indicators, if there, has an entry"},
	{"V-007", "§11.1.7, §11.1.8", fails, "phases and actors have an entry"},
	{"V-008", "§11.1.7", fails, "an actor has at most one phase without a trigger, its last"},
	{"V-009", "§11.1.7", fails, "an actor's first phase has a state"},
	{"V-010", "§11.1.10", fails, "indicator ids differ"},
	{"V-011", "§11.1.7", fails, "phase names of one actor differ"},
	{"V-012", "§11.1.11", fails, "an indicator has one of pattern, expression and semantic"},
	{"V-013", "§6.2", fails, "regular expressions are valid RE2"},
	{"V-014", "§6.3", fails, "CEL expressions parse"},
	{"V-015", "§5.5", fails, "JSONPath expressions are valid RFC 9535"},
	{"V-016", "§5.7", fails, "templates are closed"},
	{"V-017", "§4.3", fails, "severity.confidence is 0 to 100"},
	{"V-018", "§7", warns, "a surface is an operation of its protocol"},
	{"V-019", "§5.3", fails, "count and match stand beside event"},
	{"V-020", "§11.1.1", fails, "no YAML anchors, aliases, merge keys or custom tags"},
	{"V-021", "§6.1, §6.2, §6.4", fails, "targets are wildcard paths"},
	{"V-022", "§6.4", fails, "a threshold is 0 to 1"},
	{"V-023", "§4.2", fails, "the attack's id has the form PREFIX-000"},
	{"V-024", "§6.1", fails, "an indicator's id is the attack's with -00 behind it"},
	{"V-025", "§6.1", fails, "an indicator's confidence is 0 to 100"},
	{"V-026", "§6.3", fails, "variables of an expression are simple paths"},
	{"V-027", "SDK §5.4", fails, "keys of a match predicate are simple paths"},
	{"V-028", "§5.1", fails, "without an execution's mode, phases have one and the same, and indicators a protocol"},
	{"V-029", "§7", warns, "a trigger's event is one that its mode sees"},
	{"V-030", "§5.1", fails, "an execution has one of state, phases and actors; state needs a mode"},
	{"V-031", "§5.1", fails, "actors have a name of their own, a mode and phases"},
	{"V-032", "§5.6", fails, "templates name actors that exist"},
	{"V-033", "§11.1.14", fails, "at most one entry of a dispatch list has no when"},
	{"V-034", "§5.1", fails, "modes and protocols have their form"},
	{"V-035", "§4.2", fails, "the attack's version is 1 or more"},
	{"V-036", "§5.3", fails, "a trigger's after is a duration"},
	{"V-037", "§5.5", fails, "extractor names have their form"},
	{"V-038", "§11.1.7", fails, "extractors, if there, has an entry"},
	{"V-039", "§11.1.15", fails, "names of variables are CEL identifiers"},
	{"V-040", "§5.3", fails, "a trigger has an event or an after"},
	{"V-041", "§11.1.16", fails, "an action has exactly one action key"},
	{"V-042", "§5.5", fails, "an extractor's regular expression has a capture group"},
	{"V-043", "§5.2", fails, "on_enter, if there, has an entry"},
	{"V-044", "§5.2", fails, "a phase's mode is that of its actor"},
	{"V-045", "§4.2", fails, "impacts differ"},
	{"V-046", "§4.2", fails, "grace_period is a duration"},
	{"V-047", "§4.7", fails, "correlation stands beside indicators"},
	{"V-048", "§6.1", fails, "an indicator's actor exists"},
	{"V-049", "§6.1", fails, "an indicator's method is the key that it has"},

	{"W-001", "SDK §7.0", warns, "oatf is not the first key"},
	{"W-002", "SDK §7.0", warns, "a mode of no known binding"},
	{"W-003", "SDK §7.0", warns, "a protocol of no known binding"},
	{"W-004", "SDK §7.0", warns, "a template names an extractor that nobody declares"},
	{"W-005", "SDK §7.0", warns, "an indicator's protocol is that of no actor"},
	{"W-006", "SDK §7.0", warns, "synthesize is reserved for a later version"},
	{"W-007", "SDK §7.0", warns, "semantic indicators are experimental"},

	{"GNT-201", "§6", warns, "an indicator matches what the attack itself sends"},
	{"GNT-202", "§7.1.3", warns, "a CEL expression without a surface does not test for its fields"},
	{"GNT-203", "§5.2", warns, "a later state drops a key that an earlier one had"},
	{"GNT-204", "§6.1", warns, "a target leads to where no message of the protocol has anything"},
	{"GNT-205", "§5.2", warns, "a phase is never reached"},
	{"GNT-206", "§7.0.4", warns, "an event is not of the protocol revision that the state speaks"},
	{"GNT-207", "§6.2", warns, "a regular expression matches nothing"},
	{"GNT-208", "§7.1.5", warns, "initialize is a client's action"},
	{"GNT-209", "§7.1.6", warns, "a request that must not stand alone does, without a word about why"},
	{"GNT-210", "§4.2", warns, "a date is not in ISO 8601"},
	{"GNT-211", "§10.3", fails, "x-gauntlet-wire holds rules that this runtime has"},
	{"GNT-212", "§7", warns, "a state holds what is not played"},
}
