package suiterun

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/suite"
	"gauntlet/trace"
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

// checkExpectations returns how a result differs from what was expected, or "". refused is why there is no result.
func checkExpectations(e *suite.Expect, result string, refused error) string {
	if refused != nil {
		if e.Error != nil && *e.Error && isRefusal(refused) {
			return checkText(e, refused.Error())
		}
		return "there is no result: " + refused.Error()
	}
	var tree rawjson.Tree
	if err := tree.Parse(result, 0); err != nil {
		return "the result cannot be read: " + err.Error()
	}
	root := tree.Root()
	failed, _ := root.Get("isError").Bool()
	switch {
	case e.Error != nil && *e.Error && !failed:
		return "the result is no error"
	case e.Error != nil && !*e.Error && failed:
		return "the result is an error: " + excerpt.Clip(Text(root), mostQuoted)
	}
	if why := checkText(e, allText(root)); why != "" {
		return why
	}
	if e.Equals != "" {
		return checkEquals(e, root)
	}
	return ""
}

// isRefusal distinguishes a server's refusal from a missing answer.
func isRefusal(err error) bool {
	var refused *wire.AnswerError
	return errors.As(err, &refused)
}

func checkText(e *suite.Expect, text string) string {
	for _, want := range e.Contains {
		if !strings.Contains(text, want) {
			return fmt.Sprintf("%q does not stand in %q", want, excerpt.Clip(text, mostQuoted))
		}
	}
	for _, lack := range e.Lacks {
		if strings.Contains(text, lack) {
			return fmt.Sprintf("%q stands in %q", lack, excerpt.Clip(text, mostQuoted))
		}
	}
	if e.Matches != "" {
		re, err := regexp.Compile(e.Matches)
		if err != nil {
			return err.Error() // the suite was rejected before
		}
		if !re.MatchString(text) {
			return fmt.Sprintf("%q does not match %s", excerpt.Clip(text, mostQuoted), e.Matches)
		}
	}
	return ""
}

// allText returns every string of a result, one per line, except the protocol's words for block types.
func allText(v rawjson.Value) string {
	var out []string
	for t := range v.Strings() {
		if key := t.Value.Key(); !t.IsKey && !(key.Exists() && (key.Is("type") || key.Is("mimeType"))) {
			out = append(out, t.Value.Text())
		}
	}
	return strings.Join(out, "\n")
}

func checkEquals(e *suite.Expect, root rawjson.Value) string {
	var want rawjson.Tree
	if err := want.Parse(e.Equals, 0); err != nil {
		return err.Error() // the suite was rejected before
	}
	for v := range root.All() {
		if v.Pointer() == e.At {
			if rawjson.Equal(v, want.Root()) {
				return ""
			}
			return fmt.Sprintf("at %q is %s, want %s", e.At, excerpt.Clip(v.Compact(), mostQuoted), excerpt.Clip(e.Equals, mostQuoted))
		}
	}
	return fmt.Sprintf("nothing stands at %q", e.At)
}

// A recordedCall is a tools/call in a trace with its answer.
type recordedCall struct {
	Server, Tool string
	Result       string
	Err          error // the server's refusal, or that there was no answer
}

// callsIn returns a trace's tools/call requests in order.
func callsIn(t *trace.Trace) []recordedCall {
	var out []recordedCall
	at := map[int]int{} // index in out, by the request's number
	var tree rawjson.Tree
	for i := range t.Messages {
		m := &t.Messages[i]
		switch {
		case m.Method != mcp.ToolsCall:
		case m.Kind == trace.Request:
			params, err := m.Content(&tree)
			if err != nil {
				continue
			}
			at[m.Seq] = len(out)
			out = append(out, recordedCall{Server: m.Server, Tool: strings.Clone(params.Get("name").Text()), Err: errUnanswered})
		case m.Kind.Answer():
			n, ok := at[m.ReplyTo]
			if !ok {
				continue
			}
			content, err := m.Content(&tree)
			if err != nil {
				continue
			}
			if m.Kind == trace.Error {
				out[n].Err = &wire.AnswerError{Method: m.Method, Message: content.Get("message").Text()}
				continue
			}
			out[n].Result, out[n].Err = content.Raw(), nil
		}
	}
	return out
}

var errUnanswered = errors.New("it was not answered")

func ofSteps(calls []recordedCall, e *suite.Expect) []recordedCall {
	return slices.DeleteFunc(slices.Clone(calls), func(c recordedCall) bool { return c.Server+"."+c.Tool != e.Call })
}

// mostQuoted bounds the bytes of a stranger's text in a message.
const mostQuoted = 200
