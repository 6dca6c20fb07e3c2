package boundary

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

var _ = register(check.Check{
	ID: "GNT-302", Name: "ambiguous-message", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI04 weak, CWE-436 close, L6 weak, L2 weak",
	Axis:     "tool-poisoning", Needs: check.Trace, Source: "https://www.rfc-editor.org/rfc/rfc8259#section-4",
	Doc: `A recorded message holds a member that its readers interpret differently: two members of one object have the
same name, or names that differ only in case; or a member of the message itself (` + "`Result`" + `) or of its result
(` + "`NextCursor`" + `) is in a case that JSON-RPC or MCP does not define.

This is GNT-003 for recorded messages: the agent may have been shown something other than what was judged.
There is one finding for each server and pair of names, at the first such message. Names that the author
chooses may differ in case: a call's arguments, structured content, the properties of schemas and _meta.`,
	Advice: "Send each member once, spelled as in the JSON-RPC and MCP specifications.",
	Run: func(p *check.Pass) {
		var tree rawjson.Tree
		seen := map[string]bool{}
		for i := range p.Trace.Messages {
			m := &p.Trace.Messages[i]
			if m.Kind == trace.Batch || tree.Parse(m.Raw, 0) != nil {
				continue
			}
			p.Looked(1)
			member, what := ambiguousIn(tree.Root())
			if what == "" || seen[m.Server+"\x00"+what] {
				continue
			}
			seen[m.Server+"\x00"+what] = true
			p.Report(check.Relation{At: p.Message(m, m.Method, member), Message: what, Identity: []string{m.Server, m.Method, what}})
		}
	},
})

// ambiguousIn returns the first member of a message that parsers interpret differently, with a description.
func ambiguousIn(message rawjson.Value) (member rawjson.Value, what string) {
	if v := rawjson.FirstAmbiguous(message, holdsOwnNames, 100); v.Exists() {
		return v, fmt.Sprintf("more than one member of an object is called %s, in one case or several; readers differ in which one they take", excerpt.Quote(strings.ToLower(rawjson.FoldName(v.Key().Text())), 90))
	}
	for m := range message.Members() {
		name := m.Key.Text()
		switch meant := strings.ToLower(rawjson.FoldName(name)); meant {
		case name:
		case "jsonrpc", "id", "method", "params", "result", "error":
			return m.Value, fmt.Sprintf("readers that ignore case take the member %s for %q, and others do not see it", excerpt.Quote(name, 90), meant)
		}
	}
	for m := range message.Get("result").Members() {
		name := m.Key.Text()
		if meant, ok := resultMembers[rawjson.FoldName(name)]; ok && meant != name {
			return m.Value, fmt.Sprintf("readers that ignore case take the member %s for %q, and others do not see it", excerpt.Quote(name, 90), meant)
		}
	}
	return rawjson.Value{}, ""
}

// resultMembers are the folded names of members of MCP results that decide what a client shows its model.
var resultMembers = foldedNames("tools", "prompts", "resources", "resourceTemplates", "nextCursor", "instructions", "content", "structuredContent", "contents", "messages")

func foldedNames(names ...string) map[string]string {
	folded := map[string]string{}
	for _, name := range names {
		folded[rawjson.FoldName(name)] = name
	}
	return folded
}

// holdsOwnNames reports whether a member's value has names chosen by the author.
func holdsOwnNames(member string) bool {
	switch member {
	case "arguments", "structuredContent", "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired",
		"default", "const", "enum", "examples", "example", "_meta", "experimental", "extensions", "env", "headers", "metadata", "data", "inputResponses", "inputRequests":
		return true
	}
	return false
}
