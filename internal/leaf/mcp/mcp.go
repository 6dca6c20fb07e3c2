// Package mcp holds the words of the Model Context Protocol in all its revisions: their
// dates, methods, capabilities, keys of _meta, HTTP header fields and error codes, and
// which revision has what. Names follow the specification: [ToolsCall] is "tools/call".
//
// Each table names the page of the specification it was read from. "SPEC" stands for
// https://modelcontextprotocol.io/specification/REVISION.
package mcp

// The keys of _meta that the specification defines (SPEC 2026-07-28/basic/index, _meta,
// and SPEC 2025-11-25/basic/utilities/tasks for the last two).
const (
	// MetaPrefix begins every key that the specification itself defines.
	MetaPrefix = "io.modelcontextprotocol/"

	MetaProtocolVersion    = MetaPrefix + "protocolVersion"    // client, every stateless request
	MetaClientCapabilities = MetaPrefix + "clientCapabilities" // client, every stateless request
	MetaClientInfo         = MetaPrefix + "clientInfo"         // client, every stateless request
	MetaLogLevel           = MetaPrefix + "logLevel"           // client, in place of logging/setLevel
	MetaServerInfo         = MetaPrefix + "serverInfo"         // server, every stateless result
	MetaSubscriptionID     = MetaPrefix + "subscriptionId"     // server, what subscriptions/listen brings
	MetaRelatedTask        = MetaPrefix + "related-task"
	MetaImmediateResponse  = MetaPrefix + "model-immediate-response"
)

// MetaKeys returns the keys of _meta that the specification defines.
func MetaKeys() []string {
	return []string{MetaProtocolVersion, MetaClientCapabilities, MetaClientInfo, MetaLogLevel,
		MetaServerInfo, MetaSubscriptionID, MetaRelatedTask, MetaImmediateResponse}
}

// The HTTP header fields of MCP in Go's canonical form (SPEC 2025-06-18 and
// 2026-07-28/basic/transports/streamable-http).
const (
	HeaderProtocolVersion = "Mcp-Protocol-Version"
	HeaderSessionID       = "Mcp-Session-Id"
	HeaderMethod          = "Mcp-Method"
	HeaderName            = "Mcp-Name"
	HeaderParamPrefix     = "Mcp-Param-" // before the name that a tool's x-mcp-header gives
	HeaderLastEventID     = "Last-Event-Id"
)

// The error codes of JSON-RPC 2.0 and those that MCP adds.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603

	// Before 2026-07-28. The SDKs use -32000 and -32001 for sessions; the specification
	// defines -32002 only.
	CodeBadSession       = -32000
	CodeSessionNotFound  = -32001
	CodeResourceNotFound = -32002

	// From 2026-07-28. A server of an earlier revision never sends them.
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021 // of the client
	CodeUnsupportedVersion = -32022
)

// CodesReserved are the bounds of the error codes that only the specification may assign,
// from 2026-07-28 on (basic/index, error codes).
const (
	CodeReservedFirst = -32020
	CodeReservedLast  = -32099
)
