// Package mcp defines the vocabulary of the Model Context Protocol in all revisions: dates, methods, capabilities, _meta keys, HTTP
// headers and error codes, and which revisions have what. Names follow the specification: [ToolsCall] is "tools/call".
//
// Each table names the page it was taken from. "SPEC" stands for https://modelcontextprotocol.io/specification/REVISION.
package mcp

// _meta keys of the specification (SPEC 2026-07-28/basic/index, _meta; the last two SPEC 2025-11-25/basic/utilities/tasks).
const (
	// MetaPrefix begins every key defined by the specification.
	MetaPrefix = "io.modelcontextprotocol/"

	MetaProtocolVersion    = MetaPrefix + "protocolVersion"    // client, every stateless request
	MetaClientCapabilities = MetaPrefix + "clientCapabilities" // client, every stateless request
	MetaClientInfo         = MetaPrefix + "clientInfo"         // client, every stateless request
	MetaLogLevel           = MetaPrefix + "logLevel"           // client, in place of logging/setLevel
	MetaServerInfo         = MetaPrefix + "serverInfo"         // server, every stateless result
	MetaSubscriptionID     = MetaPrefix + "subscriptionId"     // server, messages of subscriptions/listen
	MetaRelatedTask        = MetaPrefix + "related-task"
	MetaImmediateResponse  = MetaPrefix + "model-immediate-response"
)

// MetaKeys returns the specification's _meta keys.
func MetaKeys() []string {
	return []string{MetaProtocolVersion, MetaClientCapabilities, MetaClientInfo, MetaLogLevel,
		MetaServerInfo, MetaSubscriptionID, MetaRelatedTask, MetaImmediateResponse}
}

// HTTP headers of MCP in Go's canonical form (SPEC 2025-06-18 and 2026-07-28/basic/transports/streamable-http).
const (
	HeaderProtocolVersion = "Mcp-Protocol-Version"
	HeaderSessionID       = "Mcp-Session-Id"
	HeaderMethod          = "Mcp-Method"
	HeaderName            = "Mcp-Name"
	HeaderParamPrefix     = "Mcp-Param-" // prefix of names from a tool's x-mcp-header
	HeaderLastEventID     = "Last-Event-Id"
)

// Error codes of JSON-RPC 2.0 and MCP.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603

	// Before 2026-07-28. The SDKs use -32000 and -32001 for sessions; the specification defines only -32002.
	CodeBadSession       = -32000
	CodeSessionNotFound  = -32001
	CodeResourceNotFound = -32002

	// From 2026-07-28. Servers of earlier revisions never send them.
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021 // a capability of the client
	CodeUnsupportedVersion = -32022
)

// CodeReservedFirst and CodeReservedLast are the bounds of error codes that only the specification may assign, from 2026-07-28
// (basic/index, error codes).
const (
	CodeReservedFirst = -32020
	CodeReservedLast  = -32099
)
