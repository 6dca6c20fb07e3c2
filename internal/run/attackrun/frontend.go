package attackrun

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/runtime/aguiagent"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/oatf"
)

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
