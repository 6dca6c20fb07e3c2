package source

import (
	"errors"
	"testing"

	"gauntlet/sink"
)

const goServer = `package main
import (
	"os"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)
func main() { mcp.AddTool(nil, &mcp.Tool{Name: "both"}, func(p string) { os.Remove(p) }) }
`

const pyServer = `from mcp.server.fastmcp import FastMCP
m = FastMCP("x")
@m.tool()
def both(p):
    return open(p).read()
`

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []sink.File
		want  error
	}{
		{"nothing to read", nil, ErrNoSources},
		{"no language of ours", []sink.File{{Path: "a.rb", Text: []byte("puts 1")}}, ErrNoSources},
		{"names of packages alone", []sink.File{{Path: "package.json", Text: []byte("{}")}, {Path: "go.mod", Text: []byte("module x")}}, ErrNoSources},
		{"sources without a handler", []sink.File{{Path: "a.go", Text: []byte("package a")}}, ErrNoHandlers},
		{"a handler", []sink.File{{Path: "a.go", Text: []byte(goServer)}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, err := Analyse(tt.files, nil, nil)
			if !errors.Is(err, tt.want) || s == nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestOneToolInTwoLanguages(t *testing.T) {
	s, _, err := Analyse([]sink.File{{Path: "a.py", Text: []byte(pyServer)}, {Path: "b.go", Text: []byte(goServer)}}, []string{"both", "unseen"}, nil)
	if err != nil || len(s.Handlers) != 1 {
		t.Fatalf("got %d handlers, %v", len(s.Handlers), err)
	}
	tags := map[string]bool{}
	for _, c := range s.Handlers[0].Calls {
		tags[string(c.Tag)] = true
	}
	if !tags["fs_read"] || !tags["fs_write"] {
		t.Errorf("which of the two runs is not known, so both count: got %v", tags)
	}
	if m := s.Missing(); len(m) != 1 || m[0] != "unseen" {
		t.Errorf("missing %v, want unseen", m)
	}
}

func TestOneFileThatCannotBeReadDoesNotSinkTheRest(t *testing.T) {
	s, problems, err := Analyse([]sink.File{{Path: "a.go", Text: []byte(goServer)}, {Path: "b.go", Text: []byte("\x00")}}, nil, nil)
	if err != nil || len(s.Handlers) != 1 || len(problems) != 1 || problems[0].Location.File != "b.go" {
		t.Errorf("got %v, %v, %v", s.Handlers, problems, err)
	}
}

func TestWhatBreaksInOneLanguageIsAProblem(t *testing.T) {
	breaks := language{"Ruby", nil, func([]sink.File, []string, func() bool) (*sink.Sources, map[int]error) { panic("no such thing") }}
	if _, _, failed := attempt(breaks, nil, nil, nil); failed != "no such thing" {
		t.Errorf("got %q", failed)
	}
}
