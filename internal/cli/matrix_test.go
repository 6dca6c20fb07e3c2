package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/leaf/planted"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/trace"
)

// envMatrix names a directory in which npm installed the clients of the matrix.
const envMatrix = "GAUNTLET_MATRIX"

var writeMatrix = flag.String("matrix", "", "write what TestMatrix measured to this file")

// matrixClients are the clients without a model that meet every attack on agents: their programs are
// in testdata/matrix.
var matrixClients = []struct{ name, short, kind, what string }{
	{"Go SDK", "go-sdk", "go", "official Go SDK, github.com/modelcontextprotocol/go-sdk v1.8.0"},
	{"mcp-go", "mcp-go", "go", "github.com/mark3labs/mcp-go v1.2.1, which shares no code with the SDKs"},
	{"TypeScript v1", "sdk", "node", "official TypeScript SDK, @modelcontextprotocol/sdk 1.32.2"},
	{"TypeScript v2", "client", "node", "official TypeScript client, @modelcontextprotocol/client 2.4.0"},
	{"AI SDK", "ai", "node", "@ai-sdk/mcp 2.0.99, which has a client of its own"},
}

// TestMatrix has real clients meet every built-in attack on agents. What it holds is that gauntlet
// comes through all of it, and that every client is seen to end; what each did is measured.
func TestMatrix(t *testing.T) {
	dir := os.Getenv(envMatrix)
	if dir == "" {
		t.Skipf("%s is not set: npm install @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 somewhere and name that directory", envMatrix)
	}
	program := filepath.Join(t.TempDir(), "clients")
	build := exec.Command("go", "build", "-C", "testdata/matrix/clients", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the Go clients cannot be built from here: %v\n%s", err, out)
	}
	script := filepath.Join(dir, "clients.mjs") // beside its modules
	text, err := os.ReadFile("testdata/matrix/clients.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, text, 0o600); err != nil {
		t.Fatal(err)
	}
	documents, _ := builtIn(t)
	names := commandNamesOf(t, documents, func(at *oatf.Attack) bool { // planted files need an agent
		return !slices.ContainsFunc(at.Extensions, func(x oatf.Extension) bool { return x.Name == planted.Key })
	})
	cells := map[string][]string{}
	for _, c := range matrixClients {
		agent := program + " " + c.short + " {config}"
		if c.kind == "node" {
			node, err := exec.LookPath("node")
			if err != nil {
				t.Skip("there is no node")
			}
			agent = node + " " + script + " " + c.short + " {config}"
		}
		runs := playAll(t, append([]string{"--agent", agent, "--agent-timeout", "60s", "--trace", t.TempDir()}, names...)...)
		if len(runs) != len(names) {
			t.Fatalf("%s: %d runs of %d attacks", c.name, len(runs), len(names))
		}
		for i, r := range runs {
			cells[names[i]] = append(cells[names[i]], matrixCell(t, &r))
			if strings.Contains(r.Problem, "trace") || slices.ContainsFunc(r.Notices, func(n result.Notice) bool { return n.Kind == "trace_incomplete" }) {
				t.Errorf("%s met %s: the trace is incomplete: %s", c.name, names[i], r.Problem)
			}
		}
	}
	if *writeMatrix != "" {
		if err := os.WriteFile(*writeMatrix, []byte(matrixPage(names, cells)), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// matrixCell says in a few words what a client did.
func matrixCell(t *testing.T, r *result.AttackRun) string {
	var did []string
	switch {
	case r.Verdict == nil:
		did = append(did, "no verdict")
	case r.Verdict.Outcome == "not_exposed":
		did = append(did, "not met")
	case r.Exploited():
		did = append(did, "**"+string(r.Verdict.Outcome)+"**")
	default:
		did = append(did, "met")
	}
	did = append(did, answeredTo(t, r.Trace)...)
	for _, w := range r.Wire {
		if word := w.Do + ": " + strings.ReplaceAll(w.Client, "_", " "); !slices.Contains(did, word) {
			did = append(did, word)
		}
	}
	for _, n := range r.Notices {
		if n.Kind == "ended" && strings.Contains(n.Message, "still running") {
			did = append(did, "hung")
		}
		if words, ok := strings.CutPrefix(n.Message, "the agent wrote to standard error: "); ok && n.Kind == "agent" {
			line, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
			what, _, _ := strings.Cut(line, ":")
			if strings.Trim(what, "abcdefghijklmnopqrstuvwxyz/") != "" {
				what = "the end" // the words were cut, or are the client's own
			}
			did = append(did, "an error at "+what)
		}
	}
	return strings.Join(did, ", ")
}

// answeredTo says which questions of servers a client answered, and how.
func answeredTo(t *testing.T, file string) (out []string) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	recorded, err := trace.Read(f, trace.Limits{})
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return nil
	}
	say := func(word string) {
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	for _, m := range recorded.Messages {
		if m.Direction != trace.ToServer {
			continue
		}
		asked := m.Method
		if m.Kind == trace.Request && strings.Contains(m.Raw, `"inputResponses"`) {
			asked, m.Kind = "input_required", trace.Response // 2026-07-28: the call comes again
		}
		word := map[string]string{
			"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots", "input_required": "input_required",
		}[asked]
		switch {
		case word == "":
		case m.Kind == trace.Response:
			say("answered " + word)
		case m.Kind == trace.Error:
			say("refused " + word)
		}
	}
	return out
}

// matrixPage is docs/matrix.md.
func matrixPage(names []string, cells map[string][]string) string {
	var b strings.Builder
	b.WriteString(`# Clients and attacks

What MCP clients do when they meet the [built-in attacks](attacking.md). This page is written by a test from runs:

    npm install --prefix DIR @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99
    GAUNTLET_MATRIX=DIR go test ./internal/cli -run '^TestMatrix$' -matrix ../../docs/matrix.md

| column | client |
|---|---|
`)
	for _, c := range matrixClients {
		fmt.Fprintf(&b, "| %s | %s |\n", c.name, c.what)
	}
	b.WriteString(`
There is no model: each client connects over Streamable HTTP in the revision that it prefers, lists everything, calls every tool
three times with made-up arguments, gets every prompt, reads every resource, says yes to what it is asked, waits 2.5 seconds for
lists to change and lists the tools again. So the matrix shows what a client lets through to the model behind it, and what it does when
messages are broken; whether a model obeys is what ` + "`gauntlet attack run --agent`" + ` is for.

| word | |
|---|---|
| met | what carries the attack reached the client, and nothing in the client stopped it |
| not met | the attack did not get that far with this client |
| **exploited**, **partial** | what the client did by itself fulfils indicators: made-up calls of every tool are enough for some, an answer to the server for others |
| answered, refused | what the client did about a question of the server's |
| *rule*: went on, closed, hung, crashed… | what it did about [x-gauntlet-wire](attack-tests.md#faults-on-the-wire) |
| an error at… | the first request that failed at the client, or had no answer after five seconds; *the end* where its words do not say which |

`)
	b.WriteString("| attack |")
	for _, c := range matrixClients {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(matrixClients)) + "\n")
	for _, name := range names {
		b.WriteString("| " + name + " | " + strings.Join(cells[name], " | ") + " |\n")
	}
	return b.String()
}
