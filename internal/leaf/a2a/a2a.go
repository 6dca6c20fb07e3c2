// Package a2a defines the vocabulary of A2A, the protocol between agents, in revision 0.3 and the current one, which renamed the
// methods, wraps results and has no kind. It is pure: live traffic and recordings are read alike.
package a2a

import (
	"strings"

	"gauntlet/rawjson"
)

// Names of the protocol in traces and documents, including those without a method (§7.2.2).
const (
	Protocol     = "a2a"
	CardGet      = "agent_card/get"
	TaskStatus   = "task/status"
	TaskArtifact = "task/artifact"
	CardPath     = "/.well-known/agent-card.json"
	// CardKeys is a client's request for a card's signature keys, which our agents serve at KeysPath, and CardSignature the result
	// of checking them. Neither is in a specification: they are ours.
	CardKeys      = "agent_card/keys"
	CardSignature = "agent_card/signature"
	KeysPath      = "/.well-known/agent-card-keys.json"
	// VersionHeader carries the revision in requests of the current one.
	VersionHeader = "A2A-Version"
)

// Methods of revision 0.3, which documents use for any revision.
const (
	MessageSend   = "message/send"
	MessageStream = "message/stream"
	TasksGet      = "tasks/get"
	TasksList     = "tasks/list"
	TasksCancel   = "tasks/cancel"
	Resubscribe   = "tasks/resubscribe"
	PushSet       = "tasks/pushNotificationConfig/set"
	PushGet       = "tasks/pushNotificationConfig/get"
	PushList      = "tasks/pushNotificationConfig/list"
	PushDelete    = "tasks/pushNotificationConfig/delete"
	ExtendedCard  = "agent/getAuthenticatedExtendedCard"
)

// current maps them to the current revision's names.
var current = map[string]string{
	"SendMessage": MessageSend, "SendStreamingMessage": MessageStream, "GetTask": TasksGet, "ListTasks": TasksList,
	"CancelTask": TasksCancel, "SubscribeToTask": Resubscribe, "CreateTaskPushNotificationConfig": PushSet,
	"GetTaskPushNotificationConfig": PushGet, "ListTaskPushNotificationConfigs": PushList,
	"DeleteTaskPushNotificationConfig": PushDelete, "GetExtendedAgentCard": ExtendedCard,
}

// Canonical returns a method's name in documents, and whether the given name is the current revision's.
func Canonical(method string) (name string, isCurrent bool) {
	if old, ok := current[method]; ok {
		return old, true
	}
	return method, false
}

// MessageText returns a message's texts, and its data as JSON, one per line.
func MessageText(message rawjson.Value) string {
	var all []string
	for _, p := range message.Get("parts").Elements() {
		if text := p.Get("text").Text(); text != "" {
			all = append(all, text)
		}
		if data := p.Get("data"); data.Exists() {
			all = append(all, data.Compact())
		}
	}
	return strings.Join(all, "\n")
}

// IsMessage reports whether a value has the form of a message.
func IsMessage(v rawjson.Value) bool {
	return v.Get("kind").Is("message") || v.Get("parts").Exists() && v.Get("role").Exists()
}

// IsTask reports whether a value has the form of a task: its status is an object (§7.2.4).
func IsTask(v rawjson.Value) bool {
	return v.Get("status").Kind() == rawjson.Object && v.Get("status").Get("state").Exists()
}

// IsWrapped reports whether a result has the current revision's form.
func IsWrapped(v rawjson.Value) bool {
	if v.Kind() != rawjson.Object || v.Len() != 1 {
		return false
	}
	for _, name := range []string{"task", "message", "statusUpdate", "artifactUpdate"} {
		if v.Get(name).Kind() == rawjson.Object && name != "message" || name == "message" && v.Get(name).Get("parts").Exists() {
			return true
		}
	}
	return false
}

// Modern converts a value of revision 0.3 to the current one: enumeration names, parts and objects without kind, files by url.
// Unknown parts are unchanged.
func Modern(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Array:
		var all []string
		for _, e := range v.Elements() {
			all = append(all, Modern(e))
		}
		return "[" + strings.Join(all, ",") + "]"
	case rawjson.Object:
		var all []string
		for m := range v.Members() {
			name := m.Key.Text()
			switch {
			case name == "kind" && m.Value.Kind() == rawjson.String:
			case name == "final":
			case name == "state" && m.Value.Kind() == rawjson.String:
				all = append(all, `"state":`+rawjson.Quote(enumName("TASK_STATE_", m.Value.Text())))
			case name == "role" && m.Value.Kind() == rawjson.String:
				all = append(all, `"role":`+rawjson.Quote(enumName("ROLE_", m.Value.Text())))
			case name == "metadata", name == "data":
				all = append(all, m.Key.Raw()+":"+m.Value.Raw())
			default:
				all = append(all, m.Key.Raw()+":"+Modern(m.Value))
			}
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	return v.Raw()
}

// enumName returns the current name of a value that revision 0.3 writes in lower case: input-required is TASK_STATE_INPUT_REQUIRED.
func enumName(prefix, value string) string {
	if strings.HasPrefix(value, prefix) || value == "" {
		return value
	}
	return prefix + strings.ToUpper(strings.ReplaceAll(value, "-", "_"))
}
