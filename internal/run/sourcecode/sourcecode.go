// Package sourcecode reads one server's sources and determines what its tools reach. Nothing is executed.
package sourcecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/source"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/userfile"
	"gauntlet/sink"
)

// Analysed is the result of analysing one server's sources.
type Analysed struct {
	Sources  *sink.Sources
	Files    map[string][]byte // what was read, by path below the directory
	Tied     int               // listed tools that have a handler
	Problems []finding.Problem
	Err      error // why the sources show nothing about the tools
}

// Analyse analyses the sources below dir for the server with these tools. An error means that it was interrupted.
func Analyse(ctx context.Context, dir string, tools []string) (*Analysed, error) {
	files, others, problems, err := readTree(ctx, dir, source.Reads, treeLimits{})
	if err != nil {
		if ctx.Err() != nil {
			return nil, interrupt.Err
		}
		return &Analysed{Err: err}, nil
	}
	a, err := interrupt.Do(ctx, func() *Analysed {
		s, more, err := source.Analyse(files, tools, func() bool { return ctx.Err() != nil })
		return &Analysed{Sources: s, Problems: more, Err: err}
	})
	if err != nil {
		return nil, err
	}
	a.Files = map[string][]byte{}
	for _, f := range files {
		a.Files[f.Path] = f.Text
	}
	a.Problems = slices.Concat(problems, a.Problems, notRead(others, a.Sources.Handlers))
	for i := range a.Problems {
		a.Problems[i].Location.File = path.Join(dir, a.Problems[i].Location.File)
	}
	handlers := a.Sources.ByTool()
	for _, name := range tools {
		if handlers[name] != nil {
			a.Tied++
		}
	}
	if a.Err == nil && a.Tied == 0 && len(tools) > 0 {
		a.Err = fmt.Errorf("the sources hold %s, and the server lists none of these tools", excerpt.Count(len(handlers), "handler"))
	}
	return a, nil
}

// Text returns a file of the sources, by its path below the directory.
func (a *Analysed) Text(file string) []byte { return a.Files[file] }

// longestHandler bounds the quoted source of a handler, in bytes.
const longestHandler = 8_000

// HandlerText returns the source from the beginning of a tool's handler, "" if it has none; text returns a source file.
func HandlerText(s *sink.Sources, text func(file string) []byte, tool string) string {
	h := s.Handler(tool)
	if h == nil {
		return ""
	}
	all := text(h.At.File)
	start := min(max(h.At.Start, 0), len(all))
	end := min(max(h.At.End, start+longestHandler/2), start+longestHandler, len(all))
	return string(all[start:end])
}

// Failed returns the problem of an unreadable file or directory.
func Failed(file string, err error) finding.Problem {
	p := finding.Problem{Kind: finding.Failed, Message: userfile.Reason(err).Error(), Location: finding.Location{File: file}}
	var e *catalog.Error
	if errors.As(err, &e) {
		p.Message, p.Location.Line, p.Location.Column = e.Msg, e.Line, e.Column
	}
	return p
}

// Snapshot returns a snapshot of a source's definitions, marked as extracted. Unknown parts are omitted; an unknown schema accepts
// any object.
func Snapshot(definitions []sink.Definition) string {
	type tool struct {
		Name        string          `json:"name"`
		Title       string          `json:"title,omitempty"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
	}
	var s struct {
		Server struct {
			Method string `json:"method"`
		} `json:"server"`
		Tools []tool `json:"tools"`
	}
	s.Server.Method = "extracted"
	s.Tools = make([]tool, 0, len(definitions))
	for _, d := range definitions {
		t := tool{Name: d.Tool, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema, Annotations: d.Annotations}
		if t.InputSchema == nil {
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		s.Tools = append(s.Tools, t)
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		panic(err) // cannot fail: this program wrote each schema
	}
	return string(text)
}
