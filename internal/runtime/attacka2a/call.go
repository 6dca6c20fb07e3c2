package attacka2a

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// Error codes (§8 of A2A 0.3).
const (
	codeUnknownMethod = -32601
	codeInvalid       = -32600
	codeParse         = -32700
	codeInternal      = -32603
	codeTaskNotFound  = -32001
	codeNotCancelable = -32002
)

func (x *exchange) serveCall() {
	body, err := x.readBody()
	if err != nil {
		x.refuse(http.StatusRequestEntityTooLarge, err.Error())
		return
	}
	m := wire.Decode(body)
	method, isCurrent := a2a.Canonical(m.Method)
	in := trace.Message{Direction: trace.ToServer, Kind: trace.Kind(m.Kind.String()), ID: m.ID, Method: method, Raw: body, Note: m.Note}
	if isCurrent {
		in.Revision = "1.0"
	}
	x.at = x.LastPhase()
	x.record(in, 0)
	if m.Kind != wire.Request {
		x.answerOther(m)
		return
	}
	request := rawjson.Read(cmp.Or(m.Params, "{}"))
	ctx := x.begin(method, request)
	if x.r.Context().Err() != nil {
		return
	}
	result, code, why := x.answer(ctx, method, request)
	if code != 0 {
		result = wire.EncodeError(code, why, "")
		x.reply(m.ID, "error", result)
		x.end(ctx, result)
		return
	}
	if method == a2a.MessageStream || method == a2a.Resubscribe {
		x.stream(m.ID, result, isCurrent)
	} else {
		x.reply(m.ID, "result", inRevision(method, result, isCurrent))
	}
	x.end(ctx, result)
}

// answerOther answers a message that is no request.
func (x *exchange) answerOther(m wire.Message) {
	switch m.Kind {
	case wire.Notification:
		ctx := x.begin(m.Method, rawjson.Read(m.Params))
		x.w.WriteHeader(http.StatusAccepted)
		x.end(ctx, "")
	case wire.Invalid, wire.Batch:
		code := codeInvalid
		if !rawjson.Read(m.Raw).Exists() {
			code = codeParse
		}
		x.reply("", "error", wire.EncodeError(code, "Invalid Request", ""))
	default:
		x.w.WriteHeader(http.StatusAccepted)
	}
}

// answer returns the result of a method, or an error.
func (x *exchange) answer(ctx context.Context, method string, request rawjson.Value) (result string, code int, why string) {
	switch method {
	case a2a.MessageSend, a2a.MessageStream:
		result, err := x.respond(ctx, request)
		if err != nil {
			x.Notice(attack.Unplayed, x.at, "%s is answered with an error: %v", method, err)
			return "", codeInternal, "Internal error"
		}
		x.remember(result)
		return result, 0, ""
	case a2a.ExtendedCard:
		return x.card(request), 0, ""
	case a2a.TasksGet, a2a.Resubscribe, a2a.TasksCancel:
		task := x.task(request.Get("id").Text())
		switch {
		case task == "":
			return "", codeTaskNotFound, "Task not found"
		case method == a2a.TasksCancel:
			return "", codeNotCancelable, "Task cannot be canceled"
		}
		return task, 0, ""
	case a2a.TasksList:
		return x.listTasks(), 0, ""
	case a2a.PushSet, a2a.PushGet, a2a.PushList, a2a.PushDelete:
		return x.answerPush(method, request)
	}
	return "", codeUnknownMethod, "Method not found"
}

// respond returns the document's answer to a message, or an empty completed task if it has none.
func (x *exchange) respond(ctx context.Context, request rawjson.Value) (string, error) {
	e := x.Expander(request)
	defer x.NoteMissing(x.at, e)
	entry, err := x.SelectEntry(attack.Member(x.Phases[x.at].State, "task_responses"), request)
	if err != nil {
		return "", err
	}
	e.Scope.Response = attack.Member(entry, "content")
	form := attack.Form{What: "the answer of an A2A agent to a message", About: request.Raw(), Schema: answerForm}
	content, err := x.Content(ctx, x.at, entry, e, form, func(written rawjson.Value) rawjson.Value { return written.Get("answer") })
	if err != nil || content != "" {
		return content, err
	}
	context := cmp.Or(request.Get("message").Get("contextId").Text(), "context-1")
	return rawjson.Build("kind", `"task"`, "id", rawjson.Quote("task-"+strconv.Itoa(x.number)), "contextId", rawjson.Quote(context), "status", `{"state":"completed"}`), nil
}

func inRevision(method, result string, isCurrent bool) string {
	v := rawjson.Read(result)
	if !isCurrent || !v.Exists() {
		return result
	}
	switch method {
	case a2a.MessageSend, a2a.MessageStream, a2a.Resubscribe:
		return wrapped(v, "")
	case a2a.TasksGet, a2a.TasksList:
		return a2a.Modern(v)
	}
	return result
}

// wrapped puts an item into the member that names its type in the current revision, unless the document already has it.
func wrapped(v rawjson.Value, what string) string {
	switch {
	case a2a.IsWrapped(v):
		return v.Raw()
	case what != "":
	case a2a.IsMessage(v):
		what = "message"
	default:
		what = "task"
	}
	return `{"` + what + `":` + a2a.Modern(v) + `}`
}

func (x *exchange) reply(id, member, value string) {
	text := wire.EncodeAnswer(id, member, value)
	kind := trace.Response
	if member == "error" {
		kind = trace.Error
	}
	x.record(trace.Message{Direction: trace.ToClient, Kind: kind, ID: cmp.Or(id, "null"), Raw: text}, http.StatusOK)
	x.writeJSON(text)
}

func (x *exchange) writeJSON(text string) {
	x.w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(x.w, text) // a client that left misses it
}

// stream sends an answer as a stream (§7.2.4): a task with its status and artifacts, a message, or anything else as one raw item.
func (x *exchange) stream(id, result string, isCurrent bool) {
	v := rawjson.Read(result)
	items := []string{result}
	if isCurrent {
		items[0] = wrapped(v, "")
	}
	if a2a.IsTask(v) && !a2a.IsWrapped(v) {
		items = append(items, taskEvents(v, isCurrent)...)
	}
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.Header().Set("Cache-Control", "no-store")
	for i, item := range items {
		text := wire.EncodeAnswer(id, "result", item)
		kind, method, raw, note := trace.Response, "", text, ""
		if i > 0 { // the first item is the answer, the others follow it
			kind, method, raw, note = trace.Event, a2a.MessageStream, item, "a further item of the stream, without its envelope"
		}
		x.record(trace.Message{Direction: trace.ToClient, Kind: kind, ID: id, Method: method, Raw: raw, Note: note}, http.StatusOK)
		if _, err := io.WriteString(x.w, "data: "+strings.NewReplacer("\n", " ", "\r", " ").Replace(text)+"\n\n"); err != nil {
			return
		}
		_ = http.NewResponseController(x.w).Flush()
	}
}

func taskEvents(task rawjson.Value, isCurrent bool) []string {
	ids := `"taskId":` + cmp.Or(task.Get("id").Raw(), `""`) + `,"contextId":` + cmp.Or(task.Get("contextId").Raw(), `"context-1"`)
	write := func(name, kind, more string, last bool) string {
		text := `{` + ids + `,` + more + `}`
		if isCurrent {
			return wrapped(rawjson.Read(text), name)
		}
		end := ""
		if last {
			end = `,"final":true`
		}
		return `{"kind":"` + kind + `",` + ids + `,` + more + end + `}`
	}
	var out []string
	artifacts := 0
	for _, a := range task.Get("artifacts").Elements() {
		out = append(out, write("artifactUpdate", "artifact-update", `"artifact":`+a.Raw()+`,"lastChunk":true`, false))
		artifacts++
	}
	return append(out, write("statusUpdate", "status-update", `"status":`+task.Get("status").Raw(), true))
}

// Schema of what a model may write as the answer to a message (§6 of A2A 0.3), without members that no attack needs: a task or a
// message. It is wrapped in a member, since not every provider accepts alternatives at the top of a schema.
const (
	textPart = `{"type":"object","properties":{"kind":{"const":"text"},"text":{"type":"string"}},"required":["kind","text"],"additionalProperties":false}`
	dataPart = `{"type":"object","properties":{"kind":{"const":"data"},"data":{"type":"object"}},"required":["kind","data"],"additionalProperties":false}`
	parts    = `{"type":"array","minItems":1,"items":{"anyOf":[` + textPart + `,` + dataPart + `]}}`

	messageForm = `{"type":"object","properties":{"kind":{"const":"message"},"role":{"const":"agent"},"messageId":{"type":"string"},"contextId":{"type":"string"},"taskId":{"type":"string"},"parts":` + parts + `},"required":["kind","role","messageId","parts"],"additionalProperties":false}`
	statusForm  = `{"type":"object","properties":{"state":{"enum":["submitted","working","input-required","completed","canceled","failed","rejected","auth-required"]},"message":` + messageForm + `},"required":["state"],"additionalProperties":false}`
	taskForm    = `{"type":"object","properties":{"kind":{"const":"task"},"id":{"type":"string"},"contextId":{"type":"string"},"status":` + statusForm + `,"artifacts":{"type":"array","items":{"type":"object","properties":{"artifactId":{"type":"string"},"name":{"type":"string"},"parts":` + parts + `},"required":["artifactId","parts"],"additionalProperties":false}}},"required":["kind","id","contextId","status"],"additionalProperties":false}`
	answerForm  = `{"type":"object","properties":{"answer":{"anyOf":[` + taskForm + `,` + messageForm + `]}},"required":["answer"],"additionalProperties":false}`
)
