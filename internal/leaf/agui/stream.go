package agui

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// Limits on what is kept of one run. Beyond them the assembled texts are cut, but all events are seen.
const (
	mostKept = 16 << 20 // bytes of deltas
	mostIDs  = 10_000   // of messages, and of calls
)

// A ToolCall is the agent's call of a front-end tool, or of its own.
type ToolCall struct {
	ID, Name string
	Start    string // the event that started it, as JSON
	Ended    bool
	begun    bool // by an event that another one has to end
	Answered bool // the agent itself has reported a result

	args strings.Builder // assembled from deltas; JSON if the agent is honest
}

// A Stream assembles the events of one run. The zero value has not started. It is not safe for concurrent use.
type Stream struct {
	calls    []*ToolCall
	messages []*message
	callByID map[string]*ToolCall
	textByID map[string]*message
	lastCall string // id for chunks, which name it once
	lastText string
	result   string // result in the run's final event
	kept     int
	cut      bool
}

type message struct {
	id, role string
	text     strings.Builder
	open     bool // it was begun by an event that another one has to end
}

// Cut reports whether a limit was exceeded.
func (s *Stream) Cut() bool { return s.cut }

// Unfinished reports whether a message or a call was begun and not ended: of what was cut off nobody knows what it would have said.
func (s *Stream) Unfinished() bool {
	return slices.ContainsFunc(s.messages, func(m *message) bool { return m.open }) ||
		slices.ContainsFunc(s.calls, func(c *ToolCall) bool { return c.begun && !c.Ended && !c.Answered })
}

// Add adds the next event. It returns its content completed from other events (§7.3.2): toolCallName for every event of a call, the
// complete arguments at a call's end, the complete content at a message's. Otherwise it is the event itself.
func (s *Stream) Add(event rawjson.Value) (content string) {
	content = event.Raw()
	add := func(name, value string) {
		if event.Kind() == rawjson.Object && !event.Get(name).Exists() {
			content = rawjson.Join(content, rawjson.Build(name, value))
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
	return content
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
	case ToolCallStart:
		c.begun = true
	case toolCallArgs, ToolCallChunk:
		c.args.WriteString(s.keep(event.Get("delta").Text()))
		c.Ended = c.Ended || kind == ToolCallChunk // nothing else ends chunked calls
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

// ArgsJSON returns the arguments as JSON: unchanged if valid, else as a string.
func (c *ToolCall) ArgsJSON() string {
	text := c.args.String()
	if strings.TrimSpace(text) == "" {
		return "{}"
	}
	if v := rawjson.Read(text); v.Exists() {
		return v.Compact()
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
	m.open = kind == textMessageStart || m.open && kind != textMessageEnd
	if kind == textMessageEnd {
		add("content", rawjson.Quote(m.text.String()))
	}
}

// addSnapshot adds messages that no event has reported before.
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

// keep copies as much of the text as the limit allows.
func (s *Stream) keep(text string) string {
	if room := mostKept - s.kept; len(text) > room {
		text, s.cut = text[:room], true
	}
	s.kept += len(text)
	return strings.Clone(text)
}

// addResult keeps the run's result; a string is kept without quotes.
func (s *Stream) addResult(v rawjson.Value) {
	switch v.Kind() {
	case rawjson.String:
		s.result = s.keep(v.Text())
	case rawjson.Object, rawjson.Array, rawjson.Number, rawjson.Bool:
		s.result = s.keep(v.Compact())
	}
}

// Text returns what the agent said to its user, message by message, or the run's result if there was no message.
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

// Open returns the unanswered calls in order.
func (s *Stream) Open() []*ToolCall {
	var out []*ToolCall
	for _, c := range s.calls {
		if c.Ended && !c.Answered {
			out = append(out, c)
		}
	}
	return out
}
