package traceimport

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// OpenTelemetry spans by the semantic conventions for MCP, as OTLP JSON: one object, or one per line as the collector's file
// exporter writes. A span with mcp.method.name is a request with its answer, or a notification; its content is limited to its
// attributes.

func likeOTel(head string) bool {
	head = strings.TrimSpace(head)
	return strings.HasPrefix(head, "{") && (strings.Contains(head, `"resourceSpans"`) || strings.Contains(head, `"resource_spans"`))
}

type mcpSpan struct {
	id, parent string
	method     string
	server     bool // made by the receiver
	start, end time.Time
	failed     bool // its status is an error
	said       string
	attributes map[string]rawjson.Value
}

func readOTel(r *importRun) error {
	text, err := r.readWhole()
	if err != nil {
		return err
	}
	var spans []*mcpSpan
	at := 0
	for n := 1; ; n++ {
		at += len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
		if at == len(text) {
			break
		}
		end, err := rawjson.Skip(text, at)
		if err != nil {
			r.addProblem(n, "not JSON: %v", err)
			next := strings.IndexByte(text[at:], '\n')
			if next < 0 {
				break
			}
			at += next
			continue
		}
		tree := new(rawjson.Tree) // the spans keep its values
		if err := tree.Parse(text[at:end], 0); err != nil {
			r.addProblem(n, "not JSON: %v", err)
		} else {
			spans = append(spans, r.otelSpans(tree.Root(), n)...)
		}
		at = end
	}
	return r.putOrdered(r.otelMessages(spans))
}

// otelSpans returns an export's spans about MCP. Their resource's attributes follow their own.
func (r *importRun) otelSpans(export rawjson.Value, line int) (out []*mcpSpan) {
	for _, resource := range firstMember(export, "resourceSpans", "resource_spans").Elements() {
		common := otelAttributes(resource.Get("resource").Get("attributes"), nil)
		for _, scope := range firstMember(resource, "scopeSpans", "scope_spans").Elements() {
			for _, v := range scope.Get("spans").Elements() {
				attributes := otelAttributes(v.Get("attributes"), common)
				if attributes["mcp.method.name"].Text() == "" {
					r.sum.Passed++
					continue
				}
				span, err := otelSpan(v, attributes)
				if err != nil {
					r.addProblem(line, "span %.60q: %v", v.Get("name").Text(), err)
					continue
				}
				out = append(out, span)
			}
		}
	}
	return out
}

func firstMember(v rawjson.Value, names ...string) rawjson.Value {
	for _, name := range names {
		if got := v.Get(name); got.Exists() {
			return got
		}
	}
	return rawjson.Value{}
}

func otelAttributes(list rawjson.Value, common map[string]rawjson.Value) map[string]rawjson.Value {
	out := map[string]rawjson.Value{}
	maps.Copy(out, common)
	for _, a := range list.Elements() {
		for m := range a.Get("value").Members() { // one of stringValue, intValue …
			out[a.Get("key").Text()] = m.Value
		}
	}
	return out
}

func otelSpan(v rawjson.Value, attributes map[string]rawjson.Value) (*mcpSpan, error) {
	s := &mcpSpan{id: firstMember(v, "spanId", "span_id").Text(), parent: firstMember(v, "parentSpanId", "parent_span_id").Text(), attributes: attributes}
	s.method = attributes["mcp.method.name"].Text()
	kind := v.Get("kind")
	s.server = readInteger(kind) == 2 || kind.Is("SPAN_KIND_SERVER")
	start, ok := readNanos(firstMember(v, "startTimeUnixNano", "start_time_unix_nano"))
	if !ok {
		return nil, fmt.Errorf("it has no start time")
	}
	s.start, s.end = start, start
	if end, ok := readNanos(firstMember(v, "endTimeUnixNano", "end_time_unix_nano")); ok && end.After(start) {
		s.end = end
	}
	code := v.Get("status").Get("code")
	s.failed = readInteger(code) == 2 || code.Is("STATUS_CODE_ERROR") || s.attributeText("error.type") != ""
	s.said = v.Get("status").Get("message").Text()
	return s, nil
}

// readInteger reads an integer that may be quoted, as OTLP does with 64-bit ones.
func readInteger(v rawjson.Value) int64 {
	if n, ok := v.Int(); ok {
		return n
	}
	n, err := strconv.ParseInt(v.Text(), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func readNanos(v rawjson.Value) (time.Time, bool) {
	n := readInteger(v)
	return time.Unix(0, n).UTC(), n > 0
}

func (s *mcpSpan) attributeText(name string) string {
	v := s.attributes[name]
	if v.Kind() == rawjson.Number {
		return v.Raw()
	}
	return v.Text()
}

// otelMessages returns the messages of all spans. If both sides recorded one request, the receiver's span is the child; what only
// it knows is merged.
func (r *importRun) otelMessages(spans []*mcpSpan) (out []timedPassage) {
	asking := map[string]*mcpSpan{}
	for _, s := range spans {
		if !s.server && s.id != "" {
			asking[s.id] = s
		}
	}
	var own []*mcpSpan
	for _, s := range spans {
		above := asking[s.parent]
		if !s.server || s.parent == "" || above == nil || above.method != s.method {
			own = append(own, s)
			continue
		}
		r.sum.Passed++
		for name, v := range s.attributes {
			if _, known := above.attributes[name]; !known {
				above.attributes[name] = v
			}
		}
	}
	for i, s := range own {
		out = append(out, r.otelPair(s, i)...)
	}
	return out
}

// otelPair returns a span's request and answer, or its notification.
func (r *importRun) otelPair(s *mcpSpan, i int) []timedPassage {
	side := cmp.Or(sideOf(s.method), trace.AsClient)
	about := trace.Message{Server: cmp.Or(s.serverName(), r.options.Server), Revision: s.attributeText("mcp.protocol.version"), Session: r.sessions.Of(s.attributeText("mcp.session.id")), Role: side}
	if s.server { // the receiver is the other side
		about.Role = map[trace.Role]trace.Role{trace.AsClient: trace.AsServer, trace.AsServer: trace.AsClient}[side]
	}
	put := func(raw string, ours bool, at time.Time) timedPassage {
		m := wire.Decode(raw)
		addNote(&m, "made from a span")
		return timedPassage{about, wire.Passage{Message: m, Sent: ours}, at}
	}
	params := s.madeParams()
	if strings.HasPrefix(s.method, "notifications/") {
		return []timedPassage{put(wire.EncodeRequest("", s.method, params), !s.server, s.start)}
	}
	id := s.requestID(i)
	return []timedPassage{
		put(wire.EncodeRequest(id, s.method, params), !s.server, s.start),
		put(s.madeAnswer(id), s.server, s.end),
	}
}

// serverName returns the server's name, if the span has one.
func (s *mcpSpan) serverName() string {
	for _, name := range []string{"mcp.server.name", "server.address", "service.name"} {
		if name == "service.name" && !s.server {
			break // the client's
		}
		if v := s.attributeText(name); v != "" {
			return v
		}
	}
	return ""
}

// requestID returns the recorded id: a string; digits were most likely a number.
func (s *mcpSpan) requestID(i int) string {
	id := s.attributeText("jsonrpc.request.id")
	if id == "" {
		return `"span-` + strconv.Itoa(i) + `"`
	}
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && strconv.FormatInt(n, 10) == id {
		return id
	}
	return rawjson.Quote(id)
}

func (s *mcpSpan) madeParams() string {
	text := func(attribute string) string {
		if v := s.attributeText(attribute); v != "" {
			return rawjson.Quote(v)
		}
		return ""
	}
	switch {
	case s.method == mcp.ToolsCall:
		return rawjson.Build("name", text("gen_ai.tool.name"), "arguments", asJSON(s.attributes["gen_ai.tool.call.arguments"]))
	case s.method == mcp.PromptsGet:
		return rawjson.Build("name", text("gen_ai.prompt.name"))
	case strings.HasPrefix(s.method, "resources/"), s.method == mcp.NotifyResourcesUpdated:
		return rawjson.Build("uri", text("mcp.resource.uri"))
	case s.method == mcp.Initialize:
		return rawjson.Build("protocolVersion", text("mcp.protocol.version"))
	}
	return "{}"
}

func (s *mcpSpan) madeAnswer(id string) string {
	kind := s.attributeText("error.type")
	if s.failed && kind != "tool_error" {
		code := cmp.Or(s.attributeText("rpc.response.status_code"), s.attributeText("rpc.jsonrpc.error_code"))
		n, err := strconv.ParseInt(code, 10, 32)
		if err != nil {
			n = -32603
		}
		return wire.EncodeAnswer(id, "error", wire.EncodeError(int(n), cmp.Or(s.said, kind), ""))
	}
	return wire.EncodeAnswer(id, "result", s.madeResult(kind == "tool_error"))
}

// madeResult builds a result from what was recorded: an object with members of a result unchanged, anything else as its text or
// structured content.
func (s *mcpSpan) madeResult(failed bool) string {
	v := asJSON(s.attributes["gen_ai.tool.call.result"])
	isError := ""
	if failed {
		isError = "true"
	}
	switch {
	case looksLikeResult(mcp.ToolsCall, v):
		return v
	case strings.HasPrefix(v, `"`):
		return rawjson.Build("content", `[{"type":"text","text":`+v+`}]`, "isError", isError)
	}
	return rawjson.Build("structuredContent", v, "isError", isError)
}

// asJSON returns an attribute as JSON; a string that is valid JSON is used unchanged.
func asJSON(v rawjson.Value) string {
	inner := rawjson.Read(v.Text()).Kind()
	switch {
	case !v.Exists():
		return ""
	case v.Kind() != rawjson.String:
		return otelJSON(v, 0)
	case inner == rawjson.Object || inner == rawjson.Array:
		return v.Text()
	}
	return rawjson.Quote(v.Text())
}

// otelJSON returns a structured attribute, a kvlist or array of AnyValues, as JSON.
func otelJSON(v rawjson.Value, depth int) string {
	const deepest = 64
	if depth == deepest {
		return "null"
	}
	inner := func(any rawjson.Value) string {
		for m := range any.Members() {
			switch m.Key.Text() {
			case "stringValue", "boolValue", "doubleValue":
				return m.Value.Raw()
			case "intValue":
				return strconv.FormatInt(readInteger(m.Value), 10)
			}
			return otelJSON(m.Value, depth+1)
		}
		return "null"
	}
	if !v.Get("values").Exists() {
		return v.Raw()
	}
	var members, elements []string
	for _, e := range v.Get("values").Elements() {
		if key := e.Get("key"); key.Kind() == rawjson.String {
			members = append(members, key.Raw()+":"+inner(e.Get("value")))
		} else {
			elements = append(elements, inner(e))
		}
	}
	if members != nil {
		return "{" + strings.Join(members, ",") + "}"
	}
	return "[" + strings.Join(elements, ",") + "]"
}
