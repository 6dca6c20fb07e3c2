package vet

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
)

func TestFind(t *testing.T) {
	const filesystem = "@modelcontextprotocol/server-filesystem"
	for _, tt := range []struct {
		name, ecosystem, pkg string
		want                 string // the name that is imitated
		severity             finding.Severity
	}{
		{"the known name", "npm", filesystem, "", finding.None},
		{"a letter left out", "npm", "@modelcontextprotocol/server-filesytem", "", finding.None}, // its scope is the official one
		{"a letter left out of a scope", "npm", "@modelcontextprotcol/server-filesystem", filesystem, finding.High},
		{"a letter changed", "npm", "mcp-server-kubernets", "mcp-server-kubernetes", finding.High},
		{"neighbours swapped", "npm", "mcp-server-kuberentes", "mcp-server-kubernetes", finding.High},
		{"digits for letters", "npm", "m0ng0db-mcp-server", "mongodb-mcp-server", finding.High},
		{"letters of another script", "npm", "mongоdb-mcp-server", "mongodb-mcp-server", finding.High},
		{"another separator", "pypi", "mcp_server-git", "mcp-server-git", finding.High},
		{"no separators", "npm", "mongodbmcpserver", "mongodb-mcp-server", finding.Medium},
		{"the scope left out", "npm", "server-filesystem", filesystem, finding.Medium},
		{"another person's scope", "npm", "@ada/server-filesystem", "", finding.None},
		{"a name of its own", "npm", "weather-forecast-mcp", "", finding.None},
		{"two letters differ", "npm", "mcp-server-kubernxxes", "", finding.None},
		{"a short name", "npm", "fastmcq", "", finding.None},
		{"a generic name", "npm", "mcp-server", "", finding.None},
		{"the same name elsewhere", "pypi", "mongodb-mcp-serve", "", finding.None},
		{"a scope without a name", "npm", "@modelcontext", "", finding.None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := findLookalike(tt.ecosystem, tt.pkg)
			switch {
			case tt.want == "" && l != nil:
				t.Errorf("%s imitates %s: %s", tt.pkg, l.Name, l.How)
			case tt.want != "" && (l == nil || l.Name != tt.want || l.Severity != tt.severity):
				t.Errorf("%s: %+v, want %s, %s", tt.pkg, l, tt.want, tt.severity)
			}
		})
	}
}

func TestOneEdit(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"abc", "abd", true}, {"abc", "ab", true}, {"abc", "bac", true}, {"abc", "acb", true}, {"aab", "ab", true},
		{"abc", "cba", false}, {"abc", "abc", false}, {"abcd", "ab", false}, {"", "a", true}, {"ab", "ba", true}, {"abcd", "badc", false},
	} {
		for _, in := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := oneEdit(in[0], in[1]); got != tt.want {
				t.Errorf("oneEdit(%q, %q) = %v, want %v", in[0], in[1], got, tt.want)
			}
		}
	}
}

// A well-known name is never said to imitate another.
func TestKnownNamesImitateNothing(t *testing.T) {
	for ecosystem, names := range popular() {
		if !slices.Contains([]string{"npm", "pypi", "go"}, ecosystem) {
			t.Errorf("unknown ecosystem %q", ecosystem)
		}
		for _, name := range names {
			if l := findLookalike(ecosystem, name); l != nil {
				t.Errorf("%s imitates %s: %s", name, l.Name, l.How)
			}
			if strings.ToLower(name) != name {
				t.Errorf("%s is not in lower case", name)
			}
		}
	}
}

// One edit to a name is always recognised as one.
func FuzzOneEdit(f *testing.F) {
	f.Add("mcp-server-git", uint(3), "x")
	f.Fuzz(func(t *testing.T, name string, at uint, letter string) {
		runes := []rune(name)
		extra := []rune(letter)
		if len(extra) != 1 || strings.ContainsRune(name, '\uFFFD') {
			return
		}
		i := int(at % uint(len(runes)+1))
		longer := string(slices.Concat(runes[:i], extra, runes[i:]))
		if !oneEdit(name, longer) || !oneEdit(longer, name) {
			t.Errorf("%q and %q", name, longer)
		}
	})
}
