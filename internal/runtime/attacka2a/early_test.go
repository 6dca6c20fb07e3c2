package attacka2a

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/trace"
)

// A client that comes before the run has begun waits, and is then answered.
func TestEarlyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doc, _, err := oatf.Load("oatf: \"0.1\"\nattack: {execution: {mode: a2a_server, state: {agent_card: {name: early}}}}")
		if err != nil {
			t.Fatal(err)
		}
		keep := func(*trace.Message) error { return nil }
		r, err := attack.New(doc, attack.Options{Recorder: trace.NewRecorder(keep, trace.RecorderOptions{}), Bindings: []attack.Binding{New(Options{})}})
		if err != nil {
			t.Fatal(err)
		}
		answer := httptest.NewRecorder()
		served := make(chan struct{})
		go func() { // ends when the run has begun
			defer close(served)
			q := httptest.NewRequest(http.MethodGet, a2a.CardPath, nil)
			q.Host = "localhost"
			r.Player("default").(*server).ServeHTTP(answer, q)
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan attack.Summary, 1)
		go func() { done <- r.Run(ctx) }() // ends by End
		<-served
		r.End("the test is over")
		<-done
		if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), `"name":"early"`) {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	})
}
