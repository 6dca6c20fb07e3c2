package taxonomy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
)

// rules are those the data must cover; it may cover more.
var rules = []finding.Rule{
	"SEC-001", "SEC-002", "SEC-003", "SEC-004", "SEC-005", "SEC-006", "SEC-007", "SEC-008",
	"SEC-009", "SEC-010", "SEC-011", "SEC-012", "SEC-013", "SEC-014", "SEC-015", "SEC-016",
	"SEC-033", "SEC-034", "SEC-035", "SEC-060", "SEC-061", "MCP-S-005", "GNT-001", "GNT-002", "GNT-014", "GNT-015", "GNT-016", "GNT-017",
	"GNT-101", "GNT-102", "GNT-103", "GNT-104", "GNT-105", "GNT-106", "GNT-107", "GNT-108",
}

func TestDataParses(t *testing.T) {
	names, err := parseNames(namesText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parseMapping(mappingText, names); err != nil {
		t.Fatal(err)
	}
}

func TestVersionIsThatOfTheData(t *testing.T) {
	m := regexp.MustCompile(`(?m)\A# version: (\S+)$`).FindStringSubmatch(mappingText)
	if m == nil || m[1] != Version {
		t.Errorf("mapping.tsv begins with version %q, the constant is %q", m, Version)
	}
}

func TestEveryRuleIsTied(t *testing.T) {
	for _, rule := range rules {
		count := map[string]int{}
		for _, ref := range Of(rule) {
			count[ref.System]++
			if ref.Name == "" && ref.System != ATLAS && ref.System != SAFEMCP {
				t.Errorf("%s: %s %s has no name in names.tsv", rule, ref.System, ref.ID)
			}
			// Their definitions were not read, see mapping.tsv.
			if ref.Fit == "exact" && slices.Contains([]string{ATLAS, SAFEMCP, MCPDPT}, ref.System) {
				t.Errorf("%s: %s %s is graded exact", rule, ref.System, ref.ID)
			}
		}
		for _, system := range []string{OWASPMCP, OWASPAgentic, CWE} {
			if count[system] == 0 {
				t.Errorf("%s has no %s entry", rule, system)
			}
		}
		if count[MCPDPT] != 2 {
			t.Errorf("%s has %d MCP-DPT layers, want a primary and a secondary one", rule, count[MCPDPT])
		}
	}
}

func TestDataNamesNoOtherRule(t *testing.T) {
	for rule := range table() {
		if !slices.Contains(rules, rule) {
			t.Errorf("mapping.tsv ties %s, which this test does not know", rule)
		}
	}
}

func TestOf(t *testing.T) {
	want := []finding.TaxonomyRef{
		{System: OWASPMCP, ID: "MCP02:2025", Name: "Privilege Escalation via Scope Creep", Fit: "close"},
		{System: OWASPMCP, ID: "MCP07:2025", Name: "Insufficient Authentication & Authorization", Fit: "weak"},
		{System: OWASPAgentic, ID: "ASI03", Name: "Identity and Privilege Abuse", Fit: "close"},
		{System: CWE, ID: "CWE-266", Name: "Incorrect Privilege Assignment", Fit: "close"},
		{System: CWE, ID: "CWE-807", Name: "Reliance on Untrusted Inputs in a Security Decision", Fit: "weak"},
		{System: SAFEMCP, ID: "SAFE-T1308", Fit: "weak"},
		{System: SAFEMCP, ID: "SAFE-T1302", Fit: "weak"},
		{System: MCPDPT, ID: "L3", Name: "client/SDK", Fit: "close"},
		{System: MCPDPT, ID: "L2", Name: "host/application", Fit: "weak"},
	}
	if got := Of("SEC-061"); !slices.Equal(got, want) {
		t.Errorf("Of(SEC-061) =\n%v\nwant\n%v", got, want)
	}
	if got := Of("SEC-999"); got == nil || len(got) > 0 {
		t.Errorf("Of(SEC-999) = %v, want an empty slice", got)
	}
	if s := Of("SEC-001"); cap(s) != len(s) {
		t.Error("appending to what Of returns would write into the shared table")
	}
}

func TestBadLinesAreReported(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"too few fields", "SEC-001\tCWE\tCWE-200", "mapping.tsv:2: 3 fields"},
		{"too many fields", "SEC-001\tCWE\tCWE-200\tweak\t", "5 fields"},
		{"rule of another form", "SEC-1\tCWE\tCWE-200\tweak", `malformed rule id "SEC-1"`},
		{"unknown system", "SEC-001\tCVE\tCWE-200\tweak", `unknown system "CVE"`},
		{"CWE without its prefix", "SEC-001\tCWE\t200\tweak", `"200" is not of the form`},
		{"OWASP MCP without its year", "SEC-001\tOWASP MCP Top 10\tMCP01\tweak", "not of the form"},
		{"ASI beyond ten", "SEC-001\tOWASP Agentic Top 10\tASI11\tweak", "not of the form"},
		{"ATLAS without its prefix", "SEC-001\tMITRE ATLAS\tT0051\tweak", "not of the form"},
		{"SAFE-MCP without its prefix", "SEC-001\tSAFE-MCP\tT1001\tweak", "not of the form"},
		{"a seventh layer", "SEC-001\tMCP-DPT\tL7\tweak", "not of the form"},
		{"unknown fit", "SEC-001\tCWE\tCWE-200\tgood", `unknown fit "good"`},
		{"space behind the fit", "SEC-001\tCWE\tCWE-200\tweak ", `unknown fit "weak "`},
		{"one entry twice", "SEC-001\tCWE\tCWE-200\tweak\nSEC-001\tCWE\tCWE-200\tclose", "mapping.tsv:3: SEC-001 is tied to CWE CWE-200 twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseMapping("# comment\n"+tt.line+"\n", nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parseMapping(%q) = %v, want an error with %q", tt.line, err, tt.want)
			}
		})
	}
	for _, tt := range []struct{ name, line, want string }{
		{"too few fields", "CWE\tCWE-200", "names.tsv:1: 2 fields"},
		{"no name", "CWE\tCWE-200\t", "is empty"},
		{"named twice", "CWE\tCWE-200\ta\nCWE\tCWE-200\tb", "names.tsv:2: CWE CWE-200 is named twice"},
		{"unknown system", "CVE\tCWE-200\ta", "unknown system"},
	} {
		t.Run("names: "+tt.name, func(t *testing.T) {
			if _, err := parseNames(tt.line); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parseNames(%q) = %v, want an error with %q", tt.line, err, tt.want)
			}
		})
	}
}
