package attackrun

import (
	"cmp"
	"context"
	"strings"
	"time"

	"gauntlet/internal/leaf/agui"
	"gauntlet/oatf"
	"gauntlet/oatf/indicator"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// runAgent lets the agent that was named do its work. What it is given of the document beside its servers,
// and what it answers in the end, stand in the trace as events of their own: they go over no wire.
func (p *play) runAgent(ctx context.Context) {
	prompt := cmp.Or(p.Prompt, Prompt(p.doc))
	if p.AGUI == "" && p.Prompt == "" && prompt != "" {
		p.recordEvent(trace.ToServer, agui.RunAgentInput, `{"messages":[{"role":"user","content":`+rawjson.Quote(prompt)+`}]}`, "the agent got this as its prompt")
	}
	p.outcome = p.agent().Start(ctx, p.servers, prompt)
	if strings.TrimSpace(p.outcome.Answer) != "" {
		p.recordEvent(trace.ToClient, agui.Answer, agui.AnswerContent(strings.ToValidUTF8(p.outcome.Answer, "\uFFFD")), "what the agent answered, as it printed or wrote it")
	}
}

func (p *play) recordEvent(d trace.Direction, method, raw, note string) {
	_, err := p.file.Recorder().Record(trace.Message{
		Time: time.Now(), Actor: userActor(p.doc), Protocol: agui.Protocol, Direction: d, Kind: trace.Event, Method: method, Raw: raw, Note: note,
	})
	_ = err // the file tells its loss when it is closed
}

// readsAnswer reports whether an indicator looks at what the agent answers.
func readsAnswer(doc *oatf.Document) bool {
	for i := range doc.Attack.Indicators {
		if indicator.ReadsAnswer(&doc.Attack.Indicators[i]) {
			return true
		}
	}
	return false
}

// userActor is the actor that stands for the user, "" if there is none.
func userActor(doc *oatf.Document) string {
	for _, a := range doc.Attack.Execution.Actors {
		if oatf.ProtocolOf(a.Mode) == agui.Protocol {
			return a.Name
		}
	}
	return ""
}

// skipsAGUI says why front ends are not played where no agent speaks AG-UI.
func (p *play) skipsAGUI() string {
	if p.Agent == nil {
		return "no agent was named that speaks AG-UI (--agui): what it has the user say is for you to say"
	}
	return "no agent was named that speaks AG-UI (--agui): what it has the user say goes to the agent as its prompt"
}

// Prompt returns what a document has the user say to the agent: the messages of role user
// of its first AG-UI actor that has any, one paragraph each; "" if there are none.
func Prompt(doc *oatf.Document) string {
	for i := range doc.Attack.Execution.Actors {
		a := &doc.Attack.Execution.Actors[i]
		if a.Mode != "ag_ui_client" {
			continue
		}
		var said []string
		for p := range a.Phases {
			for _, m := range a.Phases[p].State.Get("run_agent_input").Get("messages").Elements() {
				if text := saidIn(m.Get("content")); m.Get("role").Is("user") && text != "" {
					said = append(said, text)
				}
			}
		}
		if said != nil {
			return strings.Join(said, "\n\n")
		}
	}
	return ""
}

// saidIn returns the words of a message's content: a text, or a list of parts of which those
// of text count.
func saidIn(content rawjson.Value) string {
	var parts []string
	for _, p := range content.Elements() {
		if text := p.Get("text").Text(); text != "" {
			parts = append(parts, text)
		}
	}
	return content.Text() + strings.Join(parts, "\n")
}
