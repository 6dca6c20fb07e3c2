package taxonomy

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
)

func TestNamesParse(t *testing.T) {
	if _, err := parseNames(namesText); err != nil {
		t.Fatal(err)
	}
}

func TestOf(t *testing.T) {
	const ties = "L2 weak, SAFE-T1302 weak, CWE-266 close, ASI03 close, MCP07:2025 weak, MCP02:2025 close"
	want := []finding.TaxonomyRef{
		{System: OWASPMCP, ID: "MCP07:2025", Name: "Insufficient Authentication & Authorization", Fit: "weak"},
		{System: OWASPMCP, ID: "MCP02:2025", Name: "Privilege Escalation via Scope Creep", Fit: "close"},
		{System: OWASPAgentic, ID: "ASI03", Name: "Identity and Privilege Abuse", Fit: "close"},
		{System: CWE, ID: "CWE-266", Name: "Incorrect Privilege Assignment", Fit: "close"},
		{System: SAFEMCP, ID: "SAFE-T1302", Fit: "weak"},
		{System: MCPDPT, ID: "L2", Name: "host/application", Fit: "weak"},
	}
	for range 2 { // read, and remembered
		if got := Of(ties); !slices.Equal(got, want) {
			t.Errorf("Of(%q) =\n%v\nwant\n%v", ties, got, want)
		}
	}
	if got := Of(""); got == nil || len(got) > 0 {
		t.Errorf("Of of nothing = %v, want an empty slice", got)
	}
	if s := Of(ties); cap(s) != len(s) {
		t.Error("appending to what Of returns would write into the shared slice")
	}
}

func TestParse(t *testing.T) {
	const whole = "MCP03:2025 exact, ASI01 close, CWE-200 weak, L4 close, L1 weak"
	if refs, err := Parse(whole); err != nil || len(refs) != 5 {
		t.Fatalf("Parse(%q) = %v, %v", whole, refs, err)
	}
	for _, tt := range []struct{ name, ties, want string }{
		{"nothing", "", "no ties"},
		{"no OWASP entry of MCP", "ASI01 close, CWE-200 weak, L4 close, L1 weak", "no entry of " + OWASPMCP},
		{"no OWASP entry of agents", "MCP03:2025 exact, CWE-200 weak, L4 close, L1 weak", "no entry of " + OWASPAgentic},
		{"no CWE", "MCP03:2025 exact, ASI01 close, L4 close, L1 weak", "no entry of " + CWE},
		{"one layer", "MCP03:2025 exact, ASI01 close, CWE-200 weak, L4 close", "1 layers"},
		{"three layers", whole + ", L2 weak", "3 layers"},
		{"a layer graded exact", "MCP03:2025 exact, ASI01 close, CWE-200 weak, L4 exact, L1 weak", "L4 is graded exact"},
		{"ATLAS graded exact", whole + ", AML.T0051 exact", "AML.T0051 is graded exact"},
		{"an entry without a name", whole + ", CWE-9999 weak", "CWE-9999 has no name"},
		{"unknown catalogue", whole + ", CVE-2024-1 weak", `"CVE-2024-1" is not an id of a known catalogue`},
		{"OWASP MCP without its year", whole + ", MCP01 weak", `"MCP01" is not an id of a known catalogue`},
		{"ASI beyond ten", whole + ", ASI11 weak", `"ASI11" is not an id of a known catalogue`},
		{"a seventh layer", whole + ", L7 weak", `"L7" is not an id of a known catalogue`},
		{"unknown fit", whole + ", CWE-78 good", `unknown fit "good"`},
		{"no fit", whole + ", CWE-78", `unknown fit ""`},
		{"one entry twice", whole + ", CWE-200 close", "CWE-200 stands twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse(tt.ties); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse(%q) = %v, want an error with %q", tt.ties, err, tt.want)
			}
		})
	}
}

func TestBadNamesAreReported(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"too few fields", "CWE\tCWE-200", "names.tsv:1: 2 fields"},
		{"no name", "CWE\tCWE-200\t", "is empty"},
		{"named twice", "CWE\tCWE-200\ta\nCWE\tCWE-200\tb", "names.tsv:2: CWE CWE-200 is named twice"},
		{"unknown system", "CVE\tCWE-200\ta", "unknown system"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parseNames(tt.line); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parseNames(%q) = %v, want an error with %q", tt.line, err, tt.want)
			}
		})
	}
}
