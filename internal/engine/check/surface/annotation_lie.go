package surface

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "MCP-S-004", Name: "annotation-lie", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 weak, ASI02 close, ASI09 close, CWE-451 close, CWE-1059 weak, AML.T0101 weak, SAFE-T1406 weak, L4 close, L2 weak",
	Axis:     "over-permission", Needs: check.Definitions, Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
	Doc: `A tool's annotations contradict its name: ` + "`readOnlyHint: true`" + ` or ` + "`destructiveHint: false`" + ` on a tool whose
name says that it destroys something.

Clients run read-only tools without asking the user. An annotation that understates what the tool does gets a
destructive call past such a client, whether it is a mistake or intended.

What a tool destroys is read from the verb in its name, as for SEC-009. Only verbs that always destroy count
(delete, drop, wipe …). "Remove" does not contradict ` + "`destructiveHint: false`" + `, since removing something from a
list can be undone. Descriptions are not read.`,
	Advice:  "Declare readOnlyHint: false and destructiveHint: true, or rename the tool after what it does.",
	RunItem: annotationLie,
})

func annotationLie(it *check.Item) {
	if it.Kind != finding.Tool {
		return
	}
	verb, ok := destructiveVerb(it.Name())
	if !ok || destructive.use[verb.word] == mayDestroy {
		return
	}
	annotations := it.Value.Get("annotations")
	readOnly, _ := annotations.Get("readOnlyHint").Bool()
	harmless, declared := annotations.Get("destructiveHint").Bool()
	lie := ""
	switch {
	case readOnly:
		lie = "readOnlyHint true"
	case declared && !harmless && verb.word != "remove": // removing from a list is reversible
		lie = "destructiveHint false"
	default:
		return
	}
	if f := fieldAt(it, it.Value.Get("name")); f != nil {
		it.Report(check.Report{Field: f, Start: verb.start, End: verb.end,
			Message: fmt.Sprintf("the name says %q, but the annotations declare %s", verb.word, lie)})
	}
}
