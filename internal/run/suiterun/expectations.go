package suiterun

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/suite"
	"gauntlet/trace"
)

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

// ofSteps returns the calls an expectation is about.
func ofSteps(calls []recordedCall, e *suite.Expect) []recordedCall {
	return slices.DeleteFunc(slices.Clone(calls), func(c recordedCall) bool { return c.Server+"."+c.Tool != e.Call })
}

// mostQuoted bounds the bytes of a stranger's text in a message.
const mostQuoted = 200
