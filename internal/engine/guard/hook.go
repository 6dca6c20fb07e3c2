package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

// Clients are those whose hooks are spoken. Cursor follows its documents and was not tried.
func Clients() []string { return []string{"claude", "codex", "cursor", "gemini"} }

// ReadHook reads what a client's hook is given before a tool runs. It refuses what is given at another time, when no answer could stop
// the call: whoever installed it there would believe that it guards.
func ReadHook(text string) (c Call, cwd string, err error) {
	var tree rawjson.Tree
	text = strings.TrimPrefix(text, "\ufeff")
	if err := tree.Parse(text, 0); err != nil {
		return c, "", errors.New("the hook's input is not JSON")
	}
	root := tree.Root()
	if root.Kind() != rawjson.Object {
		return c, "", errors.New("the hook's input is no object")
	}
	cwd = strings.Clone(root.Get("cwd").Text())
	c.Tool, c.Event = strings.Clone(root.Get("tool_name").Text()), strings.Clone(root.Get("hook_event_name").Text())
	event := strings.ToLower(c.Event)
	if event != "" && !strings.HasPrefix(event, "pre") && !strings.HasPrefix(event, "before") {
		return c, cwd, fmt.Errorf("%.100q comes when a call can no longer be stopped: want the hook before a tool runs", c.Event)
	}
	input := root.Get("tool_input")
	if c.Tool == "" && strings.HasPrefix(event, "before") { // Cursor: beforeShellExecution, beforeReadFile
		input, c.Tool = root, c.Event
	}
	if c.Tool == "" {
		return c, cwd, errors.New("the hook's input names no tool")
	}
	if input.Kind() != rawjson.Object && input.Kind() != rawjson.String {
		return c, cwd, errors.New("the hook's input does not say what the tool is given")
	}
	c.Server = strings.HasPrefix(c.Tool, "mcp__") || strings.Contains(c.Event, "MCP") || root.Get("mcp_context").Exists()
	c.Raw = text
	if !collect("", input, &c.Args, 0) {
		return c, cwd, errors.New("the hook's input has too many or too deeply nested parts to be judged")
	}
	return c, cwd, nil
}

// collect adds all texts and numbers below a value, or returns false if they are more than can be judged. Those of a list have
// the list's name.
func collect(name string, v rawjson.Value, out *[]Arg, depth int) bool {
	const deepest, most = 64, 10_000
	if depth > deepest || len(*out) >= most {
		return false
	}
	ok := true
	switch v.Kind() {
	case rawjson.String:
		s := strings.Clone(v.Text())
		var inner rawjson.Tree
		if name == "" && strings.HasPrefix(s, "{") && inner.Parse(s, 0) == nil { // Cursor hands the arguments on as one text
			return collect(name, inner.Root(), out, depth+1)
		}
		*out = append(*out, Arg{name, s})
	case rawjson.Number:
		*out = append(*out, Arg{name, strings.Clone(v.Raw())})
	case rawjson.Object:
		for m := range v.Members() {
			ok = ok && collect(strings.Clone(m.Key.Text()), m.Value, out, depth+1)
		}
	case rawjson.Array:
		var words []string
		for _, e := range v.Elements() {
			if e.Kind() == rawjson.String {
				words = append(words, "'"+strings.ReplaceAll(e.Text(), "'", `'\''`)+"'")
			}
			ok = ok && collect(name, e, out, depth+1)
		}
		if len(words) > 1 { // a command in parts
			*out = append(*out, Arg{name, strings.Join(words, " ")})
		}
	}
	return ok
}

// WriteHook is the answer in the form of a client; "" where nothing is said. Claude Code would skip its own question if
// it were told to allow, so that passing says nothing; Cursor takes silence for a failure. Where a client knows no question, as in
// some events (see [Call]), a call that needs one is denied.
func WriteHook(client, event string, v Verdict) string {
	if v.Decision == Pass {
		if client == "cursor" {
			return `{"permission":"allow"}` + "\n"
		}
		return ""
	}
	reason := "gauntlet guard: " + v.Reason
	if v.Decision == Ask && (client == "codex" || client == "gemini" || client == "cursor" && event == "preToolUse") {
		v.Decision, reason = Deny, reason+"; its user must agree to it first"
	}
	var out any
	switch client {
	case "gemini":
		out = map[string]string{"decision": string(v.Decision), "reason": reason}
	case "cursor":
		out = map[string]string{"permission": string(v.Decision), "user_message": reason, "agent_message": reason}
	default:
		out = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": "PreToolUse", "permissionDecision": string(v.Decision), "permissionDecisionReason": reason}}
	}
	text, _ := json.Marshal(out) // strings
	return string(text) + "\n"
}
