package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

const (
	// maxRounds bounds how often one call is repeated with answers to the server's questions, and maxInputs the questions of one
	// round.
	maxRounds = 10
	maxInputs = 100
)

// An InputError says that a server asks, before answering a call, for something this client does not provide.
type InputError struct {
	Method string // of the call
	Wants  string // the requested method, "" if malformed
	Msg    string
}

func (e *InputError) Error() string {
	return fmt.Sprintf("the server wants input before it answers %s: %s", e.Method, e.Msg)
}

// Call sends tools/call, prompts/get, resources/read or any other request. params is a JSON object without the members that the
// stateless era adds.
//
// In that era, arguments that a tool's definition mirrors in headers are sent there too, if the latest Read holds the definition; a
// tool whose annotations break the rules is refused. A result that asks for input is answered by Options.Answer and the call
// repeated, with a new id and the server's state unchanged, at most ten times; otherwise the error is an *InputError. The returned
// result never asks for input.
func (s *Session) Call(ctx context.Context, method, params string) (wire.Message, error) {
	m, err := s.callResumed(ctx, method, params)
	return m, s.conv.redacted(err)
}

// CallVerbatim sends a request whose params may be any JSON text, even what breaks the protocol, such as an array. It returns
// whatever answer arrives.
func (s *Session) CallVerbatim(ctx context.Context, method, params string) (wire.Message, error) {
	m, err := s.conv.callInTime(ctx, method, params)
	return m, s.conv.redacted(err)
}

func (s *Session) callResumed(ctx context.Context, method, params string) (wire.Message, error) {
	if params == "" || params[0] != '{' {
		return wire.Message{}, fmt.Errorf("%s: the params are not a JSON object", method)
	}
	if method == mcp.ToolsCall {
		if err := s.mirror(params); err != nil {
			return wire.Message{}, err
		}
	}
	own := strings.TrimSpace(params[1 : len(params)-1])
	members := own
	for round := 0; ; round++ {
		m, err := s.conv.callInTime(ctx, method, s.conv.params(members))
		if err != nil || s.conv.meta == "" || m.Result[0] != '{' || rawjson.LastMember(m.Result, "resultType") != `"input_required"` {
			return m, err
		}
		if round == maxRounds {
			return m, &InputError{Method: method, Msg: fmt.Sprintf("it still does after %d rounds", maxRounds)}
		}
		answers, err := s.conv.answerInputs(method, m.Result)
		if err != nil {
			return m, err
		}
		// The answers belong to this one retry: nothing of an earlier round is repeated.
		members = strings.TrimPrefix(own+","+answers, ",")
	}
}

// Notify sends a notification. params is a JSON object.
func (s *Session) Notify(ctx context.Context, method, params string) error {
	return s.conv.redacted(s.conv.client.Notify(ctx, method, params))
}

// Err returns why the session is unusable, or nil.
func (s *Session) Err() error { return s.conv.redacted(s.conv.client.Err()) }

// answerInputs returns the members of a retry: answers to what the result asks for, and its state.
func (c *conversation) answerInputs(method, result string) (string, error) {
	var parts []string
	asked, state := rawjson.LastMember(result, "inputRequests"), rawjson.LastMember(result, "requestState")
	switch {
	case asked == "" && state == "":
		return "", &InputError{Method: method, Msg: "but says neither what nor for which state"}
	case asked != "" && asked[0] != '{':
		return "", &InputError{Method: method, Msg: "but inputRequests is not an object"}
	case asked != "":
		answers, err := c.responses(method, asked)
		if err != nil {
			return "", err
		}
		parts = append(parts, `"inputResponses":{`+answers+`}`)
	}
	if state != "" {
		parts = append(parts, `"requestState":`+state) // the raw token, byte for byte
	}
	return strings.Join(parts, ","), nil
}

func (c *conversation) responses(method, asked string) (string, error) {
	var answers []string
	for m := range rawjson.Read(asked).Members() {
		wants := cmp.Or(m.Value.Get("method").Text(), m.Value.Get("method").Raw())
		result, ok := c.answerServer(wants, m.Value.Get("params").Raw())
		switch {
		case !ok:
			return "", &InputError{Method: method, Wants: wants, Msg: fmt.Sprintf("%s, which this client does not offer", c.quoteRedacted(wants))}
		case len(answers) == maxInputs:
			return "", &InputError{Method: method, Msg: fmt.Sprintf("more than %d at once", maxInputs)}
		}
		answers = append(answers, m.Key.Raw()+":"+result)
	}
	return strings.Join(answers, ","), nil
}

// answerServer answers a request of the server if the capability for it was claimed.
func (c *conversation) answerServer(method, params string) (string, bool) {
	capability := mcp.ClientCapability(method)
	claimed := capability != "" && rawjson.LastMember(c.opt.Capabilities, capability) != ""
	if c.opt.Answer == nil || !claimed && !c.opt.Unclaimed {
		return "", false
	}
	return c.opt.Answer(method, params)
}

// CallTexts makes a request of tools/call, resources/read or prompts/get and returns what a host shows a model of the answer. An error
// that the server answers is such a text, too; without texts there was no answer. failed includes isError.
func (s *Session) CallTexts(ctx context.Context, method, params string) (texts []string, failed bool, err error) {
	m, err := s.Call(ctx, method, params)
	var refused *wire.AnswerError
	switch {
	case errors.As(err, &refused):
		return []string{refused.Message}, true, fmt.Errorf("error %d", refused.Code)
	case err != nil:
		return nil, true, err
	}
	texts, failed = resultTexts(m.Result)
	return texts, failed, nil
}

// resultTexts returns the texts of a result's content, then its structured content as JSON, or else the whole of it. failed is isError.
func resultTexts(result string) (texts []string, failed bool) {
	root := rawjson.Read(result)
	if !root.Exists() {
		return []string{strings.Clone(result)}, false
	}
	for _, list := range [...]string{"content", "contents", "messages"} {
		texts = append(texts, ContentTexts(root.Get(list))...)
	}
	if v := root.Get("structuredContent"); v.Exists() {
		texts = append(texts, strings.Clone(v.Raw()))
	}
	if texts == nil {
		texts = []string{strings.Clone(root.Raw())}
	}
	failed, _ = root.Get("isError").Bool()
	return texts, failed
}

// mostNested is how deep content may stand in content: a block, in a list, in a message, in a list, and once more.
const mostNested = 6

// ContentTexts returns the texts of content: of a block, a message that holds blocks, or a list of these. Text is unchanged, a link is
// JSON on a line, and any other kind is told by its name.
func ContentTexts(v rawjson.Value) []string { return contentTexts(v, mostNested) }

func contentTexts(v rawjson.Value, depth int) (out []string) {
	text, resource := v.Get("text"), v.Get("resource").Get("text")
	switch {
	case !v.Exists():
		return nil
	case v.Kind() == rawjson.String:
		return []string{strings.Clone(v.Text())}
	case v.Kind() == rawjson.Array && depth > 0:
		for _, one := range v.Elements() {
			out = append(out, contentTexts(one, depth-1)...)
		}
		return out
	case v.Get("type").Is("resource_link"):
		return []string{v.Compact()}
	case text.Exists():
		return []string{strings.Clone(text.Text())}
	case resource.Exists():
		return []string{strings.Clone(resource.Text())}
	case v.Get("content").Exists() && depth > 0:
		return contentTexts(v.Get("content"), depth-1)
	}
	return []string{"[" + strings.Clone(v.Get("type").Text()) + " content]"}
}
