package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// FromSnapshot returns the state of a server in a catalog, with its texts unchanged. Calls are answered with a note that only
// definitions exist.
//
// Snapshots of gauntlet capture have the identity under server, the capabilities at the top, and the protocolVersion. Those of
// other tools may keep their own notes under server, with the server's data one level down, and null for what was not sent; there,
// an identity that no client would accept is ignored.
func FromSnapshot(server *catalog.Server) State {
	s := State{Name: server.Name, Call: definitionsOnly}
	for i, l := range server.Lists {
		s.Lists[i].Present = l.Present
		for j := range l.Items {
			s.Lists[i].Items = append(s.Lists[i].Items, l.Items[j].Text(server))
		}
	}
	top := serverObject(server)
	s.Instructions = memberValues(top, "instructions")
	s.Capabilities = memberValues(top, "capabilities")
	s.Identity = append(memberValues(top, "server"), memberValues(top, "serverInfo")...)
	if memberValues(top, "protocolVersion") == nil {
		s.readOtherSnapshot(top)
	}
	if s.Identity == nil {
		s.Identity = []string{`{"name":` + rawjson.Quote(server.Name) + `,"version":"unknown"}`}
	}
	if s.Capabilities == nil {
		s.Capabilities = []string{derivedCapabilities(&s.Lists)}
	}
	return s
}

// readOtherSnapshot reads the parts that other tools' snapshots keep elsewhere.
func (s *State) readOtherSnapshot(top string) {
	notes := rawjson.LastMember(top, "server")
	s.Instructions = withoutNull(s.Instructions)
	if s.Capabilities = withoutNull(s.Capabilities); s.Capabilities == nil {
		s.Capabilities = withoutNull(memberValues(notes, "capabilities"))
	}
	s.Identity = nil
	for _, candidates := range [][]string{memberValues(top, "serverInfo"), memberValues(notes, "serverInfo"), memberValues(top, "server")} {
		for _, c := range candidates {
			if s.Identity == nil && isText(memberValues(c, "name")) && isText(memberValues(c, "version")) {
				s.Identity = []string{c}
			}
		}
	}
}

func withoutNull(values []string) []string {
	if values = slices.DeleteFunc(values, func(v string) bool { return v == "null" }); len(values) == 0 {
		return nil
	}
	return values
}

func isText(values []string) bool { return len(values) == 1 && values[0][0] == '"' }

// serverObject returns the text of the object that holds the server's lists.
func serverObject(server *catalog.Server) string {
	text := strings.TrimLeft(strings.TrimPrefix(server.Document.Text, "\ufeff"), space)
	path := strings.Split(server.Pointer, "/")[1:]
	for len(path) > 0 && text != "" {
		vs := memberValues(text, path[0])
		if vs == nil {
			return ""
		}
		text, path = vs[len(vs)-1], path[1:] // the last, as catalog takes it
		if len(path) > 0 && text[0] == '[' {
			n, _ := strconv.Atoi(path[0])
			text, path = slices.Collect(rawjson.Items(text))[n], path[1:]
		}
	}
	return text
}

// memberValues returns the raw values of every member with this name, nil if text is no object.
func memberValues(text, name string) (out []string) {
	for n, value := range rawjson.Fields(text) {
		if n == name {
			out = append(out, value)
		}
	}
	return out
}

// Pick returns the named server. Without a name the catalog must hold exactly one.
func Pick(c *catalog.Catalog, name string) (*catalog.Server, error) {
	var found []*catalog.Server
	var names []string
	for _, s := range c.Servers {
		names = append(names, strconv.Quote(s.Name))
		if name == "" || s.Name == name {
			found = append(found, s)
		}
	}
	const most = 20
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(c.Servers) == 0:
		return nil, fmt.Errorf("the snapshot holds no server")
	case name == "":
		return nil, fmt.Errorf("the snapshot holds %d servers: want the name of one: %s", len(c.Servers), strings.Join(names, ", "))
	case len(found) == 0:
		return nil, fmt.Errorf("the snapshot holds no server %q: want %s", name, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("the snapshot holds %d servers %q", len(found), name)
}

const noContent = "This server is served by gauntlet from a snapshot, which holds definitions only: "

// definitionsOnly answers every call to an existing item. A tool reports failure in its result, which a model sees; the other
// methods return an error.
func definitionsOnly(_ context.Context, c Call) (string, error) {
	if c.Method == mcp.ToolsCall {
		return `{"content":[{"type":"text","text":` + rawjson.Quote(noContent+"no tool is executed.") + `}],"isError":true}`, nil
	}
	return "", &Error{Code: mcp.CodeInternalError, Message: noContent + "there is nothing to return."}
}
