package proberun

import (
	"testing"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// An answer that repeats an id of ours that no message may have is no noise on stdout; a line of a log is.
func TestIsReply(t *testing.T) {
	for _, tt := range []struct {
		line      string
		odd, want bool // an id was sent before that a server cannot repeat
	}{
		{`{"jsonrpc":"2.0","id":{"a":1},"error":{"code":-32601,"message":"unknown method"}}`, false, true},
		{`{"jsonrpc":"2.0","id":[],"result":{}}`, false, true},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, false, false},
		{`{"level":30,"msg":"listening","error":null}`, false, false},
		{`{"jsonrpc":"2.0","error":`, false, false},
		{`listening on stdio`, false, false},
		{`{"jsonrpc":"2.0","id":Infinity,"result":{}}`, true, true},
		{`{"jsonrpc":"2.0","id":Infinity,"result":{}}`, false, false},
		{`{"level":30,"msg":"id is Infinity","error":null}`, true, false},
		{`id Infinity`, true, false},
	} {
		if s := (&lineProber{oddID: tt.odd}); s.isReply(tt.line) != tt.want {
			t.Errorf("%s behind an odd id %v: reply %v, want %v", tt.line, tt.odd, !tt.want, tt.want)
		}
	}
}

// A server has to repeat texts and whole numbers that a float holds; nothing else is its fault.
func TestIsOdd(t *testing.T) {
	for id, want := range map[string]bool{`"a"`: false, `7`: false, `1e3`: false, `null`: false, `1e400`: true, `1.5`: true, `{"a":1}`: true, `90071992547409931`: true} {
		if isOdd(id) != want {
			t.Errorf("%s: odd %v, want %v", id, !want, want)
		}
	}
}

// The odd id stands also in messages behind which nothing is asked but whether the server lives.
func TestAnswerToAnOddIDIsNoNoise(t *testing.T) {
	for id, want := range map[string]bool{"1e400": true, "7": false} {
		s := &lineProber{out: new(probe.Protocol)}
		m := wire.Decode(`{"jsonrpc": "2.0", "id": Infinity, "result": {}}`)
		if got := s.isAnswer(t.Context(), new(probe.Exchange), m, id); got != want || (s.out.Noise == 0) != want {
			t.Errorf("Infinity after the id %s: an answer: %t, noise: %d", id, got, s.out.Noise)
		}
	}
}
