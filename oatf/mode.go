package oatf

import "strings"

// KnownModes returns the modes of the bindings in version 0.1 (SDK §3.2). Other modes are legal but cause warning W-002.
func KnownModes() []string {
	return []string{"mcp_server", "mcp_client", "a2a_server", "a2a_client", "ag_ui_client"}
}

// KnownProtocols returns the protocols of [KnownModes].
func KnownProtocols() []string { return []string{"mcp", "a2a", "ag_ui"} }

// ProtocolOf returns the protocol of a mode, the part before its last _server or _client (SDK §5.10): mcp for
// mcp_server, ag_ui for ag_ui_client. A mode without either suffix is returned unchanged.
func ProtocolOf(mode string) string {
	for _, role := range []string{"_server", "_client"} {
		if p, ok := strings.CutSuffix(mode, role); ok {
			return p
		}
	}
	return mode
}

// IsServer reports whether a mode is a server's, which waits for the agent to connect.
func IsServer(mode string) bool { return strings.HasSuffix(mode, "_server") }
