package probing

import (
	"strings"

	"gauntlet/internal/leaf/mcp"
)

// StatelessMeta is the member _meta of a request of revision 2026-07-28 from a client that declares
// no capability.
const StatelessMeta = `"_meta":{"` + mcp.MetaProtocolVersion + `":"` + mcp.Revision2026Jul + `","` + mcp.MetaClientCapabilities + `":{},"` + mcp.MetaClientInfo + `":{"name":"gauntlet","version":"1"}}`

// statelessList asks for the tools in revision 2026-07-28.
const statelessList = `{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{` + StatelessMeta + `}}`

// plainList asks for the tools without _meta, as it is done after initialize.
const plainList = `{"jsonrpc":"2.0","id":"plain","method":"tools/list"}`

// longID is an id that a server has to keep until it answers.
var longID = strings.Repeat("9", 64<<10)

// deep is JSON that is nested deeper than readers that call themselves can go.
var deep = strings.Repeat("[", 20_000)
