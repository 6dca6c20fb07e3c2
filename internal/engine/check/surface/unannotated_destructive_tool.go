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
	Doc: `A tool's name or the beginning of its description says that it destroys something, and its annotations declare no ` + "`destructiveHint`" + `.

Clients ask the user before they run a tool that is marked as destructive. MCP treats a missing hint as true,
but many clients do not. The check asks only that the hint is declared, as true or false; it does not judge
whether the value is right. A hint that is not a boolean counts as missing.

What a tool does is read from the verb in its name, split at separators and capitals: the first word or, after
words that can only be a namespace or an object, the first verb ("file_delete", "github_delete_repo",
"DeleteUser", "users.remove"). Verbs that always destroy are delete, remove, destroy, erase, wipe, purge,
truncate, kill, terminate, uninstall, revoke, overwrite, unlink, prune, shred, expunge and their shell
names (rm, rmdir, del). Drop, clear, empty, reset, format, flush, clean and force count only with an object that can
be lost ("clear_cache" and "reset_filters" lose nothing that matters). Archive, cancel, close, stop, disable,
detach and dismiss can be undone or end something by design, and do not count.

Of a description the verb that it begins with is read: delete, destroy, erase, wipe, purge, truncate, expunge, uninstall
("Permanently deletes the account"), and remove, drop and close where the first sentence names what is lost
("Removes a user account and all its data").

Not reported: names with another verb ("get_deleted_items", "list_removed", "undo_delete"), names in which
such a word is a noun ("drop_down", "kill_ring"), files that are dropped on something, and descriptions that say it later or deny it
("Archives a note. Deletes nothing.").

If a tool declares ` + "`readOnlyHint: true`" + ` without a destructiveHint, the message says that this contradicts the
name.`,
	Advice:  "Declare annotations.destructiveHint: true if the tool destroys or overwrites something, false if it only adds.",
	RunItem: unannotatedDestructiveTool,
})

func unannotatedDestructiveTool(it *check.Item) {
	if it.Kind != finding.Tool {
		return
	}
	annotations := it.Value.Get("annotations")
	if annotations.Get("destructiveHint").Kind() == rawjson.Bool {
		return
	}
	report := func(member string, verb nameWord) {
		if f := fieldAt(it, it.Value.Get(member)); f != nil { // the last duplicate, as Name reads it
			it.Report(check.Report{Field: f, Start: verb.start, End: verb.end, Message: undeclaredHint(member, verb.word, annotations)})
		}
	}
	if verb, ok := destructiveVerb(it.Name()); ok {
		report("name", verb)
	} else if verb, ok := toldVerb(it.Value.Get("description").Text()); ok {
		report("description", verb)
	}
}

// undeclaredHint says what is missing in the annotations of a tool that is destructive by its name or description.
func undeclaredHint(what, verb string, annotations rawjson.Value) string {
	if readOnly, _ := annotations.Get("readOnlyHint").Bool(); readOnly {
		return fmt.Sprintf("the %s says %q, but the annotations declare readOnlyHint true and no destructiveHint", what, verb)
	}
	switch annotations.Get("destructiveHint").Kind() {
	case rawjson.Absent, rawjson.Null: // several SDKs write null for absent values
		return fmt.Sprintf("the %s says %q, but the annotations declare no destructiveHint", what, verb)
	}
	return fmt.Sprintf("the %s says %q, but destructiveHint is not a boolean, so it declares nothing", what, verb)
}
