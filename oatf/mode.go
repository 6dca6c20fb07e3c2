package oatf

import "strings"

// KnownModes returns the modes of the bindings that version 0.1 includes (SDK §3.2). Other
// modes are legal and draw the warning W-002.
func KnownModes() []string {
	return []string{"mcp_server", "mcp_client", "a2a_server", "a2a_client", "ag_ui_client"}
}

// KnownProtocols returns the protocols of [KnownModes].
func KnownProtocols() []string { return []string{"mcp", "a2a", "ag_ui"} }

// ProtocolOf returns the protocol of a mode, the part before its last _server or _client
// (SDK §5.10): mcp for mcp_server, ag_ui for ag_ui_client. A mode without one of the two
// is returned whole.
func ProtocolOf(mode string) string {
	for _, role := range []string{"_server", "_client"} {
		if p, ok := strings.CutSuffix(mode, role); ok {
			return p
		}
	}
	return mode
}

// IsServer reports whether a mode is that of a server, which waits for the agent to come.
func IsServer(mode string) bool { return strings.HasSuffix(mode, "_server") }
