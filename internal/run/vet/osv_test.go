package vet

import (
	"testing"

	"gauntlet/finding"
)

func TestCompare(t *testing.T) {
	ascending := []string{"0.9", "1.0.dev1", "1.0a1", "1.0.0-alpha", "1.0.0-beta.2", "1.0.0-beta.11", "1.0rc1", "1.0", "1.0.post1", "1.0.1", "1.2", "1.10", "2026.8.31"}
	for i := range ascending[:len(ascending)-1] {
		a, b := ascending[i], ascending[i+1]
		if Compare(a, b) >= 0 || Compare(b, a) <= 0 {
			t.Errorf("Compare(%q, %q) = %d and back %d", a, b, Compare(a, b), Compare(b, a))
		}
	}
	for _, same := range [][2]string{{"1.0", "1.0.0"}, {"v1.2.3", "1.2.3"}, {"1.0+build", "1.0"}, {"1.01", "1.1"}} {
		if Compare(same[0], same[1]) != 0 {
			t.Errorf("%q and %q differ", same[0], same[1])
		}
	}
}

const advisoryText = `{"id":"GHSA-1","aliases":["CVE-2026-1"],"summary":"shell injection","database_specific":{"severity":"MODERATE"},"affected":[
 {"package":{"ecosystem":"npm","name":"some-mcp"},"ranges":[{"type":"SEMVER","events":[{"introduced":"2.0.0"},{"fixed":"2.3.1"},{"introduced":"0"},{"fixed":"1.4.0"}]}]},
 {"package":{"ecosystem":"PyPI","name":"Some_MCP"},"versions":["0.1"],"ranges":[{"type":"GIT","events":[{"introduced":"0"}]}]},
 {"package":{"ecosystem":"Go","name":"example.com/m"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"last_affected":"1.1.0"}]}]}]}`

func TestMatch(t *testing.T) {
	entries, bad, err := parseAdvisory([]byte("[" + advisoryText + `,{"summary":"without an id"},7]`))
	if err != nil || len(entries) != 1 || bad != 2 {
		t.Fatalf("parseAdvisory: %d entries, %d bad, %v", len(entries), bad, err)
	}
	e := &entries[0]
	if e.Severity() != finding.Medium {
		t.Errorf("severity %s", e.Severity())
	}
	for _, tt := range []struct {
		name, ecosystem, pkg, version, fixed string
		want                                 bool
	}{
		{"before the first fix", "npm", "some-mcp", "1.3.9", "1.4.0", true},
		{"the first fix", "npm", "some-mcp", "1.4.0", "", false},
		{"between the ranges", "npm", "some-mcp", "1.9.0", "", false},
		{"in the second range", "npm", "some-mcp", "2.3.0", "2.3.1", true},
		{"a pre-release of the fix", "npm", "some-mcp", "2.3.1-rc.1", "2.3.1", true},
		{"fixed", "npm", "some-mcp", "3.0.0", "", false},
		{"another package", "npm", "other-mcp", "1.0.0", "", false},
		{"a listed version, its name written otherwise", "pypi", "some-mcp", "0.1.0", "", true},
		{"a version that is not listed", "pypi", "some-mcp", "0.2", "", false},
		{"the last affected", "Go", "example.com/m", "v1.1.0", "", true},
		{"behind the last affected", "Go", "example.com/m", "v1.1.1", "", false},
		{"no version", "npm", "some-mcp", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if fixed, got := e.Match(tt.ecosystem, tt.pkg, tt.version); got != tt.want || fixed != tt.fixed {
				t.Errorf("%v, fixed in %q; want %v, %q", got, fixed, tt.want, tt.fixed)
			}
		})
	}
	e.Withdrawn = "2026-01-01T00:00:00Z"
	if _, ok := e.Match("npm", "some-mcp", "1.0.0"); ok {
		t.Error("a withdrawn advisory matches")
	}
}

func TestForms(t *testing.T) {
	for _, text := range []string{advisoryText, "[" + advisoryText + "]", `{"vulns":[` + advisoryText + `]}`, "\n " + advisoryText} {
		if entries, _, err := parseAdvisory([]byte(text)); err != nil || len(entries) != 1 || entries[0].ID != "GHSA-1" {
			t.Errorf("%.30q: %d entries, %v", text, len(entries), err)
		}
	}
	for _, text := range []string{"", "words", "[", `{"id":`} {
		if _, _, err := parseAdvisory([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestMaliciousPackagesAreCritical(t *testing.T) {
	e := advisory{ID: "MAL-2026-1"}
	if e.Severity() != finding.Critical {
		t.Errorf("severity %s", e.Severity())
	}
}

// The order of two versions is the opposite when they change places, and a version equals itself.
func FuzzCompare(f *testing.F) {
	f.Add("1.0.0-rc.1", "1.0")
	f.Fuzz(func(t *testing.T, a, b string) {
		if Compare(a, b) != -Compare(b, a) || Compare(a, a) != 0 {
			t.Errorf("%q and %q", a, b)
		}
	})
}
