package agui

import (
	"strings"

	"gauntlet/rawjson"
)

// What is kept of one run. An agent that sends more loses what is beyond in what is put together; its
// events are seen all the same.
const (
	mostKept = 16 << 20 // bytes of deltas
	mostIDs  = 10_000   // of messages, and of calls
)

// A ToolCall is a call that the agent makes of its front end's tools, or of its own.
type ToolCall struct {
	ID, Name string
	Start    string // the event that began it, as JSON
	Ended    bool
	Answered bool // the agent itself has told a result

	args strings.Builder // as the deltas gave them, JSON if the agent is honest
}

// A Stream puts the events of one run together. The zero value is one that has not begun. It serves
// one goroutine.
type Stream struct {
	calls    []*ToolCall
	messages []*message
	callByID map[string]*ToolCall
	textByID map[string]*message
	lastCall string // of chunks, which name it once
	lastText string
	result   string // that the end of the run has
	kept     int
	cut      bool
}

type message struct {
	id, role string
	text     strings.Builder
}

// Cut reports whether something was beyond what is kept.
func (s *Stream) Cut() bool { return s.cut }

// Add takes the next event. It returns its content with what belongs to it and stands in other events
// (§7.3.2): toolCallName with every event of a call, the whole arguments at a call's end, the whole content
// at a message's. It is the event itself where nothing is missing.
func (s *Stream) Add(event rawjson.Value) (content string) {
	var more []string
	add := func(name, value string) {
		if !event.Get(name).Exists() {
			more = append(more, rawjson.Quote(name)+":"+value)
		}
	}
	switch EventName(event.Get("type").Text()) {
	case ToolCallStart, toolCallArgs, toolCallEnd, ToolCallChunk, ToolCallResult:
		s.addCall(event, add)
	case textMessageStart, textMessageContent, textMessageEnd, textMessageChunk:
		s.addText(event, add)
	case messagesSnapshot:
		s.addSnapshot(event)
	case RunFinished:
		s.addResult(event.Get("result"))
	}
	return withMembers(event, more)
}

func withMembers(object rawjson.Value, more []string) string {
	raw := object.Raw()
	if len(more) == 0 || object.Kind() != rawjson.Object {
		return raw
	}
	comma := ","
	if object.Len() == 0 {
		comma = ""
	}
	return raw[:len(raw)-1] + comma + strings.Join(more, ",") + "}"
}

func (s *Stream) addCall(event rawjson.Value, add func(name, value string)) {
	kind := EventName(event.Get("type").Text())
	id := event.Get("toolCallId").Text()
	if id == "" && kind == ToolCallChunk {
		id = s.lastCall
	}
	s.lastCall = id
	c := s.call(id)
	if c == nil {
		return
	}
	if name := event.Get("toolCallName").Text(); name != "" {
		c.Name = s.keep(name)
	}
	if c.Start == "" {
		c.Start = s.keep(event.Raw())
	}
	switch kind {
	case toolCallArgs, ToolCallChunk:
		c.args.WriteString(s.keep(event.Get("delta").Text()))
		c.Ended = c.Ended || kind == ToolCallChunk // nothing else ends those
	case toolCallEnd:
		c.Ended = true
		add("arguments", c.ArgsJSON())
	case ToolCallResult:
		c.Answered = true
	}
	if c.Name != "" {
		add("toolCallName", rawjson.Quote(c.Name))
	}
}

// ArgsJSON returns the arguments as JSON: what they are, or a string where they are none.
func (c *ToolCall) ArgsJSON() string {
	var tree rawjson.Tree
	text := c.args.String()
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	if tree.Parse(text, 0) == nil {
		return tree.Root().Compact()
	}
	return rawjson.Quote(strings.ToValidUTF8(text, "\uFFFD"))
}

func (s *Stream) call(id string) *ToolCall {
	if c := s.callByID[id]; c != nil {
		return c
	}
	if len(s.calls) >= mostIDs {
		s.cut = true
		return nil
	}
	if s.callByID == nil {
		s.callByID = map[string]*ToolCall{}
	}
	c := &ToolCall{ID: s.keep(id)}
	s.calls, s.callByID[c.ID] = append(s.calls, c), c
	return c
}

func (s *Stream) addText(event rawjson.Value, add func(name, value string)) {
	kind := EventName(event.Get("type").Text())
	id := event.Get("messageId").Text()
	if id == "" && kind == textMessageChunk {
		id = s.lastText
	}
	s.lastText = id
	m := s.message(id)
	if m == nil {
		return
	}
	if role := event.Get("role").Text(); role != "" {
		m.role = s.keep(role)
	}
	m.text.WriteString(s.keep(event.Get("delta").Text()))
	if kind == textMessageEnd {
		add("content", rawjson.Quote(m.text.String()))
	}
}

// addSnapshot takes messages that no event has told before.
func (s *Stream) addSnapshot(event rawjson.Value) {
	for _, v := range event.Get("messages").Elements() {
		id := v.Get("id").Text()
		if told := s.textByID[id]; !v.Get("role").Is("assistant") || told != nil && told.text.Len() > 0 {
			continue
		}
		if m := s.message(id); m != nil {
			m.role = "assistant"
			m.text.WriteString(s.keep(v.Get("content").Text()))
		}
	}
}

func (s *Stream) message(id string) *message {
	if m := s.textByID[id]; m != nil {
		return m
	}
	if len(s.messages) >= mostIDs {
		s.cut = true
		return nil
	}
	if s.textByID == nil {
		s.textByID = map[string]*message{}
	}
	m := &message{id: s.keep(id)}
	s.messages, s.textByID[m.id] = append(s.messages, m), m
	return m
}

// keep returns what there is room for, in memory of its own.
func (s *Stream) keep(text string) string {
	if room := mostKept - s.kept; len(text) > room {
		text, s.cut = text[:room], true
	}
	s.kept += len(text)
	return strings.Clone(text)
}

// addResult keeps the result of the run, which a text is as it stands.
func (s *Stream) addResult(v rawjson.Value) {
	switch v.Kind() {
	case rawjson.String:
		s.result = s.keep(v.Text())
	case rawjson.Object, rawjson.Array, rawjson.Number, rawjson.Bool:
		s.result = s.keep(v.Compact())
	}
}

// Text returns what the agent said to its user in the run, message by message; without any message the result of the run.
func (s *Stream) Text() string {
	var all []string
	for _, m := range s.messages {
		if (m.role == "" || m.role == "assistant") && m.text.Len() > 0 {
			all = append(all, m.text.String())
		}
	}
	if all == nil {
		all = []string{s.result}
	}
	return strings.ToValidUTF8(strings.Join(all, "\n\n"), "\uFFFD")
}

// Open returns the calls that nobody has answered, in their order.
func (s *Stream) Open() []*ToolCall {
	var out []*ToolCall
	for _, c := range s.calls {
		if c.Ended && !c.Answered {
			out = append(out, c)
		}
	}
	return out
}
