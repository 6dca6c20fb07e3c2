package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"gauntlet/catalog"
	"gauntlet/oatf"
	"gauntlet/policy"
	"gauntlet/scan"
	"gauntlet/suite"
)

// A codeBlock is one block of code of a document.
type codeBlock struct {
	line  int    // of its first line of code
	fence string // what stands behind the opening fence, "" for indented code
	lines []string
}

// codeBlocks returns the blocks of a Markdown document, fenced or indented by four columns or more. Empty
// lines do not end indented code.
func codeBlocks(text string) (out []codeBlock) {
	fenced, open := false, false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			if fenced = !fenced; fenced {
				out = append(out, codeBlock{line: i + 2, fence: strings.TrimPrefix(trimmed, "```")})
			}
			open = false
		case fenced:
			out[len(out)-1].lines = append(out[len(out)-1].lines, line)
		case strings.HasPrefix(line, "    "):
			if !open {
				out = append(out, codeBlock{line: i + 1})
			}
			open = true
			out[len(out)-1].lines = append(out[len(out)-1].lines, line)
		default:
			open = open && trimmed == ""
		}
	}
	return out
}

// noSamples are pages whose code is no sample of what gauntlet prints or reads: diagrams, and steps of those who change it.
var noSamples = []string{"architecture.md", "CONTRIBUTING.md"}

// shellLine is how a line of commands begins: with a program that pages use, an assignment or a comment.
var shellLine = regexp.MustCompile(`^(?:- run: )?(?:\$ )?(?:[A-Z_]+=\S* )*(?:(?:gauntlet|gauntlet-fleet|\./gauntlet|go|git|npm|npx|node|cat|cmp|curl|jq|docker|gh|goreleaser|sha256sum|tar|kill|alias|mcp)(?: |$)|[a-z]+=|#)`)

// A page without a test of its samples fails: a block of code is a list of commands, which TestDocumentedCommandsRun runs, a
// console block, which TestConsoleBlocks compares, lines of a file of the project, or a text in a language whose reader takes it.
func TestDocumentedSamples(t *testing.T) {
	blocks := 0
	for _, name := range documents(t) {
		if slices.Contains(noSamples, filepath.Base(name)) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range codeBlocks(string(text)) {
			blocks++
			if err := checkSample(b); err != nil {
				t.Errorf("%s:%d: %v", name, b.line, err)
			}
		}
	}
	if blocks < 100 {
		t.Errorf("%d blocks of code were found: the reader of this test no longer finds them", blocks)
	}
}

func checkSample(b codeBlock) error {
	text := strings.Join(b.lines, "\n")
	language, file, _ := strings.Cut(b.fence, " ")
	switch language {
	case "console":
		return nil
	case "", "sh":
		return checkCommands(b.lines)
	case "json":
		if strings.Contains(text, `"rule_id"`) {
			return isFinding(text)
		}
		return eachJSON(text)
	case "yaml":
		return checkYAML(text)
	case "go":
		return checkGo(text)
	case "python": // TestDocumentedPython runs them
		return nil
	case "text":
		return standsIn(file, b.lines)
	}
	return errors.New("no test knows samples in " + b.fence)
}

func checkCommands(lines []string) error {
	joined := false
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line != "" && !joined && !shellLine.MatchString(line) {
			return errors.New("neither a command nor a sample that a test compares: " + line)
		}
		joined = strings.HasSuffix(line, `\`)
	}
	return nil
}

// eachJSON reads one value after the other.
func eachJSON(text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// isFinding reports whether all that a sample says of a finding is in the report of the example. "…" stands for anything.
func isFinding(text string) error {
	var sample any
	if err := json.Unmarshal([]byte(text), &sample); err != nil {
		return err
	}
	report, err := os.ReadFile(filepath.Join(repository, "examples", "poisoned.json"))
	if err != nil {
		return err
	}
	c, err := catalog.Parse("examples/poisoned.json", string(report), catalog.Limits{})
	if err != nil {
		return err
	}
	r := scan.Run(c, scan.Options{})
	r.MergeCauses()
	for _, f := range r.Findings {
		var finding any
		if text, err := json.Marshal(f); err != nil {
			return err
		} else if err := json.Unmarshal(text, &finding); err != nil {
			return err
		}
		if isPart(sample, finding) {
			return nil
		}
	}
	return errors.New("the example has no such finding")
}

// isPart reports whether a value has all that a sample shows: the members of objects, and the first items of lists.
func isPart(sample, value any) bool {
	switch s := sample.(type) {
	case map[string]any:
		v, _ := value.(map[string]any)
		for name, part := range s {
			if whole, ok := v[name]; !ok || !isPart(part, whole) {
				return false
			}
		}
		return true
	case []any:
		v, _ := value.([]any)
		for i, part := range s {
			if i >= len(v) || !isPart(part, v[i]) {
				return false
			}
		}
		return true
	case string:
		v, ok := value.(string)
		return ok && matchesOutput([]string{s}, v+"\n")
	}
	return sample == value
}

// checkYAML reads attack documents, suites and suppressions as the program does, and anything else as YAML.
func checkYAML(text string) error {
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	m, _ := v.(map[string]any)
	switch {
	case m["oatf"] != nil:
		_, _, err := oatf.Load(text)
		return err
	case m["servers"] != nil || m["security"] != nil:
		if _, problems := suite.Parse("sample", text); problems != nil {
			return fmt.Errorf("%+v", problems[0])
		}
	case m["suppressions"] != nil:
		if _, problems := policy.Parse("sample", text); problems != nil {
			return errors.New(problems[0].Message)
		}
	}
	return nil
}

// checkGo parses a file, or statements.
func checkGo(text string) error {
	if !strings.Contains("\n"+text, "\npackage ") {
		text = "package p\nfunc _() {\n" + text + "\n}"
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	return err
}

// standsIn reports lines that are not in a file of the project.
func standsIn(file string, lines []string) error {
	text, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	for _, line := range lines {
		if line = strings.TrimSpace(line); !strings.Contains(string(text), line) {
			return errors.New(file + " has no line " + line)
		}
	}
	return nil
}

func TestCheckSample(t *testing.T) {
	for _, tt := range []struct {
		fence, text string
		ok          bool
	}{
		{"", "    gauntlet scan a.json\n    cat a | jq .", true},
		{"", "    gauntlet scan a.json\n\n    HIGH  SEC-003  add", false},
		{"", "    gauntlet scan \\\n      a.json", true},
		{"json", `{"a": 1}` + "\n" + `{"b": 2}`, true},
		{"json", `{"a": 1,}`, false},
		{"json", `{"rule_id": "SEC-003", "location": {"line": 33}, "also": ["…7"]}`, true},
		{"json", `{"rule_id": "SEC-003", "location": {"line": 1}}`, false},
		{"yaml", "a: [1", false},
		{"yaml", "oatf: \"0.1\"\nattack: {}", false},
		{"yaml", "suppressions: [{rule: SEC-003}]", false},
		{"yaml", "security: {trust_boundary: {allowed_flow: []}}", false},
		{"go", "f(1)", true},
		{"go", "f(1", false},
		{"text go.mod", "module gauntlet", true},
		{"text go.mod", "module cudgel", false},
		{"", "a table of figures", false},
		{"xml", "<a/>", false},
	} {
		if err := checkSample(codeBlock{fence: tt.fence, lines: strings.Split(tt.text, "\n")}); (err == nil) != tt.ok {
			t.Errorf("%s %q: %v", tt.fence, tt.text, err)
		}
	}
}

// The program of docs/architecture.md is the one that README begins with.
func TestLibrarySample(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join(repository, "examples", "first", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range codeBlocks(string(page)) {
		if b.fence == "go" && strings.Contains(string(program), strings.Join(b.lines, "\n")) {
			return
		}
	}
	t.Error("docs/architecture.md does not show examples/first/main.go")
}

// Programs in Python that pages show run over a report of the example.
func TestDocumentedPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python")
	}
	name := filepath.Join(repository, "docs", "report.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	w := newDocumentedWorld(t, nil)
	if code, out := w.run(t, []string{"scan", "-q", "--format", "json", "--output", "report.json", "examples/poisoned.json"}); code > 1 {
		t.Fatal(out)
	}
	for _, b := range codeBlocks(string(page)) {
		if b.fence != "python" {
			continue
		}
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), python, "-c", strings.Join(b.lines, "\n"))
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Errorf("%s:%d: %v\n%s", name, b.line, err, out.String())
		}
	}
}
