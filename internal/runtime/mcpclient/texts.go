package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

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
