package report

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"gauntlet/finding"
	"gauntlet/result"
)

func TestSARIFMatchesTheOfficialSchema(t *testing.T) {
	mustMatch(t, sarifLogSchema, render(t, "sarif", full(), Options{}))
	for _, r := range []*result.Report{clean(), attacked(), suite()} {
		mustMatch(t, sarifLogSchema, render(t, "sarif", r, Options{}))
	}
}

func TestOfficialSchemaRefusesBrokenLogs(t *testing.T) {
	run := func(v map[string]any) map[string]any { return v["runs"].([]any)[0].(map[string]any) }
	res := func(v map[string]any) map[string]any { return run(v)["results"].([]any)[0].(map[string]any) }
	for _, tt := range []struct {
		name string
		edit func(map[string]any)
	}{
		{"another version", func(v map[string]any) { v["version"] = "2.0.0" }},
		{"a result without a message", func(v map[string]any) { delete(res(v), "message") }},
		{"an unknown level", func(v map[string]any) { res(v)["level"] = "critical" }},
		{"a misspelt member", func(v map[string]any) { res(v)["ruleID"] = "SEC-001" }},
		{"a run without its tool", func(v map[string]any) { delete(run(v), "tool") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := match(t, sarifLogSchema, edited(t, render(t, "sarif", full(), Options{}), tt.edit)); err == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

// read parses a log with somebody else's reader.
func read(t testing.TB, log string) *sarif.Run {
	t.Helper()
	doc, err := sarif.FromString(log)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Runs) != 1 {
		t.Fatalf("%d runs, want 1", len(doc.Runs))
	}
	return doc.Runs[0]
}

// TestSARIFHasWhatACodeHostNeeds checks what the schema leaves open and GitHub demands.
func TestSARIFHasWhatACodeHostNeeds(t *testing.T) {
	r := full()
	r.Attacks, r.Expectations = nil, nil
	run := read(t, render(t, "sarif", r, Options{}))
	if got, want := len(run.Results), len(r.Findings)+len(r.Suppressed); got != want {
		t.Fatalf("%d results, want %d", got, want)
	}
	prints := map[string]bool{}
	all := r.Findings
	for _, s := range r.Suppressed {
		all = append(all, s.Finding)
	}
	for i, res := range run.Results {
		f := all[i]
		if got := *run.Tool.Driver.Rules[res.RuleIndex].ID; got != string(f.Rule) || *res.RuleID != got {
			t.Errorf("result %d: rule %s at its index, id %s, want %s", i, got, *res.RuleID, f.Rule)
		}
		phys := res.Locations[0].PhysicalLocation
		if phys == nil || phys.ArtifactLocation == nil || phys.ArtifactLocation.URI == nil || *phys.Region.StartLine < 1 {
			t.Errorf("result %d has no physical location: a code host refuses the whole file", i)
		}
		if mark := res.PartialFingerprints["gauntlet/v1"]; prints[mark] || !strings.HasPrefix(mark, f.Fingerprint) {
			t.Errorf("result %d: fingerprint %q, want one of its own that begins with %q", i, mark, f.Fingerprint)
		} else {
			prints[mark] = true
		}
	}
	for _, rule := range run.Tool.Driver.Rules {
		if *rule.ShortDescription.Text == "" || *rule.FullDescription.Text == "" || *rule.Help.Text == "" {
			t.Errorf("rule %s lacks a description or help", *rule.ID)
		}
	}
	const notUsed = 2 // suppressions of full
	if inv := run.Invocations[0]; *inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != len(r.Problems)+len(r.Skipped)+notUsed {
		t.Errorf("successful %v with %d notifications, want an incomplete run with %d",
			*inv.ExecutionSuccessful, len(inv.ToolExecutionNotifications), len(r.Problems)+len(r.Skipped)+notUsed)
	}
	if !*read(t, render(t, "sarif", clean(), Options{})).Invocations[0].ExecutionSuccessful {
		t.Error("a complete scan is not successful")
	}
}

// An agent that complied is a result; one of which nothing is known makes the run fail; one
// that resisted is neither.
func TestAttacksInSARIF(t *testing.T) {
	run := read(t, render(t, "sarif", suite(), Options{}))
	var ids []string
	for _, res := range run.Results {
		ids = append(ids, *res.RuleID)
		if got := *run.Tool.Driver.Rules[res.RuleIndex].ID; got != *res.RuleID {
			t.Errorf("rule %s at the index of %s", got, *res.RuleID)
		}
	}
	if want := []string{"GNT-ATK-001", "X-003", "expectation"}; !slices.Equal(ids, want) {
		t.Errorf("results of %v, want %v", ids, want)
	}
	inv := run.Invocations[0]
	if *inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 2 {
		t.Errorf("successful %v with %d notifications, want a failed run with the two that are not settled", *inv.ExecutionSuccessful, len(inv.ToolExecutionNotifications))
	}
}

// Either all results of a run say whether they are suppressed, or none does.
func TestSuppressionsInSARIF(t *testing.T) {
	r := full()
	r.Attacks, r.Expectations = nil, nil
	results := read(t, render(t, "sarif", r, Options{})).Results
	for i, res := range results {
		if res.Suppressions == nil || (len(res.Suppressions) > 0) != (i >= len(r.Findings)) {
			t.Errorf("result %d has the suppressions %v, want one at those behind the findings and empty lists elsewhere", i, res.Suppressions)
		}
	}
	if s := results[len(r.Findings)+1].Suppressions[0]; *s.Kind != "external" || *s.Status != "accepted" || !strings.Contains(*s.Justification, "Known since June.") ||
		*s.Location.PhysicalLocation.ArtifactLocation.URI != ".gauntlet.yaml" || *s.Location.PhysicalLocation.Region.StartLine != 12 {
		t.Errorf("the suppression is %+v", s)
	}
	r.Suppressed = nil
	for i, res := range read(t, render(t, "sarif", r, Options{})).Results {
		if res.Suppressions != nil {
			t.Errorf("result %d of a run without suppressions has the list %v", i, res.Suppressions)
		}
	}
}

func TestSeverityInSARIF(t *testing.T) {
	for _, tt := range []struct {
		sev          finding.Severity
		level, score string
	}{
		{finding.Critical, "error", "9.5"}, {finding.High, "error", "8.0"}, {finding.Medium, "warning", "5.5"},
		{finding.Low, "note", "2.0"}, {finding.Info, "note", "0.0"}, {finding.None, "none", "0.0"},
	} {
		if l, s := sarifLevel(tt.sev), securitySeverity(tt.sev); l != tt.level || s != tt.score {
			t.Errorf("%s: %s and %s, want %s and %s", tt.sev, l, s, tt.level, tt.score)
		}
	}
}

func TestArtifactURI(t *testing.T) {
	for _, tt := range []struct{ name, file, server, want string }{
		{"relative path", "./snapshots/a.json", "s", "snapshots/a.json"},
		{"path above", "../a.json", "s", "../a.json"},
		{"absolute path", "/srv/mcp/a b.json", "s", "file:///srv/mcp/a%20b.json"},
		{"characters that mean something in a URI", "a#b?c%d[e].json", "s", "a%23b%3Fc%25d%5Be%5D.json"},
		{"colon in the first segment", "c:a.json", "s", "./c:a.json"},
		{"control character and ill-formed byte", "a\x1b\xff.json", "s", "a%1B%FF.json"},
		{"letters beyond ASCII", "日本.json", "s", "%E6%97%A5%E6%9C%AC.json"},
		{"standard input", "<stdin>", "s", "%3Cstdin%3E"},
		{"live server", "", "file system/x", "mcp-server/file%20system%2Fx"},
		{"live server without a name", "", "", "mcp-server/unnamed"},
		{"live server that would climb", "", "..", "mcp-server/unnamed.."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := artifactURI(&finding.Location{File: tt.file, Server: tt.server}); got != tt.want {
				t.Errorf("artifactURI(%q, %q) = %q, want %q", tt.file, tt.server, got, tt.want)
			}
		})
	}
}

func TestLogicalNamesCannotBeForged(t *testing.T) {
	honest := finding.Location{Server: "a", Kind: finding.Tool, Item: "b/tool/c"}
	forged := finding.Location{Server: "a/tool/b", Kind: finding.Tool, Item: "c"}
	if a, b := member(logical(&honest), "fullyQualifiedName"), member(logical(&forged), "fullyQualifiedName"); a == b {
		t.Errorf("two definitions have the name %q", a)
	}
}

func TestServersCannotPutLinksIntoMessages(t *testing.T) {
	r := clean()
	r.Findings = []finding.Finding{{Rule: "SEC-001", Message: "x", Location: finding.Location{Server: "s", Item: "[safe](http://evil.example)"}}}
	if got := *read(t, render(t, "sarif", r, Options{})).Results[0].Message.Text; strings.Contains(got, "](") {
		t.Errorf("message %q holds a link", got)
	}
}

func TestRuleDescriptor(t *testing.T) {
	d := descriptor(&full().Rules[0], true)
	properties := member(d, "properties").(object)
	if got, want := member(properties, "tags?"), []string{"security", "tool-poisoning", "OWASP MCP Top 10 MCP03:2025", "external/cwe/cwe-1427"}; !slices.Equal(got.([]string), want) {
		t.Errorf("tags %q, want %s", got, want)
	}
	if uri, precision := member(d, "helpUri?"), member(properties, "precision?"); uri != "" || precision != "high" {
		t.Errorf("help URI %q and precision %q; a source of others is no help for our rule", uri, precision)
	}
}

// member returns a member of an object, nil for none.
func member(o object, name string) any {
	for i := 0; i < len(o); i += 2 {
		if o[i] == name {
			return o[i+1]
		}
	}
	return nil
}

// Each rule explains itself where it is shown: a viewer may not reach any page.
func TestEveryRuleHasHelpOfOurs(t *testing.T) {
	reports := map[string]*result.Report{"full": full(), "suite": suite()}
	bare := full()
	bare.Rules = nil // findings and suppressed findings of rules that the report does not describe
	reports["without rules"] = bare
	for name, r := range reports {
		run := read(t, render(t, "sarif", r, Options{}))
		if len(run.Tool.Driver.Rules) == 0 {
			t.Errorf("%s: no rules", name)
		}
		for _, rule := range run.Tool.Driver.Rules {
			if rule.Help == nil || rule.Help.Markdown == nil || len(*rule.Help.Markdown) < 20 || *rule.Help.Markdown == *rule.ID {
				t.Errorf("%s: rule %s has no text of ours in help.markdown", name, *rule.ID)
			}
		}
		for _, res := range run.Results {
			if i := res.RuleIndex; i < 0 || *run.Tool.Driver.Rules[i].ID != *res.RuleID {
				t.Errorf("%s: the result of %s refers to rule %d", name, *res.RuleID, i)
			}
		}
	}
}

// The address of a rule's page is that of its section in docs/checks.md, if the build knows
// where that is.
func TestRulePage(t *testing.T) {
	text, err := os.ReadFile("../docs/checks.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(#([^)]+)\) \| ([^ |]+)`).FindAllStringSubmatch(string(text), -1)
	if len(rows) < 30 {
		t.Fatalf("%d rows in docs/checks.md", len(rows))
	}
	const page, source = "https://docs.example/checks.md", "https://public.example/rule"
	for _, row := range rows {
		r := &result.Rule{ID: finding.Rule(row[1]), Name: row[3], Maturity: "stable", Source: source}
		if got, want := rulePage(r, page), page+"#"+row[2]; got != want {
			t.Errorf("the page of %s is %s, want %s", r.ID, got, want)
		}
		for _, none := range []string{"", "not an address", "javascript:alert(1)", "https:///x"} {
			if got := rulePage(r, none); got != "" {
				t.Errorf("with the page %q %s has %s, want none", none, r.ID, got)
			}
		}
	}
	if got := rulePage(&result.Rule{ID: "ABC-001", Name: "an attack"}, page); got != "" {
		t.Errorf("an attack has the page %s", got)
	}
}
