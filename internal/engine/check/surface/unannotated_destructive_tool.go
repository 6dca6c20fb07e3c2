package surface

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-009", Name: "unannotated-destructive-tool", Severity: finding.Medium, Maturity: check.Stable,
	Taxonomy: "MCP02:2025 weak, ASI02 close, ASI09 weak, CWE-451 weak, CWE-1059 weak, AML.T0101 weak, SAFE-T1406 weak, SAFE-T2101 weak, L4 close, L2 weak",
	Axis:     "over-permission", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A tool's name says that it destroys something, and its annotations declare no ` + "`destructiveHint`" + `.

Clients ask the user before they run a tool that is marked as destructive. MCP treats a missing hint as true,
but many clients do not. The check asks only that the hint is declared, as true or false; it does not judge
whether the value is right. A hint that is not a boolean counts as missing.

What a tool does is read from the verb in its name, split at separators and capitals: the first word or, after
words that can only be a namespace or an object, the first verb ("file_delete", "github_delete_repo",
"DeleteUser", "users.remove"). Verbs that always destroy are delete, remove, destroy, erase, wipe, purge,
truncate, drop, kill, terminate, uninstall, revoke, overwrite, unlink, prune, shred, expunge and their shell
names (rm, rmdir, del). Clear, empty, reset, format, flush, clean and force count only with an object that can
be lost ("clear_cache" and "reset_filters" lose nothing that matters). Archive, cancel, close, stop, disable,
detach and dismiss can be undone or end something by design, and do not count.

Not reported: names with another verb ("get_deleted_items", "list_removed", "undo_delete") and names in which
such a word is a noun ("drop_down", "kill_ring"). Descriptions are not read, since "deletes nothing" contains
the verb too.

If a tool declares ` + "`readOnlyHint: true`" + ` without a destructiveHint, the message says that this contradicts the
name.`,
	Advice:  "Declare annotations.destructiveHint: true if the tool destroys or overwrites something, false if it only adds.",
	RunItem: unannotatedDestructiveTool,
})

func unannotatedDestructiveTool(it *check.Item) {
	if it.Kind != finding.Tool {
		return
	}
	verb, ok := destructiveVerb(it.Name())
	if !ok {
		return
	}
	annotations := it.Value.Get("annotations")
	if annotations.Get("destructiveHint").Kind() == rawjson.Bool {
		return
	}
	at := it.Value.Get("name").Offset() // of the last one where the member repeats, as Name reads it
	for i := range it.Fields {
		if f := &it.Fields[i]; f.Sort == check.Name && f.Value.Offset() == at {
			it.Report(check.Report{Field: f, Start: verb.start, End: verb.end, Message: undeclaredHint(verb.word, annotations)})
		}
	}
}

// undeclaredHint says what the annotations of a tool with a destructive name lack.
func undeclaredHint(verb string, annotations rawjson.Value) string {
	if readOnly, _ := annotations.Get("readOnlyHint").Bool(); readOnly {
		return fmt.Sprintf("the name says %q, but the annotations declare readOnlyHint true and no destructiveHint", verb)
	}
	switch annotations.Get("destructiveHint").Kind() {
	case rawjson.Absent, rawjson.Null: // several SDKs write null for nothing
		return fmt.Sprintf("the name says %q, but the annotations declare no destructiveHint", verb)
	}
	return fmt.Sprintf("the name says %q, but destructiveHint is not a boolean, so it declares nothing", verb)
}
