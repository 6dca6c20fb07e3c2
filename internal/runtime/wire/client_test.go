package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A scripted connection answers each message that is sent with the lines that its script has
// for the method.
type scripted struct {
	script map[string][]string
	lines  []string
	sent   []string
}

func (s *scripted) Send(_ context.Context, msg []byte) error {
	m := Decode(string(msg))
	s.sent = append(s.sent, string(msg))
	for _, line := range s.script[m.Method] {
		s.lines = append(s.lines, strings.ReplaceAll(line, "ID", m.ID))
	}
	return nil
}

func (s *scripted) Receive(context.Context) (Message, error) {
	if len(s.lines) == 0 {
		return Message{}, &EndError{How: "closed its stdout"}
	}
	m := Decode(s.lines[0])
	s.lines = s.lines[1:]
	return m, nil
}

func (*scripted) Close() error { return nil }

func manyNotes(n int) []string {
	var out []string
	for range n {
		out = append(out, `{"jsonrpc":"2.0","method":"notifications/message"}`)
	}
	return out
}

const answerLine = `{"jsonrpc":"2.0","id":ID,"result":{"for":"ID"}}`

// Every call gets the answer with its own id, and only the first one, whatever comes beside it.
func TestAnswersFindTheirRequests(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lines  []string // to the second of three calls
		want   string   // its result, "" for an error
		strays Strays   // behind all three
	}{
		{"the answer alone", []string{answerLine}, `{"for":"2"}`, Strays{}},
		{"answered twice: the first counts", []string{answerLine, `{"jsonrpc":"2.0","id":ID,"result":{"second":true}}`}, `{"for":"2"}`, Strays{Total: 1, Late: 1, Twice: []string{"b"}}},
		{"answered twice alike", []string{answerLine, answerLine}, `{"for":"2"}`, Strays{Total: 1, Late: 1}},
		{"answered twice alike under two ids", []string{answerLine, `{"jsonrpc":"2.0","id":"ID","result":{"for":"2"}}`}, `{"for":"2"}`, Strays{Total: 1, Late: 1}},
		{"a late answer to the call before", []string{`{"jsonrpc":"2.0","id":1,"result":{"late":true}}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Late: 1, Twice: []string{"a"}}},
		{"an answer to the call to come", []string{`{"jsonrpc":"2.0","id":3,"result":{"early":true}}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Unknown: 1}},
		{"the id as a string", []string{`{"jsonrpc":"2.0","id":"ID","result":{"text":true}}`}, `{"text":true}`, Strays{}},
		{"the id with a fraction of nothing", []string{`{"jsonrpc":"2.0","id":ID.0,"result":{"text":true}}`}, `{"text":true}`, Strays{}},
		{"the id as a string and as asked", []string{`{"jsonrpc":"2.0","id":"ID","result":{"text":true}}`, answerLine}, `{"text":true}`, Strays{Total: 1, Late: 1, Disputed: []string{"b"}}},
		{"another id as a string", []string{`{"jsonrpc":"2.0","id":"IDx","result":{"text":true}}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Unknown: 1}},
		{"the id 0", []string{`{"jsonrpc":"2.0","id":0,"result":{}}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Unknown: 1}},
		{"a longer id that begins alike", []string{`{"jsonrpc":"2.0","id":ID0,"result":{}}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Unknown: 1}},
		{"two answers in a batch", []string{`[` + answerLine + `,{"jsonrpc":"2.0","id":ID,"result":{"second":true}}]`}, `{"for":"2"}`, Strays{Total: 1, Late: 1, Twice: []string{"b"}}},
		{"an error before the result", []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"no"}}`, answerLine}, "", Strays{Total: 1, Late: 1, Twice: []string{"b"}}},
		{"a log line with the id", []string{`{"id":ID,"level":"info"}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Noise: Noise{Count: 1}}},
		{"broken, but an answer", []string{`{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1}}`}, "", Strays{}},
		{"a request with the id", []string{`{"jsonrpc":"2.0","id":ID,"method":"roots/list"}`, answerLine}, `{"for":"2"}`, Strays{Total: 1, Requests: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := &scripted{script: map[string][]string{"a": {answerLine}, "b": tt.lines, "c": {answerLine}}}
			c := NewClient(conn, Limits{})
			for i, method := range []string{"a", "b", "c"} {
				want := fmt.Sprintf(`{"for":"%d"}`, i+1)
				if method == "b" {
					want = tt.want
				}
				m, err := c.Call(t.Context(), method, "{}")
				if m.Result != want && err == nil || (err != nil) != (want == "") {
					t.Errorf("%s: %s, %v, want %s", method, m.Result, err, want)
				}
			}
			got := c.Strays()
			got.Noise.Lines, got.Noise.Last = nil, ""
			if fmt.Sprint(got) != fmt.Sprint(tt.strays) {
				t.Errorf("strays %+v, want %+v", got, tt.strays)
			}
		})
	}
}

// The answer in a batch is found behind as many others as a request may meet.
func TestStrayLimitInABatch(t *testing.T) {
	for n, found := range map[int]bool{5: true, 6: false} {
		batch := "[" + strings.Join(append(manyNotes(n), answerLine), ",") + "]"
		c := NewClient(&scripted{script: map[string][]string{"a": {batch}}}, Limits{Strays: 5})
		if _, err := c.Call(t.Context(), "a", "{}"); (err == nil) != found {
			t.Errorf("behind %d others: %v, want an answer: %v", n, err, found)
		}
	}
}

// As many bytes as the limit says are taken, and one more is not.
func TestTotalLimitAtItsBound(t *testing.T) {
	const text = "one\ntwo\n"
	for total, want := range map[int64]bool{int64(len(text)): true, int64(len(text)) - 1: false} {
		l := NewLines(strings.NewReader(text), Limits{Total: total})
		var err error
		for range 2 {
			if err == nil {
				_, err = l.Next()
			}
		}
		if (err == nil) != want {
			t.Errorf("%d bytes of %d: %v, want all of it: %v", len(text), total, err, want)
		}
	}
}

// A limit holds what it says: that many are taken, and one more is not.
func TestStrayLimitsAtTheirBounds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits Limits
		before int // messages before the answer to each of two calls
		failed [2]bool
		final  bool
	}{
		{"as many as one request may meet", Limits{Strays: 5, TotalStrays: 100}, 5, [2]bool{false, false}, false},
		{"one more", Limits{Strays: 5, TotalStrays: 100}, 6, [2]bool{true, true}, false},
		{"as many as the connection may meet", Limits{Strays: 10, TotalStrays: 8}, 4, [2]bool{false, false}, false},
		{"one more on the connection", Limits{Strays: 10, TotalStrays: 7}, 4, [2]bool{false, true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := &scripted{script: map[string][]string{"a": append(manyNotes(tt.before), answerLine)}}
			c := NewClient(conn, tt.limits)
			for i, want := range tt.failed {
				_, err := c.Call(t.Context(), "a", "{}")
				var flood *FloodError
				if errors.As(err, &flood) != want || err != nil && !want {
					t.Errorf("call %d: %v, want a flood: %v", i+1, err, want)
				}
				conn.lines = nil
			}
			if (c.Err() != nil) != tt.final {
				t.Errorf("the connection: %v, want an end: %v", c.Err(), tt.final)
			}
		})
	}
}

// quiet is a scripted connection that stays open and silent after its lines.
type quiet struct{ scripted }

func (q *quiet) Receive(ctx context.Context) (Message, error) {
	if len(q.lines) == 0 {
		<-ctx.Done()
		return Message{}, context.Cause(ctx)
	}
	return q.scripted.Receive(ctx)
}

// An answer that reaches no request is not waited behind for the whole time, and only that.
func TestNothingFollowsAMisdirectedAnswer(t *testing.T) {
	const limit = time.Minute
	for _, tt := range []struct {
		name, line string
		takes      time.Duration
		idle       bool
	}{
		{"a text", `{"jsonrpc":"2.0","id":"request-ID","result":{}}`, Idle, true},
		{"no id", `{"jsonrpc":"2.0","id":null,"result":{}}`, Idle, true},
		{"a list", `{"jsonrpc":"2.0","id":[ID],"result":{}}`, Idle, true},
		{"white space is read", `{"jsonrpc":"2.0","id":" ID ","result":{}}`, 0, false},
		{"an earlier id: it is late", `{"jsonrpc":"2.0","id":1,"result":{}}`, limit, false},
		{"a log", `{"level":"info","id":9}`, limit, false},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/message"}`, limit, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := NewClient(&quiet{scripted{script: map[string][]string{"a": {answerLine}, "b": {tt.line}, "c": {answerLine}}}}, Limits{})
			if _, err := c.Call(t.Context(), "a", "{}"); err != nil {
				t.Fatal(err)
			}
			inTime, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			_, err := c.Call(inTime, "b", "{}")
			if took := time.Since(began); took != tt.takes || errors.Is(err, ErrIdle) != tt.idle || (err == nil) != (tt.takes == 0) {
				t.Errorf("%s: %v after %v, want %v, idle: %v", tt.name, err, took, tt.takes, tt.idle)
			}
			if _, err := c.Call(t.Context(), "c", "{}"); err != nil {
				t.Errorf("%s: the next call: %v", tt.name, err)
			}
		})
	}
}
