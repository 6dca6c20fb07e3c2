package attackrun

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/aguiagent"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/oatf"
	"gauntlet/oatf/indicator"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// runAgent runs the agent. What it gets from the document beside its servers, and its final answer, are events of their own in the
// trace: they are not on the wire.
func (p *play) runAgent(ctx context.Context) {
	prompt := p.task()
	if p.AGUI == "" && p.Prompt == "" && prompt != "" {
		p.recordEvent(trace.ToServer, agui.RunAgentInput, `{"messages":[{"role":"user","content":`+rawjson.Quote(prompt)+`}]}`, "the agent got this as its prompt")
	}
	task := testagent.Task{Prompt: prompt}
	if p.agent().OwnTools {
		task.Files = delivery.Files(p.doc)
	}
	p.outcome = p.agent().Start(ctx, p.servers, task)
	p.recordOwnHands()
	if strings.TrimSpace(p.outcome.Answer) != "" {
		said := strings.ToValidUTF8(p.outcome.Answer, "\uFFFD")
		p.recordEvent(trace.ToClient, agui.Answer, agui.AnswerContent(said, p.outcome.Crashed || onlyRepeats(said, prompt)), "what the agent answered, as it printed or wrote it")
	}
}

// task returns the user's text to the agent.
func (p *play) task() string { return cmp.Or(p.Prompt, attackdoc.Prompt(p.doc)) }

// onlyRepeats reports whether an agent printed its prompt and no word beside: it has answered nothing.
func onlyRepeats(said, prompt string) bool {
	prompt = strings.Join(strings.Fields(prompt), " ")
	return prompt != "" && !delivery.SaysSomething(strings.ReplaceAll(strings.Join(strings.Fields(said), " "), prompt, ""))
}

func (p *play) recordEvent(d trace.Direction, method, raw, note string) {
	_, err := p.file.Recorder().Record(trace.Message{
		Time: time.Now(), Actor: userActor(p.doc), Protocol: agui.Protocol, Direction: d, Kind: trace.Event, Method: method, Raw: raw, Note: note,
	})
	_ = err // the file reports its loss when closed
}

// readsAnswer reports whether an indicator examines the agent's answer.
func readsAnswer(doc *oatf.Document) bool {
	return slices.ContainsFunc(doc.Attack.Indicators, func(i oatf.Indicator) bool { return indicator.ReadsAnswer(&i) })
}

// userActor returns the actor that represents the user, or "".
func userActor(doc *oatf.Document) string {
	for _, a := range doc.Attack.Execution.Actors {
		if oatf.ProtocolOf(a.Mode) == agui.Protocol {
			return a.Name
		}
	}
	return ""
}

// sayTask prints the user's task, and who must ask it: without an agent of ours, the reader.
func (p *play) sayTask() {
	task := p.task()
	switch {
	case p.Silent || task == "":
	case p.AGUI != "" || p.frontend != "":
		p.Note("the user's task goes to %s over AG-UI: %s", cmp.Or(p.AGUI, "the agent"), task)
	case p.Agent != nil:
		p.Note("the user's task goes to the agent as its prompt: %s", task)
	default: // also with --quiet: otherwise nobody knows what to do
		p.Say("the user's task, for you to give to your agent: %s", task)
	}
}

// skipsAGUI says why front ends are not played if no agent speaks AG-UI.
func (p *play) skipsAGUI() string {
	if p.Agent == nil {
		return "no agent was named that speaks AG-UI (--agui): give the user's text to your agent yourself"
	}
	return "no agent was named that speaks AG-UI (--agui): the user's text goes to the agent as its prompt"
}

// openFrontend listens on a local port at which an in-process agent speaks AG-UI, if the document has a front end and no prompt
// was given; otherwise nil.
func (p *play) openFrontend(ctx context.Context) (net.Listener, error) {
	if p.Agent == nil || p.agent().Converse == nil || p.AGUI != "" || p.Prompt != "" || !hasFrontEnd(p.doc) {
		return nil, nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.frontend = "http://" + ln.Addr().String() + "/"
	return ln, nil
}

// hasFrontEnd reports whether the document has an actor that starts runs over AG-UI.
func hasFrontEnd(doc *oatf.Document) bool {
	for i := range doc.Attack.Execution.Actors {
		a := &doc.Attack.Execution.Actors[i]
		for n := range a.Phases {
			if oatf.ProtocolOf(a.Mode) == agui.Protocol && a.Phases[n].State.Get(agui.RunAgentInput).Exists() {
				return true
			}
		}
	}
	return false
}

// serveFrontend serves front ends' runs until ctx ends.
func (p *play) serveFrontend(ctx context.Context, ln net.Listener) {
	var mu sync.Mutex
	frontend := aguiagent.New(ctx, func(ctx context.Context, task mcpclient.Task) (string, error) {
		answer, outcome := p.agent().Converse(ctx, p.servers, task)
		mu.Lock()
		defer mu.Unlock()
		if p.outcome.Trouble == nil {
			p.outcome = outcome
		}
		return answer, outcome.Failure()
	})
	hs := &http.Server{Handler: frontend, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() { // ends by Close
		defer close(ended)
		_ = hs.Serve(ln) // it ends with the run
	}()
	<-ctx.Done()
	_ = hs.Close()
	<-ended
	frontend.Wait()
}
