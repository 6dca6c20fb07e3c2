package mcpclient

import (
	"encoding/json"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

// Whatever a result asks for, what goes back is JSON, has an answer for each request under
// the key that it came with, and the state as it came; or there is an error.
func FuzzInputs(f *testing.F) {
	for _, s := range []string{
		`{"inputRequests":{"k":{"method":"elicitation/create","params":{}},"k\u0065":{"method":"roots/list"}},"requestState":"a\u0062"}`,
		`{"requestState":{"x":1.0}}`, `{"inputRequests":{}}`, `{"inputRequests":{"":{"method":"sampling/createMessage","params":7}}}`, `{}`, `{"inputRequests":null}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, result string) {
		if end, err := rawjson.Skip(result, 0); err != nil || end != len(result) || result[0] != '{' {
			return
		}
		c := &conversation{opt: Options{Capabilities: `{"roots":{},"sampling":{},"elicitation":{}}`, Answer: func(string, string) (string, bool) { return "{}", true }}.withDefaults()}
		members, err := c.answerInputs("tools/call", result)
		if err != nil {
			if members != "" {
				t.Fatalf("%q and the error %v", members, err)
			}
			return
		}
		retry := "{" + members + "}"
		if end, err := rawjson.Skip(retry, 0); err != nil || end != len(retry) {
			t.Fatalf("the retry %q is no JSON: %v", retry, err)
		}
		if rawjson.LastMember(retry, "requestState") != rawjson.LastMember(result, "requestState") {
			t.Errorf("the state in %q is not that of %q", retry, result)
		}
		if got, want := keysOf(rawjson.LastMember(retry, "inputResponses")), keysOf(rawjson.LastMember(result, "inputRequests")); got != want {
			t.Errorf("answers to %s, asked for %s", got, want)
		}
	})
}

// keysOf returns the keys of a raw object as they are written.
func keysOf(object string) string {
	var keys []string
	if object != "" {
		_ = rawjson.EachMember(object, 0, func(key, _ rawjson.Span) bool {
			keys = append(keys, object[key.Start:key.End])
			return true
		})
	}
	text, _ := json.Marshal(keys) // strings can always be encoded
	return strings.ReplaceAll(string(text), "null", "[]")
}
