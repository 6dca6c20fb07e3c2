package suiterun

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/suite"
)

// A stepResult is the result of one step.
type stepResult struct {
	Step   *suite.Step
	Result string // as JSON; or ""
	Err    error  // why there is none, including a server's refusal
}

// A stepRunner makes the calls of steps, each with the session of its server.
type stepRunner struct {
	open     func(name string) (wire.Conn, error) // starts a server or connects to it
	options  mcpclient.Options
	conns    []wire.Conn
	sessions map[string]*mcpclient.Session
	values   map[string]string // results by the names steps gave them
}

// runSteps makes the calls in order. It stops at the first that cannot be made: later ones would not be the intended calls. A
// refused call or an error result is a result like any other. Where lists are wanted, those of every server used are read too.
func (d *stepRunner) runSteps(ctx context.Context, steps []suite.Step, wantsLists bool) (results []stepResult, lists map[string]*mcpclient.Snapshot) {
	d.sessions, d.values, lists = map[string]*mcpclient.Session{}, map[string]string{}, map[string]*mcpclient.Snapshot{}
	defer d.closeConns()
	for i := range steps {
		s := &steps[i]
		text, err := d.runStep(ctx, s)
		results = append(results, stepResult{s, text, err})
		if err != nil && !isRefusal(err) {
			break
		}
		if s.As != "" {
			d.values[s.As] = text
		}
	}
	if wantsLists {
		for name, session := range d.sessions {
			lists[name] = session.ReadSettled(ctx)
		}
	}
	return results, lists
}

func (d *stepRunner) closeConns() {
	for _, c := range d.conns {
		_ = c.Close() // the session is over either way
	}
}

func (d *stepRunner) runStep(ctx context.Context, s *suite.Step) (string, error) {
	session, err := d.sessionWith(ctx, s.Server)
	if err != nil {
		return "", err
	}
	args, err := d.expandArguments(s)
	if err != nil {
		return "", err
	}
	m, err := session.Call(ctx, mcp.ToolsCall, `{"name":`+rawjson.Quote(s.Tool)+`,"arguments":`+args+`}`)
	if err != nil {
		return "", err
	}
	return m.Result, nil
}

// sessionWith returns the session with a server, opening it if needed.
func (d *stepRunner) sessionWith(ctx context.Context, name string) (*mcpclient.Session, error) {
	if s := d.sessions[name]; s != nil {
		return s, nil
	}
	conn, err := d.open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be reached: %w", name, err)
	}
	d.conns = append(d.conns, conn)
	s, err := mcpclient.Open(ctx, conn, d.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.sessions[name] = s
	return s, nil
}

// expandArguments inserts values from earlier results.
func (d *stepRunner) expandArguments(s *suite.Step) (string, error) {
	if s.Arguments == "" {
		return "{}", nil
	}
	var tree rawjson.Tree
	if err := tree.Parse(s.Arguments, 0); err != nil {
		return "", err
	}
	captures := map[string]string{}
	for t := range tree.Root().Strings() {
		if t.IsKey {
			continue
		}
		template, err := match.ParseTemplate(t.Value.Text())
		if err != nil {
			return "", err
		}
		for _, ref := range template.References() {
			name := strings.TrimSpace(ref)
			value, err := d.resolveReference(name)
			if err != nil {
				return "", fmt.Errorf("{{%s}}: %w", ref, err)
			}
			captures[ref], captures[name] = value, value
		}
	}
	text, missing := match.ExpandValue(tree.Root(), match.Scope{Captures: captures})
	if len(missing) > 0 {
		return "", fmt.Errorf("{{%s}} means nothing", missing[0])
	}
	return text, nil
}

// resolveReference returns a reference's value: the text of a result, or what is at a path in it, with parts joined by dots and
// list positions as numbers.
func (d *stepRunner) resolveReference(ref string) (string, error) {
	name, path, deep := strings.Cut(ref, ".")
	result, ok := d.values[name]
	if !ok {
		return "", fmt.Errorf("no earlier step is called %q", name)
	}
	if result == "" {
		return "", fmt.Errorf("the step %q has no result", name)
	}
	var tree rawjson.Tree
	if err := tree.Parse(result, 0); err != nil {
		return "", err
	}
	if !deep {
		return Text(tree.Root()), nil
	}
	v := tree.Root()
	for part := range strings.SplitSeq(path, ".") {
		if n, err := strconv.Atoi(part); err == nil && v.Kind() == rawjson.Array {
			v = elementAt(v, n)
		} else {
			v = v.Get(part)
		}
	}
	switch v.Kind() {
	case rawjson.Absent:
		return "", fmt.Errorf("the result of %q has nothing there", name)
	case rawjson.String:
		return strings.Clone(v.Text()), nil
	}
	return v.Compact(), nil
}

func elementAt(v rawjson.Value, n int) rawjson.Value {
	for i, e := range v.Elements() {
		if i == n {
			return e
		}
	}
	return rawjson.Value{}
}

// Text returns a result's text blocks, one per line.
func Text(result rawjson.Value) string {
	var out []string
	for _, block := range result.Get("content").Elements() {
		if t := block.Get("text"); t.Kind() == rawjson.String {
			out = append(out, t.Text())
		}
	}
	return strings.Clone(strings.Join(out, "\n"))
}
