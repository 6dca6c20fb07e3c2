package attack

import (
	"cmp"
	"context"
	"errors"

	"gauntlet/rawjson"
)

// errSynthesize says that an answer is to be made up by a model, for which the format
// reserves a word and no rule (W-006), and that there is none to give instead.
var errSynthesize = errors.New("the answer is to be synthesized, which this runtime does not do, and the document gives none to fall back on")

// A reply is what a call is answered with.
type reply struct {
	result      string
	synthesized bool // the document wanted a model to write it; this is what it gives instead
}

// respond answers tools/call, prompts/get or resources/read of p, by the first response
// whose when holds for the request, else the one without a when. Where there is none the
// answer is an empty one: legal, and saying nothing.
func (s *scene) respond(ctx context.Context, l int, p *prop, uri string, x *expander) (reply, error) {
	if p.responses == nil && l >= resources {
		result, err := contents(p.value, given(p.value, "content"), uri, x)
		return reply{result: result}, err
	}
	field := [...]string{"content", "messages", "contents", "contents"}[l]
	var entry rawjson.Value
	var err error
	if p.responses != nil {
		if entry, err = p.responses.Select(ctx, x.scope.Request); err != nil {
			return reply{}, err
		}
	}
	r := reply{synthesized: given(entry, "synthesize").Exists()}
	content := given(entry, "content")
	switch {
	case r.synthesized && !content.Exists() && !given(entry, field).Exists():
		return r, errSynthesize
	case l >= resources && content.Exists() && !content.Get("contents").Exists():
		r.result, err = contents(p.value, content, uri, x)
	default:
		r.result, err = result(entry, field, x)
	}
	return r, err
}

// result makes a result of a response entry, in either of the two shapes that documents
// have: content is the whole result, or the entry itself is and has its list under field.
// What stands beside content goes out with it (isError, structuredContent, _meta).
func result(entry rawjson.Value, field string, x *expander) (string, error) {
	o := newObject(x)
	whole := given(entry, "content")
	if whole.Kind() == rawjson.Object {
		o.members(whole)
		for m := range entry.Members() {
			if name := m.Key.Text(); name != "when" && name != "content" && name != "synthesize" && !whole.Get(name).Exists() {
				o.value(m.Key.Raw(), m.Value)
			}
		}
		return o.end()
	}
	if !given(entry, field).Exists() {
		o.raw(`"`+field+`"`, "[]")
	}
	for m := range entry.Members() {
		switch name := m.Key.Text(); {
		case name == "when", name == "synthesize", name == field && m.Value.Kind() == rawjson.Null:
		default:
			o.value(m.Key.Raw(), m.Value)
		}
	}
	return o.end()
}

// contents wraps the content of a resource into what resources/read answers. A content that
// is a list is what goes out as it stands, a string is text.
func contents(resource, content rawjson.Value, uri string, x *expander) (string, error) {
	o := newObject(x)
	switch content.Kind() {
	case rawjson.Absent:
		o.raw(`"contents"`, "[]")
		return o.end()
	case rawjson.Array:
		o.value(`"contents"`, content)
		return o.end()
	}
	one := newObject(x)
	if !content.Get("uri").Exists() {
		one.raw(`"uri"`, quote(uri))
	}
	if mime := given(resource, "mimeType"); mime.Exists() && !content.Get("mimeType").Exists() {
		one.value(`"mimeType"`, mime)
	}
	if content.Kind() == rawjson.Object {
		one.members(content)
	} else {
		one.value(`"text"`, content)
	}
	text, err := one.end()
	o.raw(`"contents"`, "["+text+"]")
	out, _ := o.end()
	return out, err
}

// elicit returns the params of the elicitation that a request calls for, "" for none. id
// makes an id for one in the mode url that has none: MCP wants one on the wire.
func (s *scene) elicit(ctx context.Context, x *expander, id func() string) (params, mode string, err error) {
	if s.elicitations == nil {
		return "", "", nil
	}
	entry, err := s.elicitations.Select(ctx, x.scope.Request)
	if err != nil || !entry.Exists() {
		return "", "", err
	}
	mode = cmp.Or(given(entry, "mode").Text(), "form")
	o := newObject(x)
	o.raw(`"mode"`, quote(mode))
	skip := []string{"when", "mode"}
	switch {
	case mode == "url" && !given(entry, "elicitationId").Exists():
		o.raw(`"elicitationId"`, quote(id()))
		skip = append(skip, "elicitationId")
	case mode == "form" && !given(entry, "requestedSchema").Exists():
		o.raw(`"requestedSchema"`, `{"type":"object","properties":{}}`)
		skip = append(skip, "requestedSchema")
	}
	o.members(entry, skip...)
	params, err = o.end()
	return params, mode, err
}

func quote(s string) string { return string(rawjson.AppendString(nil, s)) }
