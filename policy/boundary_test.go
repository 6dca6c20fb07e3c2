package policy

import (
	"reflect"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// A decision goes into the report whole: each member under its own name, whether it is used or has ended.
func TestDecisionsAreReportedWhole(t *testing.T) {
	e := Entry{Fingerprint: print2, Rule: "SEC-003", Content: content2, Definition: "tool t", Reason: "because", Owner: "kim", Expires: "2026-05-04", Line: 7}
	want := result.Decision{
		Fingerprint: print2, Rule: "SEC-003", Content: content2, Definition: "tool t", Reason: "because", Owner: "kim", Expires: "2026-05-04", File: "p.yaml", Line: 7,
	}
	for i := range reflect.ValueOf(want).NumField() {
		if reflect.ValueOf(want).Field(i).IsZero() {
			t.Errorf("%s is not set, so nobody sees whether it is lost", reflect.TypeOf(want).Field(i).Name)
		}
	}
	for day, state := range map[Date]result.SuppressionState{"2026-05-04": result.Used, "2026-05-05": result.Expired} {
		r := reported()
		(&Policy{File: "p.yaml", Entries: []Entry{e}}).Apply(r, day)
		if got := r.Suppressions[0]; got.Decision != want || got.State != state {
			t.Errorf("on %s: %+v, want %+v in state %s", day, got, want, state)
		}
		if state == result.Used && (r.Suppressed[0].Decision != want || r.Suppressed[0].Finding.Rule != "SEC-003") {
			t.Errorf("on %s: suppressed %+v, want the finding of SEC-003 by %+v", day, r.Suppressed[0], want)
		}
		if state == result.Expired && r.Suppressions[0].Detail != "it held until 2026-05-04" {
			t.Errorf("on %s: detail %q", day, r.Suppressions[0].Detail)
		}
	}
}

// A decision names why it is not used; one that was used stays so, whatever comes after.
func TestWhyADecisionIsNotUsed(t *testing.T) {
	of := func(rule finding.Rule, content string) finding.Finding {
		return finding.Finding{Rule: rule, Fingerprint: print2, Content: content}
	}
	same, changed, foreign := of("SEC-003", content2), of("SEC-003", content1), of("SEC-001", content2)
	for _, tt := range []struct {
		name     string
		findings []finding.Finding
		state    result.SuppressionState
		detail   string
		kept     int
	}{
		{"no finding", nil, result.Unused, "no finding has its fingerprint", 0},
		{"another rule's", []finding.Finding{foreign}, result.Unused, "the finding of this fingerprint is of SEC-001", 1},
		{"another content", []finding.Finding{changed}, result.Changed, "the definition has changed since the decision", 1},
		{"used, then another content", []finding.Finding{same, changed}, result.Used, "", 1},
		{"another content, then used", []finding.Finding{changed, same}, result.Used, "", 1},
		{"used twice", []finding.Finding{same, same}, result.Used, "", 0},
	} {
		r := reported()
		r.Findings = tt.findings
		(&Policy{Entries: []Entry{{Fingerprint: print2, Rule: "SEC-003", Content: content2}}}).Apply(r, "2026-01-01")
		if got := r.Suppressions[0]; got.State != tt.state || got.Detail != tt.detail || len(r.Findings) != tt.kept || len(r.Suppressed) != len(tt.findings)-tt.kept {
			t.Errorf("%s: %s %q with %d kept and %d suppressed, want %s %q with %d kept", tt.name, got.State, got.Detail, len(r.Findings), len(r.Suppressed), tt.state, tt.detail, tt.kept)
		}
	}
}

// At the bounds of a policy all is read, one beyond is refused; TestParseFaults has the words.
func TestBoundsOfAPolicy(t *testing.T) {
	long := strings.Repeat("x", MaxText)
	for _, more := range []string{"", "y"} {
		for _, key := range []string{"reason", "owner", "definition"} {
			text := "suppressions:\n" + fields(print1, "SEC-001", "r", content1, "    "+key+": "+long+more+"\n")
			if key == "reason" {
				text = "suppressions:\n" + fields(print1, "SEC-001", long+more, content1, "")
			}
			p, problems := Parse("p.yaml", text)
			if fits := more == ""; (len(p.Entries) == 1) != fits || (len(problems) == 0) != fits {
				t.Errorf("%s of %d bytes: %d entries, %d problems", key, len(long+more), len(p.Entries), len(problems))
			}
		}
	}
	if p, problems := Parse("p.yaml", "suppressions:\n"+strings.Repeat("- a\n", MaxEntries)); len(p.Entries) != 0 || len(problems) != MaxEntries {
		t.Errorf("%d broken entries: %d problems, want one each", MaxEntries, len(problems))
	}
	if _, problems := Parse("p.yaml", strings.Repeat("#", MaxBytes)); len(problems) != 0 {
		t.Errorf("a policy of %d bytes: %+v", MaxBytes, problems)
	}
}

// What sinks the file is a failure, what sinks one entry leaves it unread; both say where.
func TestKindsOfProblems(t *testing.T) {
	one := fields(print2, "SEC-003", "fine", content2, "")
	for _, tt := range []struct {
		text         string
		kind         finding.ProblemKind
		line, column int
		entries      int
		begins       string
	}{
		{"suppressions:\n" + one + "ignore: all\n", finding.Failed, 6, 1, 0, "suppressions: unknown key"},
		{"version:    2\n", finding.Failed, 1, 13, 0, "suppressions: the version"},
		{"version: [1]\n", finding.Failed, 1, 10, 0, "suppressions: the version"},
		{"suppressions:   {}\n", finding.Failed, 1, 17, 0, "suppressions: suppressions is not a list"},
		{"suppressions:\n" + strings.Repeat("- a\n", MaxEntries+1), finding.Failed, 2, 1, 0, "suppressions: 5001 suppressions; a policy has at most 5000"},
		{"suppressions: [\n", finding.Failed, 1, 0, 0, "suppressions: "},
		{"suppressions:\n" + one + "  -  {}\n", finding.Unread, 6, 6, 1, "suppressions: an entry is not used: "},
		{"suppressions:\n  - &x {}\n" + one, finding.Unread, 2, 5, 1, "suppressions: an entry is not used: anchors and aliases"},
	} {
		p, problems := Parse("p.yaml", tt.text)
		if len(problems) != 1 || len(p.Entries) != tt.entries {
			t.Errorf("%.40q: %d entries, %+v, want %d and one problem", tt.text, len(p.Entries), problems, tt.entries)
			continue
		}
		got := problems[0]
		if got.Kind != tt.kind || got.Location.Line != tt.line && tt.column != 0 || got.Location.Column != tt.column && tt.column != 0 || got.Input != -1 || !strings.HasPrefix(got.Message, tt.begins) {
			t.Errorf("%.40q: %+v, want a problem of kind %s at %d:%d that begins with %q", tt.text, got, tt.kind, tt.line, tt.column, tt.begins)
		}
	}
}

// A beginning of a fingerprint stands for it from eight digits on; shorter ones are asked for more digits.
func TestShortestBeginning(t *testing.T) {
	r := &result.Report{Findings: []finding.Finding{
		{Rule: "SEC-002", Fingerprint: "ffffffffffffffffffffffffffffffff", Content: content2},
		{Rule: "SEC-001", Fingerprint: fingerprint, Content: judged},
	}}
	text, what, err := Accept("p.yaml", "", Entry{Fingerprint: fingerprint[:8], Reason: "own"}, r)
	if err != nil || len(what) != 1 || !strings.Contains(text, fingerprint) || strings.Contains(text, "ffffffff") {
		t.Errorf("eight digits: %v, accepted %q, the file is\n%s", err, what, text)
	}
	for print, want := range map[string]string{
		fingerprint[:7]: "want a fingerprint, or its first 8 digits or more",
		"":              "want a fingerprint, or its first 8 digits or more",
		"00000000":      "the report has no finding with this fingerprint",
	} {
		if _, _, err := Accept("p.yaml", "", Entry{Fingerprint: print, Reason: "own"}, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", print, err, want)
		}
	}
	r.Findings[0].Fingerprint = fingerprint[:8] + "ffffffffffffffffffffffff"
	_, _, err = Accept("p.yaml", "", Entry{Fingerprint: fingerprint[:8], Reason: "own"}, r)
	if want := fingerprint[:8] + ": several findings of the report begin with it: " + r.Findings[0].Fingerprint + " and " + fingerprint + " among them"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A decision about another finding is never taken for a stale one, and ill-formed texts are made well-formed each for itself.
func TestAcceptLeavesOtherDecisions(t *testing.T) {
	r := &result.Report{Findings: []finding.Finding{{Rule: "SEC-001", Fingerprint: fingerprint, Content: judged}}}
	other := "suppressions:\n" + fields(print2, "SEC-003", "fine", content2, "")
	text, _, err := Accept("p.yaml", other, Entry{Fingerprint: fingerprint, Reason: "a\xff", Owner: "b\xff"}, r)
	if err != nil {
		t.Fatal(err)
	}
	p, problems := Parse("p.yaml", text)
	if len(problems) > 0 || len(p.Entries) != 2 || p.Entries[0].Reason != "fine" || p.Entries[1].Reason != "a\uFFFD" || p.Entries[1].Owner != "b\uFFFD" {
		t.Errorf("%+v with %v, want the old decision and the new one", p.Entries, problems)
	}
	if _, _, err := Accept("p.yaml", "x: y\n", Entry{Fingerprint: fingerprint, Reason: "r"}, r); err == nil || !strings.HasPrefix(err.Error(), "p.yaml: ") {
		t.Errorf("a broken policy: error %v, want one that names the file", err)
	}
}

// Wherever the entry stands that is renewed, every byte outside of it stays.
func TestRenewalKeepsItsNeighbours(t *testing.T) {
	a, b := fields(print1, "SEC-001", "first", content1, "    owner: |\n      x\n\n      y\n"), fields(print2, "SEC-003", "last", content2, "")
	mine := fields(newEntry.Fingerprint, "SEC-002", "old", content1, "")
	for _, tt := range []struct{ name, before, after string }{
		{"alone", "suppressions:\n", ""},
		{"first", "version: 1\n# x\nsuppressions:\n", "\n# between\n" + b},
		{"in the middle", "suppressions:\n" + a + "\n  # about it\n", b + "# end\n"},
		{"last", "suppressions:\n" + b + a, "version: 1\n"},
	} {
		got, err := Add(tt.before+mine+tt.after, newEntry)
		if want := tt.before + by("  ") + tt.after; err != nil || got != want {
			t.Errorf("%s: error %v, got\n%s\nwant\n%s", tt.name, err, got, want)
		}
	}
}

// What cannot be seen is written as an escape of its width; what can be stays.
func TestQuoteYAML(t *testing.T) {
	for in, want := range map[string]string{
		"a b": `"a b"`, `"`: `"\""`, `\`: `"\\"`, "\n": `"\n"`, "\t": `"\u0009"`, "\u200b": `"\u200B"`, "\ufe0f": `"\uFE0F"`, "\u3164": `"\u3164"`,
		"\uffff": `"\uFFFF"`, "\U00010000": "\"\U00010000\"", "\U000E0001": `"\U000E0001"`, "\U0001FFFF": `"\U0001FFFF"`, "é日": `"é日"`,
	} {
		if got := quoteYAML(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
