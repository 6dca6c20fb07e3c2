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

// stateChecks are the keys that the bindings define for the states of modes (§7.1.4, §7.1.5, §7.2.4, §7.2.5, §7.3.4),
// with the form that a value needs to be usable at all. Odd values that can be sent as they are, such as a server_info
// that is a string, are the author's choice.
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

// A stateCheck reports what is unusable in a member of a state.
type stateCheck func(f *stateFaults, m rawjson.Member)

// StateKeys returns the sorted keys that the format defines for the state of a mode, nil for a mode of no known binding.
func StateKeys(mode string) []string {
	return slices.Sorted(maps.Keys(stateChecks[mode]))
}

// A StateFault is a part of a state without effect: a key unknown in its mode, a value of the wrong form, an unreachable entry.
type StateFault struct {
	Key  string        // of the state
	At   rawjson.Value // location of the fault
	Text string
}

// StateFaults returns the parts of a state without effect in a mode, in order; none for a mode of no known binding.
// Extensions (x-*) are ignored.
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

// meantInstead suggests a key for an unknown one.
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

// wantVersion is §7.1.4: the server's protocol version is a string.
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

// wantList checks a list of a server and the responses of its entries.
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

// checkDispatch checks lists of responses. Rules check their conditions.
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

// wantElicitations is §7.1.4: one elicitation per call, in a mode that MCP has.
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

// wantActions is §7.1.5 and §7.2.5: a list of methods with params.
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
