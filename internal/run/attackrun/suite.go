package attackrun

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/planted"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/runstate"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// PlayAll plays several documents, each the given number of times in its own session, some concurrently, and reports in their
// order. Their traces go to the folder traces, "" for none.
func (r *Player) PlayAll(ctx context.Context, texts []attackdoc.Text, limits oatf.Limits, traces string, parallel, repeat int, progress *runstate.Progress) []result.AttackRun {
	runs := make([]result.AttackRun, len(texts)*repeat)
	progress.Count(0, len(runs))
	interrupt.Each(len(runs), parallel, func(i int) {
		t, s := texts[i/repeat], Session{Listen: "127.0.0.1:0", Trace: TraceName(traces, i, texts[i/repeat].Name), Silent: true}
		if repeat > 1 {
			s.Run = i%repeat + 1
		}
		progress.Step("playing %s", t.Name)
		runs[i] = r.playOneOfSeveral(ctx, t, limits, s)
		came := resultOf(&runs[i])
		progress.Step("%s: %s", t.Name, cmp.Or(runs[i].Problem, came.Word))
		progress.Result(came)
		progress.Count(1, 0)
	})
	return runs
}

func resultOf(run *result.AttackRun) runstate.Result {
	r := runstate.Result{Word: "not judged", What: cmp.Or(run.ID, run.Document), Where: run.Agent, Says: cmp.Or(run.Problem, run.Name)}
	if run.Verdict != nil {
		r.Word = string(run.Verdict.Outcome)
	}
	if run.Run > 0 {
		r.Where = strings.TrimSpace(fmt.Sprintf("%s run %d", r.Where, run.Run))
	}
	return r
}

func (r *Player) playOneOfSeveral(ctx context.Context, text attackdoc.Text, limits oatf.Limits, s Session) result.AttackRun {
	doc, problem := text.Load(limits)
	if problem != "" {
		return result.AttackRun{Document: text.Name, Run: s.Run, Agent: r.AgentName, Problem: problem}
	}
	unplayed := result.AttackRun{Document: text.Name, Run: s.Run, Agent: r.AgentName, ID: doc.Attack.ID, Name: doc.Attack.Name}
	switch {
	case ctx.Err() != nil:
		unplayed.Problem = "it was not played: the run was interrupted"
	case r.Agent == nil && r.AGUI == "" && HasServer(doc):
		unplayed.Problem = "it needs an agent: see --agent"
	default:
		return r.Play(ctx, doc, text.Name, s)
	}
	return unplayed
}

// noAttacker is why a document is not played if a server to attack is named.
const noAttacker = "a server to attack is named, and the document has no actor that attacks one (mcp_client): its own servers attack an agent, see --agent and --listen"

// attacksServer reports whether an actor is a client of the server under attack, or a server in front of it.
func attacksServer(doc *oatf.Document) bool {
	return slices.ContainsFunc(doc.Attack.Execution.Actors, func(a oatf.Actor) bool {
		return a.Mode == "mcp_client" || slices.ContainsFunc(a.Phases, func(p oatf.Phase) bool { return p.State.Get("x-gauntlet-overlay").Exists() })
	})
}

// HasServer reports whether an actor is a server, so that an agent is needed.
func HasServer(doc *oatf.Document) bool {
	return delivery.Files(doc) != nil || slices.ContainsFunc(doc.Attack.Execution.Actors, func(a oatf.Actor) bool { return oatf.IsServer(a.Mode) })
}

// TraceName returns the trace file of the n-th run: in the folder, named after the document, with a unique number.
func TraceName(folder string, n int, document string) string {
	if folder == "" {
		return ""
	}
	name := filepath.Base(document)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return filepath.Join(folder, fmt.Sprintf("%03d-%s.ndjson", n+1, name))
}

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
