package oatf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/suggest"
	"gauntlet/rawjson"
)

// stateChecks are the keys that the bindings define for the states of modes (§7.1.4, §7.1.5, §7.2.4, §7.2.5,
// §7.3.4), with the form that a value needs to be played at all. What has another form but may go out as it is
// written, such as a server_info that is a string, is the author's to choose.
var stateChecks = map[string]map[string]stateCheck{
	"mcp_server": {
		"protocol_version": wantVersion, "server_info": asWritten, "instructions": asWritten, "capabilities": asWritten,
		"tools": wantList, "resources": wantList, "resource_templates": wantList, "prompts": wantList, "elicitations": wantElicitations,
	},
	"mcp_client": {
		"client_info": asWritten, "capabilities": asWritten, "actions": wantActions, "sampling_responses": wantDispatch,
		"elicitation_responses": wantDispatch, "roots": asWritten,
	},
	"a2a_server":   {"agent_card": asWritten, "task_responses": wantDispatch},
	"a2a_client":   {"actions": wantActions},
	"ag_ui_client": {"run_agent_input": wantMapping, "tool_responses": wantDispatch},
}

// A stateCheck says what of a member of a state cannot be played.
type stateCheck func(f *stateFaults, m rawjson.Member)

// StateKeys returns the keys that the format defines for the state of a mode, sorted; nil for a mode of no
// known binding.
func StateKeys(mode string) []string {
	return slices.Sorted(maps.Keys(stateChecks[mode]))
}

// A StateFault is something of a state that is not played: a key that means nothing in its mode, a value that has
// not the form that its key wants, an entry that never has its turn.
type StateFault struct {
	Key  string        // of the state
	At   rawjson.Value // where the fault is
	Text string
}

// StateFaults returns what of a state is not played in its mode, in the order of the state; nothing for a mode of
// no known binding. Keys that begin with x- are extensions and none of it.
func StateFaults(mode string, state rawjson.Value) []StateFault {
	forms := stateChecks[mode]
	if forms == nil {
		return nil
	}
	f := &stateFaults{}
	for m := range state.Members() {
		f.key = m.Key.Text()
		form := forms[f.key]
		switch {
		case form != nil && m.Value.Kind() != rawjson.Null:
			form(f, m)
		case form == nil && !strings.HasPrefix(f.key, "x-"):
			f.add(m.Value, "the state's %q means nothing to this runtime and is not played%s", excerpt.Clip(f.key, mostQuoted), meantInstead(mode, f.key))
		}
	}
	return f.all
}

// meantInstead says which key an unknown one may stand for.
func meantInstead(mode, key string) string {
	bare := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, known := range StateKeys(mode) {
		if bare(known) == bare(key) {
			return ": " + known + " is meant, perhaps"
		}
	}
	if names := suggest.Names(key, StateKeys(mode)); len(names) > 0 {
		return ": " + names[0] + " is meant, perhaps"
	}
	return ""
}

type stateFaults struct {
	key string
	all []StateFault
}

func (f *stateFaults) add(at rawjson.Value, format string, args ...any) {
	f.all = append(f.all, StateFault{f.key, at, fmt.Sprintf(format, args...)})
}

func asWritten(*stateFaults, rawjson.Member) {}

// wantVersion is §7.1.4: what the server says it speaks is a string.
func wantVersion(f *stateFaults, m rawjson.Member) {
	switch {
	case m.Value.Kind() != rawjson.String:
		f.add(m.Value, "protocol_version is a string in quotes, and here it is %s: the default is spoken instead", articleFor(m.Value))
	case m.Value.Text() == "":
		f.add(m.Value, "protocol_version is empty: the default is spoken instead")
	}
}

func wantMapping(f *stateFaults, m rawjson.Member) {
	if m.Value.Kind() != rawjson.Object {
		f.add(m.Value, "%s is a mapping, and here it is %s: it is not played", f.key, articleFor(m.Value))
	}
}

// wantList is for what a server lists, with the answers that entries have.
func wantList(f *stateFaults, m rawjson.Member) {
	if !f.isList(m.Value) {
		return
	}
	for i, e := range m.Value.Elements() {
		if r := e.Get("responses"); r.Exists() && r.Kind() != rawjson.Null {
			f.checkDispatch(r, fmt.Sprintf("%s %s: its responses", f.key, nameOfEntry(e, i)))
		}
	}
}

func nameOfEntry(e rawjson.Value, place int) string {
	name := cmp.Or(e.Get("name").Text(), e.Get("uri").Text(), e.Get("uriTemplate").Text())
	if name == "" {
		return fmt.Sprint(place + 1)
	}
	return fmt.Sprintf("%q", excerpt.Clip(name, mostQuoted))
}

func (f *stateFaults) isList(v rawjson.Value) bool {
	if v.Kind() == rawjson.Array {
		return true
	}
	f.add(v, "%s is a list, and here it is %s: it is not played", f.key, articleFor(v))
	return false
}

func wantDispatch(f *stateFaults, m rawjson.Member) { f.checkDispatch(m.Value, f.key) }

// checkDispatch is for lists of answers. What is wrong in their conditions other rules say.
func (f *stateFaults) checkDispatch(v rawjson.Value, what string) {
	if v.Kind() != rawjson.Array {
		f.add(v, "%s cannot be used: a list is wanted and not %s", what, articleFor(v))
	}
	for _, e := range v.Elements() {
		if e.Kind() != rawjson.Object {
			f.add(e, "%s cannot be used: an entry is a mapping and not %s", what, articleFor(e))
			return
		}
	}
}

// wantElicitations is §7.1.4: one elicitation a call, in a mode that MCP has.
func wantElicitations(f *stateFaults, m rawjson.Member) {
	if !f.isList(m.Value) {
		return
	}
	n := len(f.all)
	if f.checkDispatch(m.Value, f.key); len(f.all) > n {
		return
	}
	seen := map[string]bool{}
	for i, e := range m.Value.Elements() {
		if mode := e.Get("mode"); mode.Exists() && mode.Kind() != rawjson.Null && !mode.Is("form") && !mode.Is("url") {
			f.add(e, "elicitation %d: MCP has the modes form and url, and this one is sent to a client only that claims to take %s", i+1, excerpt.Clip(mode.Raw(), mostQuoted))
		}
		when := e.Get("when").Canonical()
		if seen[when] {
			f.add(e, "elicitation %d is never sent: a call has one elicitation, the first whose when holds, and an earlier one has the same", i+1)
		}
		seen[when] = true
	}
}

// wantActions is §7.1.5 and §7.2.5: a list of methods with their params.
func wantActions(f *stateFaults, m rawjson.Member) {
	if !f.isList(m.Value) {
		return
	}
	for i, e := range m.Value.Elements() {
		if method := e.Get("method"); method.Kind() != rawjson.String || method.Text() == "" {
			f.add(e, "action %d has no method and is left out; the form is {method, params}", i+1)
		}
		for k := range e.Members() {
			if name := k.Key.Text(); name != "method" && name != "params" && !strings.HasPrefix(name, "x-") {
				f.add(e, "action %d: %q means nothing to this runtime and is not played", i+1, excerpt.Clip(name, mostQuoted))
			}
		}
	}
}

// lintStates is GNT-212.
func (c *checker) lintStates() {
	for _, a := range c.actors {
		for _, p := range a.phases {
			for _, f := range StateFaults(cmp.Or(p.mode, a.mode), p.state) {
				c.rule("GNT-212", f.At, "", "%s", f.Text)
			}
		}
	}
}
