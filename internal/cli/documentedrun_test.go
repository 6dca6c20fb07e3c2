package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/runtime/sandbox"
)

// notRun are the commands of the documents, by page and how they begin, that a test cannot run, and why.
var notRun = []struct{ page, begins, why string }{
	{"", "vet npm:", "it asks a registry"},
	{"", "vet --depth source npm:", "it asks a registry"},
	{"", "vet --diff npm:", "it asks a registry"},
	{"", "login", "it opens a browser at an authorization server"},
	{"", "logout", "it ends what login began"},
	{"scanning.md", "scan https://mcp.example.com", "it uses what login began"},
	{"attacking.md", "attack run --listen 127.0.0.1:9101 --agui", "it needs an agent with a front end"},
	{"attacking.md", "attack run --agent ./agent.sh --agui", "it needs an agent with a front end"},
	{"attacking.md", "attack run --a2a", "it needs an agent that speaks A2A"},
	{"", "vet --config", "it asks a registry"},
	{"", "vet ./my-server", "it needs a package"},
	{"", "probe", "it needs a server that is real, and that the sandbox can start; testdata/script/probe.txtar has some"},
	{"", "scan --sandbox", "it needs a server that the sandbox can start; testdata/script/sandbox.txtar has some"},
	{"", "attack authorization -- my-client", "it needs a client that can log in"},
	{"ci.md", "lock --update --only", "it approves a change that nobody has made"},
}

// Every command of the documents is run, page by page, in a directory with the files and programs that the
// page speaks of. What it prints is not compared; a command that cannot do what the page promises ends with
// exit code 2 here, too.
func TestDocumentedCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every command of the documents")
	}
	if err := sandbox.Available(); err != nil {
		t.Skip("some pages need the sandbox: ", err)
	}
	var recorded map[string]string
	t.Run("recordings", func(t *testing.T) { recorded = recordDocumented(t) })
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var commands []codeLine
		for _, l := range codeLines(string(text)) {
			if _, ok := argumentsOf(l.text); ok && l.fence != "console" {
				commands = append(commands, l)
			}
		}
		if len(commands) > 0 {
			t.Run(filepath.Base(name), func(t *testing.T) { runDocumented(t, recorded, filepath.Base(name), commands) })
		}
	}
}

// runDocumented runs the commands of one page in their order.
func runDocumented(t *testing.T, recorded map[string]string, page string, commands []codeLine) {
	w := newDocumentedWorld(t, recorded)
	for _, l := range commands {
		args, _ := argumentsOf(l.text)
		if why := whyNotRun(page, strings.Join(args, " ")); why != "" {
			continue
		}
		if code, out := w.run(t, args); code > 1 {
			t.Errorf("line %d: %s: exit code %d\n%s", l.number, l.text, code, out)
		}
	}
}

func whyNotRun(page, command string) string {
	for _, n := range notRun {
		if (n.page == "" || n.page == page) && strings.HasPrefix(command, n.begins) {
			return n.why
		}
	}
	return ""
}

// A documentedWorld is where the commands of a page run: a directory with files, programs in front of
// PATH, and a server on this machine in place of the addresses that the pages name.
type documentedWorld struct{ dir, home, url string }

// documentedCopies are the files that pages speak of, and which files of the project stand there.
var documentedCopies = map[string][]string{
	"examples/honest.json": {
		"a.json", "approved.json", "mail.json", "notes.json", "snapshot.json", "first.json",
		"CORPUS_DIR/snapshots/desk.json", "CORPUS_DIR/snapshots/till.json",
	},
	"examples/multi-server.json":                   {"b.json"},
	"examples/poisoned.json":                       {"mcp/snapshot.json"},
	"examples/current.json":                        {"swapped.json"},
	"examples/trust-boundary/flagged.yaml":         {"suite.yaml"},
	"examples/trust-boundary/servers":              {"servers"},
	"attacks/tool-poisoning.yaml":                  {"attack.yaml", "attacks/poisoning.yaml", "slow.yaml", "scenarios/one.yaml"},
	"attacks/title-poisoning.yaml":                 {"another.yaml", "attacks/rug-pull.yaml"},
	"attacks/cursor-probe.yaml":                    {"probe.yaml"},
	"internal/cli/testdata/documented/served.json": {"served.json"},
	"internal/cli/testdata/documented/labels.yaml": {"CORPUS_DIR/labels/desk.yaml", "CORPUS_DIR/labels/till.yaml"},
	"internal/cli/testdata/documented/server.ts": {
		"src/index.ts", "DIR/index.ts", "DIR/desk/index.ts", "DIR/till/index.ts", "SOURCES/desk/index.ts", "SOURCES/till/index.ts", "desk/index.ts", "node_modules/till/index.ts", "node_modules/NAME/index.ts",
	},
	"internal/cli/testdata/documented/shown.ndjson":   {"shown.ndjson"},
	"internal/cli/testdata/documented/claude.log":     {"home/Library/Logs/Claude/mcp-server-files.log"},
	"internal/cli/testdata/documented/inspector.json": {"inspector-protocol-files-2026-03-01T10-00-00.000Z.json"},
}

func newDocumentedWorld(t *testing.T, recorded map[string]string) *documentedWorld {
	t.Helper()
	w := &documentedWorld{dir: t.TempDir()}
	w.home = filepath.Join(w.dir, "home")
	w.copy(t, "examples", "examples")
	w.write(t, "docs/README.md", "", 0o600)
	for from, tos := range documentedCopies {
		for _, to := range tos {
			w.copy(t, from, to)
		}
	}
	server := "exec gauntlet serve -q " + filepath.Join(w.dir, "served.json")
	agent := `exec mcpagent polite "$GAUNTLET_CONFIG"`
	for name, script := range map[string]string{
		"my-server": server, "bin/npx": server, "bin/node": server, "node_modules/.bin/NAME": server, "bin/my-client": "exit 0",
		"bin/my-agent": agent, "my-agent": agent, "agent.sh": agent,
		"bin/claude": `mcpagent polite "$GAUNTLET_CONFIG" >/dev/null; echo '{"type":"result","result":"Done."}'`,
	} {
		w.write(t, name, "#!/bin/sh\n"+script+"\n", 0o700)
	}
	w.write(t, "call.json", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, 0o600)
	w.write(t, "guard.yaml", "credentials: ask\n", 0o600)
	config := `{"mcpServers":{"files":{"command":"npx","args":["-y","some-mcp-server"]},"docs":{"command":"npx","args":["-y","docs-server"]}}}`
	for _, name := range []string{"mcp.json", ".mcp.json", "home/.cursor/mcp.json"} {
		w.write(t, name, config, 0o600)
	}
	w.write(t, ".vscode/mcp.json", strings.Replace(config, "mcpServers", "servers", 1), 0o600)
	for _, name := range []string{"gauntlet", "mcpagent"} { // by its name this program knows what it is
		if err := os.Symlink(os.Args[0], filepath.Join(w.dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(w.dir)
	t.Setenv("PATH", filepath.Join(w.dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	w.serve(t)
	for name, text := range recorded {
		w.write(t, name, text, 0o600)
	}
	return w
}

// recordDocumented returns the recordings and the report that pages begin with, by name.
func recordDocumented(t *testing.T) map[string]string {
	w := newDocumentedWorld(t, nil)
	for _, args := range [][]string{
		{"test", "-q", "--record", "flow.ndjson", "suite.yaml"},
		{"scan", "-q", "--format", "json", "--output", "report.json", "examples/poisoned.json"},
		{"attack", "run", "-q", "--agent", "builtin:victim", "--record", "run.ndjson", "attack.yaml"},
	} {
		if code, out := w.run(t, args); code > 1 {
			t.Fatalf("%q: exit code %d\n%s", args, code, out)
		}
	}
	recorded := map[string]string{}
	for _, name := range []string{"flow.ndjson", "report.json", "run.ndjson"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		recorded[name] = string(text)
	}
	return recorded
}

func (w *documentedWorld) copy(t *testing.T, from, to string) {
	t.Helper()
	from, to = filepath.Join(repository, from), filepath.Join(w.dir, to)
	if info, err := os.Stat(from); err != nil {
		t.Fatal(err)
	} else if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(w.dir, to)
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, rel, string(text), 0o600)
}

func (w *documentedWorld) copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, from))
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, to, string(text), 0o600)
}

func (w *documentedWorld) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	where := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(where), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(where, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// serve serves an honest snapshot over HTTP for as long as the test lasts.
func (w *documentedWorld) serve(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { // ends with ctx
		defer close(ended)
		var out bytes.Buffer
		Main(ctx, []string{"serve", "--transport", "http", "--listen", "127.0.0.1:0", "--address-file", "served.txt", "served.json"}, w.host(&out))
	}()
	t.Cleanup(func() { stop(); <-ended })
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for w.url == "" {
		select {
		case <-ended:
			t.Fatal("the server ended")
		case <-look.C:
			text, _ := os.ReadFile("served.txt")
			if line, whole := strings.CutSuffix(string(text), "\n"); whole {
				w.url = strings.TrimSuffix(line[strings.LastIndex(line, " ")+1:], "/mcp")
			}
		}
	}
}

func (w *documentedWorld) host(out io.Writer) Host {
	return Host{Stdin: strings.NewReader(""), Stdout: out, Stderr: out, Environ: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "NO_COLOR=1",
		"API_TOKEN=t", "TOKEN=t", "API_KEY=k", "GOCOVERDIR=" + w.home,
	}}
}

var (
	someFingerprint     = regexp.MustCompile(`^[0-9a-f]{32}$`)
	reportedFingerprint = regexp.MustCompile(`"fingerprint": ?"([0-9a-f]{32})"`)
)

// place is what stands in a test for an argument of a page.
func (w *documentedWorld) place(arg string) string {
	for _, host := range []string{"https://example.com", "https://a.example", "https://b.example"} {
		arg = strings.ReplaceAll(arg, host, w.url)
	}
	arg = strings.ReplaceAll(arg, "127.0.0.1:8000", "127.0.0.1:0")
	if rest, ok := strings.CutPrefix(arg, "~"); ok {
		return w.home + rest
	}
	if someFingerprint.MatchString(arg) || arg == "FINGERPRINT" {
		report, _ := os.ReadFile("report.json")
		if m := reportedFingerprint.FindSubmatch(report); m != nil {
			return string(m[1])
		}
	}
	return arg
}

// run runs one command and returns its exit code and what it says. A command that serves is ended as soon
// as it says where.
func (w *documentedWorld) run(t *testing.T, args []string) (int, string) {
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	serves := args[0] == "view" || slices.Contains(args, "--listen") || slices.Contains(args, "http")
	out := &servingOutput{serves: serves, stop: stop}
	var placed []string
	for _, a := range args {
		switch matches, _ := filepath.Glob(a); {
		case a == "&": // of the shell
		case strings.ContainsAny(a, "*") && len(matches) > 0:
			placed = append(placed, matches...)
		default:
			placed = append(placed, w.place(a))
		}
	}
	if args[0] == "scan" && slices.Contains(args, "run.ndjson") { // of the agent that the page had run before
		w.copyFile(t, "flow.ndjson", "run.ndjson")
	}
	if args[0] == "lock" || slices.Contains(args, "gauntlet.lock.json") {
		w.relock(t, args)
	}
	if (slices.Contains(args, "--discover") || slices.Contains(args, "--config") && args[0] != "gateway") && !slices.Contains(args, "--no-launch") {
		placed = slices.Insert(placed, 1, "--yes") // what a user answers on a terminal
	}
	if slices.Contains(args, "builtin:victim") || slices.Contains(args, "builtin:resister") {
		placed = slices.Insert(placed, 2, "--agent-idle", "1ms") // they wait for nothing
	}
	code := Main(ctx, placed, w.host(out))
	if out.serving {
		return 0, ""
	}
	return code, out.String()
}

// relock leaves no lock file to a command that makes one, and makes one for any other.
func (w *documentedWorld) relock(t *testing.T, args []string) {
	const name = "gauntlet.lock.json"
	makes := args[0] == "lock" && !slices.Contains(args, "--check") && !slices.Contains(args, "--update")
	if _, err := os.Stat(name); err == nil && makes {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	} else if err != nil && !makes {
		w.run(t, []string{"lock", "-q", "snapshot.json"})
	}
}

// A servingOutput keeps what a command says, and stops it as soon as it serves.
type servingOutput struct {
	mu              sync.Mutex
	text            strings.Builder
	serves, serving bool
	stop            func()
}

// servedAt is where a command says that it serves.
var servedAt = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)

func (o *servingOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if o.serves && servedAt.MatchString(o.text.String()) {
		o.serving = true
		o.stop()
	}
	return len(p), nil
}

func (o *servingOutput) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
