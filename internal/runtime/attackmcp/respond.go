package attackmcp

import (
	"cmp"
	"context"

	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
)

// replyFields lists, per list, the member that an answer to a call has at least.
var replyFields = [...]string{"content", "messages", "contents", "contents"}

// chooseEntry selects the response entry for tools/call, prompts/get or resources/read: the first whose when matches the request,
// else the one without a when, else absent.
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
		x.Scope.Response = entry // which then becomes the result
	}
	return entry, nil
}

// replyFrom builds an answer from an entry. Without one it is empty: legal, and meaningless.
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

// resultFromEntry builds a result from a response entry in either of the shapes documents use: content is the whole result, or the
// entry itself is, with its list under field. Members beside content are kept (isError, structuredContent, _meta).
func resultFromEntry(entry rawjson.Value, field string, x *attack.Expander) (string, error) {
	o := attack.NewObjectWriter(x)
	whole := attack.Member(entry, "content")
	if whole.Kind() == rawjson.Object {
		o.CopyMembers(whole)
		copyBeside(o, entry, whole)
		return o.CloseObject()
	}
	if own := attack.Member(entry, field); !own.Exists() {
		o.AddRaw(`"`+field+`"`, "[]")
		o.CopyMembers(entry, "when", "synthesize", field)
	} else {
		o.CopyMembers(entry, "when", "synthesize")
	}
	return o.CloseObject()
}

// copyBeside writes what a response entry has beside the result: isError, structuredContent, _meta.
func copyBeside(o *attack.ObjectWriter, entry, result rawjson.Value) {
	for m := range entry.Members() {
		if name := m.Key.Text(); name != "when" && name != "content" && name != "synthesize" && !result.Get(name).Exists() {
			o.AddExpanded(m.Key.Raw(), m.Value)
		}
	}
}

// resourceContents wraps a resource's content for resources/read. A list is sent unchanged; a string is text.
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

// elicitationFor returns the params of the elicitation triggered by a request, or "". id generates an id for one in mode url
// without its own; nil omits ids, for revisions that have none.
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
