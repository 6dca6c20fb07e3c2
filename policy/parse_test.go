package policy

import (
	"fmt"
	"strings"
	"testing"
)

const (
	print1, print2     = "00000000000000000000000000000012", "8061a34fb56d9a590233de8c51529c8e"
	content1, content2 = "1111111111111111111111111111111111111111111111111111111111111111", "22222222222222222222222222222222222222222222222222222222222222ab"
)

// twoEntries is a policy as a person may have written it.
const twoEntries = `# ours

version: 1   # of the form

suppressions:
    # about the first
    - fingerprint: 00000000000000000000000000000012   # digits only
      rule: SEC-001
      reason: |
        It is told
        on purpose.

      expires: 2027-01-31
      content_hash: 1111111111111111111111111111111111111111111111111111111111111111

    - {rule: 'SEC-003', fingerprint: 8061a34fb56d9a590233de8c51529c8e, reason: "a: \"b\"", owner: kim,
       content_hash: 22222222222222222222222222222222222222222222222222222222222222ab}
      # a tail

# the end
`

func TestParse(t *testing.T) {
	p, problems := Parse("p.yaml", twoEntries)
	if len(problems) > 0 || len(p.Entries) != 2 || p.File != "p.yaml" {
		t.Fatalf("%+v with problems %v", p, problems)
	}
	a, b := p.Entries[0], p.Entries[1]
	if a.Fingerprint != print1 || a.Rule != "SEC-001" || a.Reason != "It is told\non purpose.\n" || a.Expires != "2027-01-31" || a.Content != content1 || a.Line != 7 {
		t.Errorf("the first entry reads %+v", a)
	}
	if b.Fingerprint != print2 || b.Rule != "SEC-003" || b.Reason != `a: "b"` || b.Owner != "kim" || b.Content != content2 || b.Line != 16 {
		t.Errorf("the second entry reads %+v", b)
	}
}

func TestPoliciesThatDecideNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "version: 1\n", "suppressions:\n", "suppressions: []\n", "suppressions: ~", "{}\n"} {
		if p, problems := Parse("p.yaml", text); len(p.Entries) > 0 || len(problems) > 0 {
			t.Errorf("%q: entries %v, problems %v, want none", text, p.Entries, problems)
		}
	}
}

// fields writes an entry by its values; one that is "" is left out.
func fields(fingerprint, rule, reason, content, more string) string {
	var b strings.Builder
	lead := "  - "
	for _, f := range [][2]string{{"fingerprint", fingerprint}, {"rule", rule}, {"reason", reason}, {"content_hash", content}} {
		if f[1] != "" {
			fmt.Fprintf(&b, "%s%s: %s\n", lead, f[0], f[1])
			lead = "    "
		}
	}
	return b.String() + more
}

// What is wrong with one entry drops it alone; what is wrong with the file drops all.
func TestParseFaults(t *testing.T) {
	good := fields(print2, "SEC-003", "fine", content2, "")
	whole := "suppressions:\n" + good
	for _, tt := range []struct {
		name, text string
		line       int
		want       string
		left       int
	}{
		{"no fingerprint", whole + fields("", "SEC-001", "r", content1, ""), 6, "fingerprint is not 32 hexadecimal digits", 1},
		{"capitals in the fingerprint", whole + fields("8061A34FB56D9A590233DE8C51529C8E", "SEC-001", "r", content1, ""), 6, "fingerprint", 1},
		{"no rule", whole + fields(print1, "", "r", content1, ""), 6, "rule is not the id of a check", 1},
		{"no reason", whole + fields(print1, "SEC-001", "", content1, ""), 6, "there is no reason", 1},
		{"a blank reason", whole + fields(print1, "SEC-001", `" "`, content1, ""), 6, "there is no reason", 1},
		{"no content hash", whole + fields(print1, "SEC-001", "r", "", ""), 6, "content_hash is not 64", 1},
		{"a date that is none", whole + fields(print1, "SEC-001", "r", content1, "    expires: 2027-02-30\n"), 6, `"2027-02-30" is not a date`, 1},
		{"a time", whole + fields(print1, "SEC-001", "r", content1, "    expires: 2027-02-20T00:00:00Z\n"), 6, "is not a date", 1},
		{"an unknown key", whole + fields(print1, "SEC-001", "r", content1, "    expiry: 2027-02-20\n"), 10, `unknown key "expiry": want fingerprint, rule,`, 1},
		{"a key twice", whole + fields(print1, "SEC-001", "r", content1, "    rule: SEC-001\n"), 10, "the key rule stands twice", 1},
		{"the same decision twice", whole + good, 6, "it repeats the suppression in line 2", 1},
		{"a list for a reason", whole + fields(print1, "SEC-001", "[r]", content1, ""), 8, "reason is not a string", 1},
		{"a boolean for a reason", whole + fields(print1, "SEC-001", "true", content1, ""), 8, "reason is not a string", 1},
		{"a tag", whole + fields(print1, "SEC-001", "!!binary cg==", content1, ""), 8, "reason is not a string", 1},
		{"a tag that says string", whole + fields(print1, "SEC-001", "!!str r", content1, ""), 8, "reason is not a string", 1},
		{"an alias", "suppressions:\n" + fields(print2, "SEC-003", "&r fine", content2, ""), 4, "anchors and aliases", 0},
		{"an alias for an entry", "suppressions:\n" + good + "  - *x\n", 6, "not YAML", 0},
		{"a merge key", whole + fields(print1, "SEC-001", "r", content1, "    <<: {owner: x}\n"), 10, `unknown key "<<"`, 1},
		{"a string for an entry", whole + "  - " + print1 + "\n", 6, "it is not a mapping", 1},
		{"an empty entry", whole + "  - {}\n", 6, "fingerprint", 1},
		{"a long reason", whole + fields(print1, "SEC-001", strings.Repeat("r", MaxText+1), content1, ""), 6, "longer than 2000 bytes", 1},
		{"a long owner", whole + fields(print1, "SEC-001", "r", content1, "    owner: "+strings.Repeat("o", MaxText+1)+"\n"), 6, "longer than 2000 bytes", 1},
		{"a long definition", whole + fields(print1, "SEC-001", "r", content1, "    definition: "+strings.Repeat("d", MaxText+1)+"\n"), 6, "longer than 2000 bytes", 1},
		{"an unknown key at the top", whole + "ignore: all\n", 6, `unknown key "ignore"`, 0},
		{"the list twice", whole + whole, 6, "stands twice", 0},
		{"another version", "version: 2\n" + whole, 1, "version", 0},
		{"a mapping for the list", "suppressions: {}\n", 1, "suppressions is not a list", 0},
		{"a list at the top", "- a\n", 1, "it is not a mapping", 0},
		{"two documents", whole + "---\n" + whole, 0, "not YAML", 0},
		{"broken YAML", whole + "  x: [\n", 6, "not YAML", 0},
		{"no UTF-8", "# \xff\n", 0, "not UTF-8", 0},
		{"too many bytes", strings.Repeat("#", MaxBytes+1), 0, "at most 2097152", 0},
		{"too many entries", "suppressions:\n" + strings.Repeat("- a\n", MaxEntries+1), 2, "at most 5000", 0},
		{"too deep", "suppressions: " + strings.Repeat("[", 20_000), 0, "not YAML", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, problems := Parse("p.yaml", tt.text)
			if len(problems) != 1 || !strings.Contains(problems[0].Message, tt.want) || problems[0].Location.File != "p.yaml" || len(p.Entries) != tt.left {
				t.Fatalf("%d entries and %+v, want %d and one problem of p.yaml with %q", len(p.Entries), problems, tt.left, tt.want)
			}
			if got := problems[0].Location.Line; tt.line != 0 && got != tt.line {
				t.Errorf("line %d, want %d: %s", got, tt.line, problems[0].Message)
			}
			t.Logf("%d: %s", problems[0].Location.Line, problems[0].Message)
		})
	}
}
