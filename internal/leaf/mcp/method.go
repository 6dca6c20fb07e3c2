package mcp

import (
	"cmp"
	"slices"
	"strings"
)

// The requests.
const (
	Initialize            = "initialize"
	Discover              = "server/discover"
	Ping                  = "ping"
	ToolsList             = "tools/list"
	ToolsCall             = "tools/call"
	PromptsList           = "prompts/list"
	PromptsGet            = "prompts/get"
	ResourcesList         = "resources/list"
	ResourceTemplatesList = "resources/templates/list"
	ResourcesRead         = "resources/read"
	ResourcesSubscribe    = "resources/subscribe"
	ResourcesUnsubscribe  = "resources/unsubscribe"
	SubscriptionsListen   = "subscriptions/listen"
	CompletionComplete    = "completion/complete"
	LoggingSetLevel       = "logging/setLevel"
	SamplingCreateMessage = "sampling/createMessage"
	ElicitationCreate     = "elicitation/create"
	RootsList             = "roots/list"
	TasksGet              = "tasks/get"
	TasksResult           = "tasks/result"
	TasksList             = "tasks/list"
	TasksCancel           = "tasks/cancel"
	TasksUpdate           = "tasks/update"
)

// The notifications.
const (
	NotifyInitialized               = "notifications/initialized"
	NotifyRootsListChanged          = "notifications/roots/list_changed"
	NotifyCancelled                 = "notifications/cancelled"
	NotifyProgress                  = "notifications/progress"
	NotifyTaskStatus                = "notifications/tasks/status"
	NotifyMessage                   = "notifications/message"
	NotifyToolsListChanged          = "notifications/tools/list_changed"
	NotifyPromptsListChanged        = "notifications/prompts/list_changed"
	NotifyResourcesListChanged      = "notifications/resources/list_changed"
	NotifyResourcesUpdated          = "notifications/resources/updated"
	NotifyElicitationComplete       = "notifications/elicitation/complete"
	NotifySubscriptionsAcknowledged = "notifications/subscriptions/acknowledged"
)

// A Method is a request or a notification; the receiver answers a request.
type Method struct {
	Name         string
	ToServer     bool // sent by clients
	ToClient     bool // sent by servers; from 2026-07-28 requests are part of a result
	since, until string
}

// methods lists all methods in the order of the specification's schemas, 2024-11-05 to 2026-07-28.
var methods = []Method{
	{Initialize, true, false, "", Revision2025Nov},
	{Discover, true, false, Revision2026Jul, ""},
	{Ping, true, true, "", Revision2025Nov},
	{ToolsList, true, false, "", ""},
	{ToolsCall, true, false, "", ""},
	{ResourcesList, true, false, "", ""},
	{ResourceTemplatesList, true, false, "", ""},
	{ResourcesRead, true, false, "", ""},
	{ResourcesSubscribe, true, false, "", Revision2025Nov},
	{ResourcesUnsubscribe, true, false, "", Revision2025Nov},
	{SubscriptionsListen, true, false, Revision2026Jul, ""},
	{PromptsList, true, false, "", ""},
	{PromptsGet, true, false, "", ""},
	{CompletionComplete, true, false, "", ""},
	{LoggingSetLevel, true, false, "", Revision2025Nov},
	{SamplingCreateMessage, false, true, "", ""},
	{ElicitationCreate, false, true, Revision2025Jun, ""},
	{RootsList, false, true, "", ""},
	{TasksGet, true, true, Revision2025Nov, ""},
	{TasksResult, true, true, Revision2025Nov, Revision2025Nov},
	{TasksList, true, true, Revision2025Nov, Revision2025Nov},
	{TasksCancel, true, true, Revision2025Nov, ""},
	{TasksUpdate, true, false, Revision2026Jul, ""},
	{NotifyInitialized, true, false, "", Revision2025Nov},
	{NotifyRootsListChanged, true, false, "", Revision2025Nov},
	{NotifyCancelled, true, true, "", ""},
	{NotifyProgress, true, true, "", ""},
	{NotifyTaskStatus, true, true, Revision2025Nov, ""},
	{NotifyMessage, false, true, "", ""},
	{NotifyToolsListChanged, false, true, "", ""},
	{NotifyResourcesListChanged, false, true, "", ""},
	{NotifyResourcesUpdated, false, true, "", ""},
	{NotifyPromptsListChanged, false, true, "", ""},
	{NotifyElicitationComplete, false, true, Revision2025Nov, Revision2025Nov},
	{NotifySubscriptionsAcknowledged, false, true, Revision2026Jul, ""},
}

// Methods returns every method of every revision.
func Methods() []Method { return slices.Clone(methods) }

// IsNotification reports whether the method is a notification.
func (m Method) IsNotification() bool { return strings.HasPrefix(m.Name, "notifications/") }

// Since returns the first revision that has the method.
func (m Method) Since() string {
	return cmp.Or(m.since, Revision2024Nov)
}

// Until returns the last revision that has the method, "" if the newest does.
func (m Method) Until() string { return m.until }

// SubjectParam returns the params member that identifies a request's subject: "name" of a tool or prompt, "uri" of a resource, ""
// for other methods. From 2026-07-28 the header Mcp-Name repeats its value (SPEC 2026-07-28/basic/transports/streamable-http).
func SubjectParam(method string) string {
	if l := CallIndex(method); l >= 0 {
		return Lists[l].ID
	}
	return ""
}

// ClientCapability returns the capability a client must declare before a server may send it this request, or "" (SPEC
// 2025-11-25/client).
func ClientCapability(method string) string {
	switch method {
	case SamplingCreateMessage:
		return "sampling"
	case ElicitationCreate:
		return "elicitation"
	case RootsList:
		return "roots"
	}
	return ""
}

// A List is one of a server's four lists.
type List struct {
	Method     string // request for a page
	Member     string // array of items in the result
	Capability string // server capability
	ID         string // member that identifies an item in requests
	// Changed is the notification that the list changed, and Filter the params member of subscriptions/listen that subscribes to
	// it. Resources and resource templates share both.
	Changed, Filter string
	// Optional says that a server with the capability may lack the list.
	Optional bool
	Item     string // what an item is
	Call     string // request for one item; "" for templates, through which resources are read
}

// Lists are a server's lists, in the order of catalog.Kinds (SPEC 2025-11-25/server; filters SPEC
// 2026-07-28/basic/utilities/subscriptions).
var Lists = [4]List{
	{ToolsList, "tools", "tools", "name", NotifyToolsListChanged, "toolsListChanged", false, "tool", ToolsCall},
	{PromptsList, "prompts", "prompts", "name", NotifyPromptsListChanged, "promptsListChanged", false, "prompt", PromptsGet},
	{ResourcesList, "resources", "resources", "uri", NotifyResourcesListChanged, "resourcesListChanged", false, "resource", ResourcesRead},
	{ResourceTemplatesList, "resourceTemplates", "resources", "uriTemplate", NotifyResourcesListChanged, "resourcesListChanged", true, "resource template", ""},
}

// ListIndex returns the index in Lists of the list that a method reads, -1 for none.
func ListIndex(method string) int {
	return slices.IndexFunc(Lists[:], func(l List) bool { return l.Method == method })
}

// CallIndex returns the index in Lists of the list whose items a method is for, -1 for none.
func CallIndex(method string) int {
	return slices.IndexFunc(Lists[:3], func(l List) bool { return l.Call == method })
}

// ChangingLists are the lists with their own notification: resource templates share that of resources.
var ChangingLists = Lists[:3]
