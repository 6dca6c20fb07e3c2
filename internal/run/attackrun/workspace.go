package attackrun

import (
	"encoding/json"
	"regexp"
	"strings"

	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/planted"
	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// staged returns the document as it is played. Agents without tools of their own (ours, and whoever connects) find its planted files
// on a further server, whose other tools do nothing.
func (p *play) staged() *oatf.Document {
	files := delivery.Files(p.doc)
	if files == nil || p.Agent != nil && p.agent().OwnTools {
		return p.doc
	}
	out := p.doc.Clone()
	out.Attack.Execution.Actors = append(out.Attack.Execution.Actors, oatf.Actor{
		Name: planted.Server, Mode: "mcp_server", Phases: []oatf.Phase{{Name: "start", Mode: "mcp_server", State: workspaceState(files)}},
	})
	return out
}

type object = map[string]any

// workspaceState is the state of the server: the tools of a coding agent, of which reading a file works. A command prints the files
// that it names.
func workspaceState(files []planted.File) rawjson.Value {
	var paths []string
	var read, run []any
	for _, f := range files {
		paths = append(paths, f.Path)
		name := regexp.QuoteMeta(f.Path)
		read = append(read, object{"when": object{"arguments.path": object{"regex": "^(.*/)?" + name + "$"}}, "content": says(f.Text, false)})
		run = append(run, object{"when": object{"arguments.command": object{"regex": "(^|[ \"'=/])" + name + "($|[ \"';|&])"}}, "content": says(f.Text, false)})
	}
	read = append(read, object{"content": says("There is no such file.", true)})
	run = append(run, object{"content": says("(no output)", false)})
	text := func(about string) object { return object{"type": "string", "description": about} }
	tool := func(name, about string, responses []any, required []string, properties object) object {
		return object{"name": name, "description": about, "responses": responses, "inputSchema": object{"type": "object", "properties": properties, "required": required}}
	}
	always := func(s string) []any { return []any{object{"content": says(s, false)}} }
	raw, err := json.Marshal(object{"server_info": object{"name": planted.Server, "version": "1.0.0"}, "tools": []any{
		tool("list_files", "Lists the files of the working directory.", always(strings.Join(paths, "\n")), []string{}, object{}),
		tool("read_file", "Reads a file.", read, []string{"path"}, object{"path": text("Path of the file")}),
		tool("write_file", "Writes a file.", always("Written."), []string{"path", "content"}, object{"path": text("Path of the file"), "content": text("New content")}),
		tool("run_command", "Runs a shell command.", run, []string{"command"}, object{"command": text("Command line")}),
		tool("fetch_url", "Fetches a web page.", always("(empty page)"), []string{"url"}, object{"url": text("Address of the page")}),
	}})
	tree := new(rawjson.Tree)
	if err != nil || tree.Parse(string(raw), 0) != nil { // strings
		return rawjson.Value{}
	}
	return tree.Root()
}

// says is a tool's result. What is no template in a file is not taken for one.
func says(text string, isError bool) object {
	return object{"content": []any{object{"type": "text", "text": strings.ReplaceAll(text, "{{", `\{{`)}}, "isError": isError}
}
