package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ends returns two Streams that talk to each other without any buffer between them.
func ends(t *testing.T) (client, server *Stream) {
	cr, sw := io.Pipe()
	sr, cw := io.Pipe()
	client, server = NewStream(cr, cw, Limits{}, nil), NewStream(sr, sw, Limits{}, nil)
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

func TestBothEndsSeeTheBytes(t *testing.T) {
	client, server := ends(t)
	const ask = "{ \"jsonrpc\":\"2.0\", \"id\":1.50,\"method\":\"x\",\"params\":\"\xff\"}"
	for _, way := range [][2]*Stream{{client, server}, {server, client}} {
		if err := way[0].Send(t.Context(), []byte(ask)); err != nil {
			t.Fatal(err)
		}
		m, err := way[1].Receive(t.Context())
		if err != nil || m.Raw != ask || m.ID != "1.50" {
			t.Errorf("received %q, %v, want %q", m.Raw, err, ask)
		}
	}
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	client, server := ends(t)
	for i := range sendQueue {
		if err := server.Send(t.Context(), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	closed := make(chan error)
	go func() { closed <- server.Close() }() // ends when the client has read all
	for i := range sendQueue {
		if m, err := client.Receive(t.Context()); err != nil || m.Raw != fmt.Sprint(i) {
			t.Fatalf("message %d: %q, %v", i, m.Raw, err)
		}
	}
	if _, err := client.Receive(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last message: %v, want EOF", err)
	}
	<-closed
	if err := server.Send(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
	if _, err := server.Receive(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Receive after Close: %v", err)
	}
}

func TestAPeerThatNeverReadsHoldsNobodyUp(t *testing.T) {
	r, w := io.Pipe()
	in, _ := io.Pipe()
	s := NewStream(in, w, Limits{}, nil)
	// One byte is read, so that the writer stands in the middle of a message for good.
	if err := s.Send(t.Context(), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	queued := 0
	for ; s.Send(done, []byte("{}")) == nil; queued++ {
	}
	if queued != sendQueue {
		t.Errorf("%d messages were queued without waiting, want %d", queued, sendQueue)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Send(ctx, []byte("{}")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Send with a full queue: %v", err)
	}
	if _, err := s.Receive(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Receive from a silent peer: %v", err)
	}
	s.Close()
	s.Close()
	r.Close()
}

func TestALineBreakCannotBeSmuggledIn(t *testing.T) {
	client, _ := ends(t)
	if err := client.Send(t.Context(), []byte("{}\n{}")); err == nil {
		t.Error("a message with a line break was sent")
	}
}

func TestClientTellsAnswersFromStrays(t *testing.T) {
	client, server := ends(t)
	c := NewClient(client, Limits{})
	done := make(chan error)
	// Ends with the last message sent, or with the stream.
	go func() {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":9,"result":{}}`, "log",
			`{"jsonrpc":"2.0","method":"notifications/message"}`, `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 5000) + `","method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601.0,"message":"n\u006f"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`,
		} {
			if err := server.Send(context.Background(), []byte(line)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	_, err := c.Call(t.Context(), "first", `{}`)
	var answer *AnswerError
	if !errors.As(err, &answer) || answer.Code != -32601 || answer.Message != "no" {
		t.Errorf("first: %v", err)
	}
	if m, err := c.Call(t.Context(), "second", `{}`); err != nil || m.ID != "2" {
		t.Errorf("second: %+v, %v", m, err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	got := c.Strays()
	if got.Noise.Count != 1 || got.Notifications != 1 || got.Requests != 2 || got.Unanswered != 1 || got.Late != 1 || got.Unknown != 1 || got.Total != 6 {
		t.Errorf("strays: %+v", got)
	}
	if _, err := server.Receive(t.Context()); err != nil { // the request
		t.Error(err)
	}
	if m, _ := server.Receive(t.Context()); m.Raw != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("the answer to ping is %s", m.Raw)
	}
}

// A peer that asks and asks without reading fills the queue: no notification may wait for it without end.
func TestNotifyToPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, _ := io.Pipe()
		_, out := io.Pipe()
		s := NewStream(in, out, Limits{}, nil)
		defer s.Close()
		c := NewClient(s, Limits{})
		full := false
		for range 2 * sendQueue {
			began := time.Now()
			if err := c.Notify(t.Context(), "notifications/cancelled", "{}"); err != nil {
				full = true
				if took := time.Since(began); took > notifyWait || !strings.Contains(err.Error(), "does not read") {
					t.Fatalf("Notify took %v and said %q, want within %v that the server does not read", took, err, notifyWait)
				}
			}
		}
		if !full {
			t.Error("no notification found the queue full")
		}
	})
}
