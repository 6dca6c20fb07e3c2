package attackmcp

import (
	"cmp"
	"context"

	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
)

// replyFields are the members that answers to calls have at least, by list.
var replyFields = [...]string{"content", "messages", "contents", "contents"}

// chooseEntry picks what tools/call, prompts/get or resources/read of p is answered with: the first response whose when holds for the
// request, else the one without a when; absent where there is none.
func (p *stateItem) chooseEntry(ctx context.Context, x *attack.Expander) (rawjson.Value, error) {
	if p.responses == nil {
		return rawjson.Value{}, nil
	}
	entry, err := p.responses.Select(ctx, x.Scope.Request)
	if err != nil {
		return rawjson.Value{}, err
	}
	x.Scope.Response = attack.Member(entry, "content")
	if x.Scope.Response.Kind() != rawjson.Object {
		x.Scope.Response = entry // which is the result then
	}
	return entry, nil
}

// replyFrom is the answer that an entry gives. Without one it is an empty one: legal, and saying nothing.
func replyFrom(l int, p *stateItem, entry rawjson.Value, uri string, x *attack.Expander) (string, error) {
	content := attack.Member(entry, "content")
	switch {
	case p.responses == nil && l >= resources:
		return resourceContents(p.value, attack.Member(p.value, "content"), uri, x)
	case l >= resources && content.Exists() && !content.Get("contents").Exists():
		return resourceContents(p.value, content, uri, x)
	}
	return resultFromEntry(entry, replyFields[l], x)
}

// resultFromEntry makes a result of a response entry, in either of the two shapes that documents
// have: content is the whole result, or the entry itself is and has its list under field.
// What stands beside content goes out with it (isError, structuredContent, _meta).
func resultFromEntry(entry rawjson.Value, field string, x *attack.Expander) (string, error) {
	o := attack.NewObjectWriter(x)
	whole := attack.Member(entry, "content")
	if whole.Kind() == rawjson.Object {
		o.CopyMembers(whole)
		for m := range entry.Members() {
			if name := m.Key.Text(); name != "when" && name != "content" && name != "synthesize" && !whole.Get(name).Exists() {
				o.AddExpanded(m.Key.Raw(), m.Value)
			}
		}
		return o.CloseObject()
	}
	if !attack.Member(entry, field).Exists() {
		o.AddRaw(`"`+field+`"`, "[]")
	}
	for m := range entry.Members() {
		switch name := m.Key.Text(); {
		case name == "when", name == "synthesize", name == field && m.Value.Kind() == rawjson.Null:
		default:
			o.AddExpanded(m.Key.Raw(), m.Value)
		}
	}
	return o.CloseObject()
}

// resourceContents wraps the content of a resource into what resources/read answers. A content that
// is a list is what goes out as it stands, a string is text.
func resourceContents(resource, content rawjson.Value, uri string, x *attack.Expander) (string, error) {
	o := attack.NewObjectWriter(x)
	switch content.Kind() {
	case rawjson.Absent:
		o.AddRaw(`"contents"`, "[]")
		return o.CloseObject()
	case rawjson.Array:
		o.AddExpanded(`"contents"`, content)
		return o.CloseObject()
	}
	one := attack.NewObjectWriter(x)
	if !content.Get("uri").Exists() {
		one.AddRaw(`"uri"`, rawjson.Quote(uri))
	}
	if mime := attack.Member(resource, "mimeType"); mime.Exists() && !content.Get("mimeType").Exists() {
		one.AddExpanded(`"mimeType"`, mime)
	}
	if content.Kind() == rawjson.Object {
		one.CopyMembers(content)
	} else {
		one.AddExpanded(`"text"`, content)
	}
	text, err := one.CloseObject()
	o.AddRaw(`"contents"`, "["+text+"]")
	out, _ := o.CloseObject()
	return out, err
}

// elicitationFor returns the params of the elicitation that a request calls for, "" for none. id
// makes an id for one in the mode url that has none; nil is for a revision without ids, in which none goes out.
func (s *serverState) elicitationFor(ctx context.Context, x *attack.Expander, id func() string) (params, mode string, err error) {
	if s.elicitations == nil {
		return "", "", nil
	}
	entry, err := s.elicitations.Select(ctx, x.Scope.Request)
	if err != nil || !entry.Exists() {
		return "", "", err
	}
	mode = cmp.Or(attack.Member(entry, "mode").Text(), "form")
	o := attack.NewObjectWriter(x)
	o.AddRaw(`"mode"`, rawjson.Quote(mode))
	skip := []string{"when", "mode"}
	switch {
	case id == nil:
		skip = append(skip, "elicitationId")
	case mode == "url" && !attack.Member(entry, "elicitationId").Exists():
		o.AddRaw(`"elicitationId"`, rawjson.Quote(id()))
		skip = append(skip, "elicitationId")
	}
	switch {
	case mode == "form" && !attack.Member(entry, "requestedSchema").Exists():
		o.AddRaw(`"requestedSchema"`, `{"type":"object","properties":{}}`)
		skip = append(skip, "requestedSchema")
	}
	o.CopyMembers(entry, skip...)
	params, err = o.CloseObject()
	return params, mode, err
}
