package mcpserver

import (
	"context"
	"errors"
	"testing"

	"gauntlet/internal/runtime/wire"
)

// An answer goes to the question with its id, once, in whatever order answers come, and nothing is
// remembered of a question that nobody waits for any more.
func TestAnswersReachTheirQuestions(t *testing.T) {
	session := &Session{over: make(chan struct{})}
	var ids []string
	keep := func(_ context.Context, line string) error {
		ids = append(ids, wire.Decode(line).ID)
		return nil
	}
	ask := func(method string) func(context.Context) (wire.Message, error) {
		wait, err := session.sendRequest(t.Context(), method, "", nil, keep)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	first, second := ask("roots/list"), ask("ping")
	if ids[0] == ids[1] {
		t.Fatalf("two questions have the id %s", ids[0])
	}
	answer := func(id, result string) {
		session.deliverAnswer(wire.Decode(`{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`))
	}
	answer(ids[1], `{"n":2}`)
	answer("99", `{"n":"nobody asked"}`)
	answer(ids[0], `{"n":1}`)
	answer(ids[0], `{"n":"a second answer"}`)
	for i, wait := range []func(context.Context) (wire.Message, error){first, second} {
		want := []string{`{"n":1}`, `{"n":2}`}[i]
		if m, err := wait(t.Context()); err != nil || m.Result != want {
			t.Errorf("question %d: got %s, %v, want %s", i+1, m.Result, err, want)
		}
	}
	if n := len(session.pendingAnswers); n != 0 {
		t.Errorf("%d questions are remembered after all were answered", n)
	}
}

// A question that could not be sent, or that nobody waits for any more, leaves nothing behind, and its
// late answer goes to no other.
func TestQuestionsThatAreGivenUp(t *testing.T) {
	session := &Session{over: make(chan struct{})}
	broken := errors.New("the pipe is closed")
	if _, err := session.sendRequest(t.Context(), "ping", "", nil, func(context.Context, string) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if session.isBusy() {
		t.Error("a question that was not sent keeps the session busy")
	}
	wait, err := session.sendRequest(t.Context(), "ping", "", nil, func(context.Context, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if !session.isBusy() {
		t.Error("a question that waits does not keep the session busy")
	}
	given, up := context.WithCancelCause(t.Context())
	up(ErrNoAnswer)
	if _, err := wait(given); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("got %v", err)
	}
	if session.isBusy() {
		t.Error("a question that was given up keeps the session busy")
	}
	session.deliverAnswer(wire.Decode(`{"jsonrpc":"2.0","id":2,"result":{}}`))
	if len(session.pendingAnswers) != 0 {
		t.Error("a late answer is remembered")
	}
}
