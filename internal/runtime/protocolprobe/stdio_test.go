package protocolprobe

import "testing"

// An answer that repeats an id of ours that no message may have is no noise on stdout; a line of a log is.
func TestIsReply(t *testing.T) {
	for line, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":{"a":1},"error":{"code":-32601,"message":"unknown method"}}`: true,
		`{"jsonrpc":"2.0","id":[],"result":{}}`:                                             true,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`:                                    false,
		`{"level":30,"msg":"listening","error":null}`:                                       false,
		`{"jsonrpc":"2.0","error":`:                                                         false,
		`listening on stdio`:                                                                false,
	} {
		if isReply(line) != want {
			t.Errorf("%s: reply %v, want %v", line, !want, want)
		}
	}
}
