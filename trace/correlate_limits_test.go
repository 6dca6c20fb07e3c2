package trace

import (
	"fmt"
	"strings"
	"testing"
)

// seen gives messages to a Correlator, numbered from 1, and returns them.
func seen(ms ...Message) []Message {
	var c Correlator
	for i := range ms {
		ms[i].Seq = i + 1
		c.Correlate(&ms[i])
	}
	return ms
}

func asks(id, method string) Message {
	return Message{Direction: ToServer, Kind: Request, ID: id, Method: method}
}

func answers(id string) Message { return Message{Direction: ToClient, Kind: Response, ID: id} }

func inExchange(m Message, n int) Message {
	m.HTTP = &HTTP{Exchange: n}
	return m
}

// At the limits of what is remembered, and one beyond.
func TestCorrelatorLimits(t *testing.T) {
	t.Run("requests with one id", func(t *testing.T) {
		for n, first := range map[int]int{maxWaiting: 1, maxWaiting + 1: 2} {
			var ms []Message
			for range n {
				ms = append(ms, asks("1", "a"))
			}
			ms = append(ms, answers("1"))
			if got := seen(ms...)[n]; got.ReplyTo != first {
				t.Errorf("the answer behind %d requests belongs to %d, want %d", n, got.ReplyTo, first)
			}
		}
	})
	t.Run("the method of a request", func(t *testing.T) {
		for n, kept := range map[int]bool{longestMethod: true, longestMethod + 1: false} {
			method := strings.Repeat("m", n)
			if got := seen(asks("1", method), answers("1"))[1]; (got.Method == method) != kept || got.ReplyTo != 1 {
				t.Errorf("of %d bytes: %.10q, answer to %d", n, got.Method, got.ReplyTo)
			}
		}
	})
	t.Run("requests in all", func(t *testing.T) {
		var ms []Message
		for n := range maxKnown + 1 {
			ms = append(ms, asks(fmt.Sprint(n), "a"))
		}
		ms = append(ms, answers("0"), answers("1"))
		got := seen(ms...)
		if m := got[maxKnown+1]; m.Stray != UnknownID {
			t.Errorf("the answer to the one too many: %+v", m)
		}
		if m := got[maxKnown+2]; m.ReplyTo != 2 {
			t.Errorf("the answer to the oldest that is known: %+v", m)
		}
	})
	t.Run("requests that were given up make room", func(t *testing.T) {
		// As many with one id as may wait, again and again: they are not counted for ever.
		ms := []Message{asks("old", "a")}
		for range 3 * maxKnown {
			ms = append(ms, asks("1", "a"))
		}
		ms = append(ms, answers("old"))
		if m := seen(ms...)[len(ms)-1]; m.ReplyTo != 1 {
			t.Errorf("the answer to another id: %+v", m)
		}
	})
	t.Run("ids that had their answer", func(t *testing.T) {
		var ms []Message
		for n := range maxKnown + 1 {
			ms = append(ms, asks(fmt.Sprint(n), "a"), answers(fmt.Sprint(n)))
		}
		ms = append(ms, answers("0"), answers("1"))
		got := seen(ms...)
		if first, second := got[len(got)-2], got[len(got)-1]; first.Stray != UnknownID || second.Stray != Duplicate {
			t.Errorf("second answers: to the one too many %q, to the oldest that is known %q", first.Stray, second.Stray)
		}
	})
	t.Run("long ids", func(t *testing.T) {
		for _, n := range []int{longestID - 2, longestID - 1, 10 * longestID} {
			id := `"` + strings.Repeat("x", n) + `"`
			other := id[:len(id)-2] + `y"`
			if got := seen(asks(id, "a"), asks(other, "b"), answers(other), answers(id)); got[2].ReplyTo != 2 || got[3].ReplyTo != 1 {
				t.Errorf("ids of %d bytes: %d and %d", n+2, got[2].ReplyTo, got[3].ReplyTo)
			}
		}
	})
}

// Which of several requests with one id an answer belongs to.
func TestCorrelatorPrecedence(t *testing.T) {
	for _, tt := range []struct {
		name     string
		messages []Message
		want     []int // ReplyTo of each; 0 for a stray or a request
	}{
		{"the one that has waited longest", []Message{asks("1", "a"), asks("1", "b"), answers("1"), answers("1")}, []int{0, 0, 1, 2}},
		{"the one of its own exchange", []Message{inExchange(asks("1", "a"), 1), inExchange(asks("1", "b"), 2), inExchange(answers("1"), 2), inExchange(answers("1"), 1)}, []int{0, 0, 2, 1}},
		{"an exchange that asked nothing", []Message{inExchange(asks("1", "a"), 1), inExchange(asks("1", "b"), 2), inExchange(answers("1"), 3)}, []int{0, 0, 1}},
		{"not one of a later exchange", []Message{inExchange(asks("1", "a"), 1), inExchange(asks("1", "b"), 5), inExchange(asks("1", "c"), 3), inExchange(answers("1"), 3), inExchange(answers("1"), 2)}, []int{0, 0, 0, 3, 1}},
		{"no exchange", []Message{inExchange(asks("1", "a"), 2), asks("1", "b"), answers("1")}, []int{0, 0, 1}},
		{"no exchange, where one request has none", []Message{inExchange(asks("1", "a"), 1), asks("1", "b"), inExchange(answers("1"), 7), answers("1")}, []int{0, 0, 1, 2}},
		{"a second answer is nobody's", []Message{asks("1", "a"), answers("1"), answers("1"), asks("1", "b"), answers("1")}, []int{0, 1, 0, 0, 4}},
		{"an id in another type", []Message{asks("1", "a"), asks("2", "b"), answers(`"2"`), answers(`"1x"`), answers(`"1"`)}, []int{0, 0, 2, 0, 1}},
		{"interleaved ids", []Message{asks("1", "a"), asks("2", "b"), asks(`"1"`, "c"), answers(`"1"`), answers("2"), answers("1.0")}, []int{0, 0, 0, 3, 2, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i, m := range seen(tt.messages...) {
				if m.ReplyTo != tt.want[i] || m.Kind.Answer() && (m.Stray == "") != (tt.want[i] != 0) {
					t.Errorf("message %d answers %d (%q), want %d", i+1, m.ReplyTo, m.Stray, tt.want[i])
				}
			}
		})
	}
}
