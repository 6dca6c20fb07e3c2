package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"gauntlet/internal/testing/scriptedmodel"
)

// screens are commands that print a report, and the world they do it in is the one of the documents' commands. A clean report has
// fewer than eight lines, and a bad one fewer than forty, its worst on the last screen of 80 columns and 24 rows.
var screens = []struct {
	name, command string
	clean         bool
	worst         string // how the worst that it says begins; "" where it has none
}{
	{name: "scan-clean", command: "scan examples/honest.json", clean: true},
	{name: "scan-poisoned", command: "scan examples/poisoned.json", worst: "HIGH"},
	{name: "scan-several", command: "scan examples/honest.json examples/poisoned.json examples/multi-server.json", worst: "HIGH"},
	{name: "scan-configuration", command: "scan --no-launch mcp.json"},
	{name: "scan-recording", command: "scan --trace shown.ndjson"},
	{name: "scan-unread", command: "scan examples/honest.json no-such-file.json"},
	{name: "classify", command: "classify examples/poisoned.json"},
	{name: "diff", command: "diff examples/baseline.json examples/current.json"},
	{name: "diff-same", command: "diff examples/current.json examples/current.json", clean: true},
	{name: "lock", command: "lock examples/baseline.json"},
	{name: "attack-authorization", command: "attack authorization --client builtin:careless issuer-mix-up"},
	{name: "lock-check", command: "lock --check examples/current.json"},
	{name: "test", command: "test suite.yaml"},
	{name: "attack-run-victim", command: "attack run --agent builtin:victim --agent-idle 1ms tool-poisoning result-injection"},
	{name: "attack-run-resister", command: "attack run --agent builtin:resister --agent-idle 1ms tool-poisoning"},
	{name: "attack-judge", command: "attack judge --trace shown.ndjson attack.yaml"},
	{name: "attack-replay", command: "attack replay --trace shown.ndjson attack.yaml"},
	{name: "attack-validate", command: "attack validate attack.yaml another.yaml"},
	{name: "redteam", command: "redteam --model gpt-victim --model gpt-resister --model-url MODELS/v1 --agent-idle 1ms --runs 2 tool-poisoning result-injection"},
	{name: "redteam-assess", command: "redteam assess shown.ndjson"},
	{name: "trace-show", command: "trace show shown.ndjson"},
	{name: "vet", command: "vet examples"},
}

// What each command prints is looked at by people: piped, and on terminals of three widths.
func TestScreens(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every command that prints a report")
	}
	models := scriptedmodel.Start()
	t.Cleanup(models.Close)
	var recorded map[string]string
	t.Run("recordings", func(t *testing.T) { recorded = recordDocumented(t) })
	goldens, err := filepath.Abs("testdata/screens")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			w := newDocumentedWorld(t, recorded)
			got := &txtar.Archive{Comment: []byte("$ gauntlet " + s.command + "\n")}
			args := strings.Fields(strings.ReplaceAll(s.command, "MODELS", models.URL))
			for _, columns := range []int{0, 80, 100, 200} {
				code, out := w.screen(t, args, columns)
				name := "piped"
				if columns > 0 {
					name = fmt.Sprintf("%d columns", columns)
				}
				mustFitTheWidth(t, out, columns)
				if columns == 80 {
					mustFitTheScreen(t, out, s.clean, s.worst)
				}
				got.Files = append(got.Files, txtar.File{Name: fmt.Sprintf("%s, exit code %d", name, code), Data: []byte(out)})
			}
			file := filepath.Join(goldens, s.name+".txtar")
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if g := txtar.Format(got); !bytes.Equal(g, want) {
				t.Errorf("it prints\n%s\nwant\n%s\n(go test ./internal/cli -run TestScreens -update)", g, want)
			}
		})
	}
}

// TestPagesOfCommandsForAValidator writes the page of each command that prints a report where a validator is to read them. An ordinary page has less than 400 kB.
func TestPagesOfCommandsForAValidator(t *testing.T) {
	dir := os.Getenv("GAUNTLET_PAGES")
	if dir == "" {
		t.Skip("GAUNTLET_PAGES names no folder for pages")
	}
	models := scriptedmodel.Start()
	t.Cleanup(models.Close)
	var recorded map[string]string
	t.Run("recordings", func(t *testing.T) { recorded = recordDocumented(t) })
	for _, s := range screens {
		if s.name == "trace-show" || s.name == "lock" { // view shows a trace; a lockfile is no report
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			w := newDocumentedWorld(t, recorded)
			file := filepath.Join(dir, "command-"+s.name+".html")
			args := append(strings.Fields(strings.ReplaceAll(s.command, "MODELS", models.URL)), "--format", "html")
			_, page := w.screen(t, args, 0)
			if !strings.HasPrefix(page, "<!") {
				t.Fatalf("no page: %s", page)
			}
			if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
				t.Fatal(err)
			}
			if len(page) >= 400_000 {
				t.Errorf("the page has %d bytes", len(page))
			}
		})
	}
}

// mustFitTheWidth fails where a line is longer than the terminal. A command to copy is left whole.
func mustFitTheWidth(t *testing.T, page string, columns int) {
	t.Helper()
	for line := range strings.Lines(colour.ReplaceAllString(page, "")) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); columns > 0 && n > columns && !strings.HasPrefix(line, "Next: ") {
			t.Errorf("on %d columns a line has %d: %s", columns, n, line)
		}
	}
}

// colour is what changes the colour of a terminal.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// mustFitTheScreen fails where a page is longer than promised, or where its worst line has scrolled away. Behind the page stands the prompt of the shell.
func mustFitTheScreen(t *testing.T, page string, clean bool, worst string) {
	t.Helper()
	const rows = 24
	lines := strings.Split(strings.TrimSuffix(page, "\n"), "\n")
	if clean && len(lines) >= 8 {
		t.Errorf("a clean report has %d lines", len(lines))
	}
	if worst == "" {
		return
	}
	if len(lines) >= 40 {
		t.Errorf("the report has %d lines", len(lines))
	}
	if at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, worst) }); at < len(lines)-(rows-1) {
		t.Errorf("line %d of %d begins with %q: it has scrolled away", at+1, len(lines), worst)
	}
}

// screen runs one command with a standard output of so many columns, 0 for a pipe, and returns what it prints there with what changes
// from run to run and from machine to machine taken out.
func (w *documentedWorld) screen(t *testing.T, args []string, columns int) (int, string) {
	t.Helper()
	if args[0] == "lock" {
		w.relock(t, args)
	}
	var out, problems bytes.Buffer
	host := w.host(&out)
	host.Environ = slices.DeleteFunc(host.Environ, func(e string) bool { return e == "NO_COLOR=1" && columns == 0 })
	host.Stderr = &problems
	host.Columns, host.Rows = columns, min(columns, 24)
	code := Main(t.Context(), args, host)
	text := strings.ReplaceAll(out.String(), w.dir, "DIR")
	for _, m := range screenMasks {
		text = m.what.ReplaceAllString(text, m.with)
	}
	return code, text
}

// screenMasks take out of a page what another check in the catalog would change, or what changes from run to run.
var screenMasks = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`(?m)^Skipped .*`), "Skipped   (so many checks, and what they need)"},
	{regexp.MustCompile(`\(message \d+\)`), "(message N)"}, // of a run, in which a client listens whenever it gets to it
	{regexp.MustCompile(`\d+ checks ran`), "N checks ran"},
	{regexp.MustCompile(`(?m)^Posture .*`), "Posture   (of so many defences how many are seen)"},
}
