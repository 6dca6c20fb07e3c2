package attackmcp

import (
	"cmp"
	"context"
	"fmt"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/rawjson"
)

// JSON Schemas of the MCP results that a model may write, after the specification of 2025-11-25 without members that no attack
// needs.
const (
	textItem  = `{"type":"object","properties":{"type":{"const":"text"},"text":{"type":"string"}},"required":["type","text"],"additionalProperties":false}`
	imageItem = `{"type":"object","properties":{"type":{"const":"image"},"data":{"type":"string","pattern":"^[A-Za-z0-9+/]*={0,2}$"},"mimeType":{"type":"string"}},"required":["type","data","mimeType"],"additionalProperties":false}`
	audioItem = `{"type":"object","properties":{"type":{"const":"audio"},"data":{"type":"string","pattern":"^[A-Za-z0-9+/]*={0,2}$"},"mimeType":{"type":"string"}},"required":["type","data","mimeType"],"additionalProperties":false}`
	linkItem  = `{"type":"object","properties":{"type":{"const":"resource_link"},"uri":{"type":"string"},"name":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"mimeType":{"type":"string"}},"required":["type","uri","name"],"additionalProperties":false}`

	textContents = `{"type":"object","properties":{"uri":{"type":"string"},"mimeType":{"type":"string"},"text":{"type":"string"}},"required":["uri","text"],"additionalProperties":false}`
	blobContents = `{"type":"object","properties":{"uri":{"type":"string"},"mimeType":{"type":"string"},"blob":{"type":"string","pattern":"^[A-Za-z0-9+/]*={0,2}$"}},"required":["uri","blob"],"additionalProperties":false}`
	contents     = `{"anyOf":[` + textContents + `,` + blobContents + `]}`

	resourceItem = `{"type":"object","properties":{"type":{"const":"resource"},"resource":` + contents + `},"required":["type","resource"],"additionalProperties":false}`
	anyItem      = `{"anyOf":[` + textItem + `,` + imageItem + `,` + audioItem + `,` + linkItem + `,` + resourceItem + `]}`
	sampledItem  = `{"anyOf":[` + textItem + `,` + imageItem + `,` + audioItem + `]}`

	promptForm   = `{"type":"object","properties":{"messages":{"type":"array","minItems":1,"items":{"type":"object","properties":{"role":{"enum":["user","assistant"]},"content":` + anyItem + `},"required":["role","content"],"additionalProperties":false}}},"required":["messages"],"additionalProperties":false}`
	resourceForm = `{"type":"object","properties":{"contents":{"type":"array","minItems":1,"items":` + contents + `}},"required":["contents"],"additionalProperties":false}`
	samplingForm = `{"type":"object","properties":{"role":{"const":"assistant"},"content":` + sampledItem + `,"model":{"type":"string"}},"required":["role","content","model"],"additionalProperties":false}`
)

// toolForm returns the schema of a tool result, whose structured part must match the tool's outputSchema if it has one.
func toolForm(outputSchema rawjson.Value) string {
	structured, required := "", `"content"`
	if outputSchema.Kind() == rawjson.Object {
		structured, required = `,"structuredContent":`+outputSchema.Raw(), `"content","structuredContent"`
	}
	return `{"type":"object","properties":{"content":{"type":"array","minItems":1,"items":` + anyItem + `}` + structured + `},"required":[` + required + `],"additionalProperties":false}`
}

// answerForm returns the schema of an elicitation's answer, which must match the schema the server sent.
func answerForm(requested rawjson.Value) string {
	schema := `{"type":"object"}`
	if requested.Kind() == rawjson.Object {
		schema = requested.Raw()
	}
	return `{"type":"object","properties":{"content":` + schema + `},"required":["content"],"additionalProperties":false}`
}

// formOf returns what a model must write to answer a call.
func formOf(l int, p *stateItem, c mcpserver.Call) attack.Form {
	f := attack.Form{
		What:  fmt.Sprintf("the answer of the %s %q", mcp.Lists[l].Item, c.Name),
		About: `{"request":` + cmp.Or(c.Params, "{}") + `,"definition":` + definitionOf(l, p) + `}`,
	}
	switch l {
	case tools:
		f.Schema = toolForm(attack.Member(p.value, "outputSchema"))
	case prompts:
		f.Schema = promptForm
	default:
		f.Schema = resourceForm
	}
	return f
}

// definitionOf returns an item's definition as shown to clients, with templates empty.
func definitionOf(l int, p *stateItem) string {
	if p.value.Kind() != rawjson.Object {
		return "null"
	}
	o := attack.NewObjectWriter(&attack.Expander{})
	o.CopyMembers(p.value, stateLists[l].own...)
	text, err := o.CloseObject()
	if err != nil {
		return "null"
	}
	return text
}

// writtenResult returns a model's answer with the document's other members. Braces in the model's text are no templates.
func writtenResult(written, entry rawjson.Value, x *attack.Expander) (string, error) {
	o := attack.NewObjectWriter(x)
	for m := range written.Members() {
		o.AddRaw(m.Key.Raw(), m.Value.Raw())
	}
	copyBeside(o, entry, written)
	return o.CloseObject()
}

// synthesizeReply has a model write the answer to a call; "" if that failed and the document has a fallback.
func (s *server) synthesizeReply(ctx context.Context, at, l int, p *stateItem, entry rawjson.Value, c mcpserver.Call, x *attack.Expander) (string, error) {
	written, err := s.Synthesize(ctx, at, entry, x, formOf(l, p, c))
	switch {
	case err == nil:
		return writtenResult(written, entry, x)
	case attack.Member(entry, "content").Exists(), attack.Member(entry, replyFields[l]).Exists():
		return "", nil
	}
	return "", err
}
