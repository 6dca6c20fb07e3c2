package namespace

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-012", Name: "tool-name-outside-specification", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI04 weak, CWE-20 weak, L4 close, L2 weak",
	Axis:     "input-validation", Needs: check.Definitions, Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
	Doc: `A tool's name is empty, longer than 128 characters, or has other characters than letters and digits of ASCII, "_", "-" and ".".

Clients that follow the specification drop or rename such a tool, each in its own way, and some model providers refuse a whole request
that carries it. What a person approves and what the model calls may then differ.

There is one finding for each server, at the first such tool, with up to 49 more as related places. Not reported: "." and names of 65 to 128 characters, which the specification allows and some providers refuse.`,
	Advice: "Name tools with 1 to 64 letters, digits, _ and -.",
	Run:    toolNameForm,
})

// longestName is the specification's limit, in characters.
const longestName = 128

func toolNameForm(p *check.Pass) {
	var tree rawjson.Tree
	for _, s := range p.Catalog.Servers {
		var at []check.Place
		first := ""
		p.Looked(len(s.Tools()))
		for i := range s.Tools() {
			it := &s.Tools()[i]
			name := it.Parse(s, &tree).Get("name")
			what := outsideForm(it.Name())
			if what == "" || name.Kind() != rawjson.String {
				continue
			}
			if first == "" {
				first = what
			}
			if at = append(at, p.At(s, it, name)); len(at) == mostPlaces {
				break
			}
		}
		if len(at) > 0 {
			p.Report(check.Relation{At: at[0], Related: at[1:], Identity: []string{check.Identity(s)}, Message: "the tool's name " + first})
		}
	}
}

// mostPlaces limits the tools of a server that a finding names.
const mostPlaces = 50

// outsideForm says what in a name the specification does not allow, "" for nothing.
func outsideForm(name string) string {
	other := strings.TrimLeftFunc(name, func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
	})
	switch {
	case name == "":
		return "is empty"
	case other != "":
		return "has a character that names of tools may not have: " + quoteName(string([]rune(other)[0]))
	case len(name) > longestName:
		return fmt.Sprintf("has %d characters, and %d are allowed", len(name), longestName)
	}
	return ""
}
