package proberun

import (
	"strconv"
	"strings"
	"testing"

	"gauntlet/internal/engine/schemafill"
)

// An echo proves nothing, in whatever encoding; what only the target knows does.
func TestHolds(t *testing.T) {
	const payload, value = "$(cat /tmp/q7x2m9k4adzz/secret)", "q7x2m9k4adzz"
	for _, tt := range []struct {
		name, answer string
		want         bool
	}{
		{"the content", "line one\nq7x2m9k4adzz\n", true},
		{"the content in base64", "cTd4Mm05azRhZHp6", true},
		{"an echo", "no such file: $(cat /tmp/q7x2m9k4adzz/secret)", false},
		{"an echo in a URL", "GET /%24%28cat%20%2Ftmp%2Fq7x2m9k4adzz%2Fsecret%29", false},
		{"an echo in JSON", `{"error":"\u0024(cat \/tmp\/q7x2m9k4adzz\/secret)"}`, false},
		{"an echo and the content", "$(cat /tmp/q7x2m9k4adzz/secret) gave q7x2m9k4adzz", true},
		{"nothing", "ok", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Holds(tt.answer, payload, value); got != tt.want {
				t.Errorf("Holds(%q) = %v, want %v", tt.answer, got, tt.want)
			}
		})
	}
}

// A value proves something from eight bytes on: a shorter one may be anybody's.
func TestHoldsShortValues(t *testing.T) {
	for value, want := range map[string]bool{"q7x2m9k": false, "q7x2m9k4": true, "": false} {
		if got := Holds("it says "+value, "", value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestHoldsNumber(t *testing.T) {
	const a, b = 123457, 765433
	product := strconv.Itoa(a * b)
	for _, tt := range []struct {
		answer string
		want   bool
	}{
		{"the result is " + product, true},
		{"94,498,061,881", true},
		{"1" + product, false},
		{product + "0", false},
		{product + "0 and " + product, true},
		{"0" + product + "0, " + product + "1", false},
		{product + ".", true},
		{"123457*765433", false},
		{"{{123457*765433}}", false},
	} {
		if got := HoldsNumber(tt.answer, "{{123457*765433}}", a*b); got != tt.want {
			t.Errorf("HoldsNumber(%q) = %v, want %v", tt.answer, got, tt.want)
		}
	}
}

func TestReadDelivery(t *testing.T) {
	schema := schemafill.Parse(`{"properties":{"path":{"type":"string"},"mode":{"type":"string"}},"required":["path","mode"]}`)
	result := func(text string) Answer { return ReadResult(text) }
	failed := func(text string) Answer {
		return ReadResult(`{"isError":true,"content":[{"type":"text","text":` + strconv.Quote(text) + `}]}`)
	}
	ordinary := Ordinary{Value: "ordinary1", Answer: failed("log in first")}
	for _, tt := range []struct {
		name      string
		answer    Answer
		delivered bool
		why       string
	}{
		{"a result", result(`{"content":[{"type":"text","text":"fine"}]}`), true, ""},
		{"an error about the value", failed("/etc/x is outside of the project"), true, ""},
		{"an error of its own", failed("no such file"), true, ""},
		{"the same error as ever", failed("log in first"), false, "the same error with an ordinary value: log in first"},
		{"invalid params", ReadError(-32602, "bad", ""), false, "refused by validation: bad"},
		{"an unknown method", ReadError(-32601, "no", ""), false, "the server does not know the method"},
		{"a validator", failed("Input validation error: 'path' does not match"), false, "refused by validation: Input validation error: 'path' does not match"},
		{"another parameter", failed("mode: pick another"), false, "another parameter is wrong: mode: pick another"},
		{"no answer", Answer{}, true, "no answer in time"},
		{"the end", Answer{Gone: true}, true, "the server ended"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := ReadDelivery(schema, "path", "/etc/x", tt.answer, ordinary)
			if d.Delivered != tt.delivered || d.Why != tt.why {
				t.Errorf("delivered %v (%q), want %v (%q)", d.Delivered, d.Why, tt.delivered, tt.why)
			}
		})
	}
}

// FuzzAnswer: an answer that is nothing but the payload proves nothing, and excerpts stay short.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"}]}`, "$(touch /tmp/abcdefghijkl)")
	schema := schemafill.Parse(`{"properties":{"a":{"type":"string"}}}`)
	f.Fuzz(func(t *testing.T, raw, payload string) {
		a := ReadResult(raw)
		d := ReadDelivery(schema, "a", payload, a, Ordinary{})
		if d.Answered && !d.Delivered {
			t.Fatal("answered and not delivered")
		}
		if HoldsNumber(payload, payload, 123457*765433) && len(payload) >= 4 {
			t.Fatalf("an echo of %q proves a product", payload)
		}
		if s := Excerpt(a.Text, payload); len(s) > 420 || strings.Contains(s, "\x00\x00\x00\x00") && !strings.Contains(raw, `\u0000`) && !strings.Contains(raw, "\x00") {
			t.Fatalf("excerpt %q", s)
		}
	})
}

// Many servers answer an error as a result; what says so at its beginning, or as a member, is one.
func TestReadResultThatFailed(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"fine", false},
		{"Error: no such file", true},
		{"no error", false},
		{"Invalid path", true},
		{"failed", true},
		{"\u274c no", true},
		{`{"success":false}`, true},
		{`{"success":true}`, false},
		{`{"ok":false}`, true},
		{`{"ok":true,"error":null}`, false},
		{`{"status":"Error"}`, true},
		{`{"status":"failed"}`, true},
		{`{"status":"done"}`, false},
		{`{"error":"no"}`, true},
		{`{"error":""}`, false},
		{`{"ok":false`, false}, // no object
	} {
		a := ReadResult(`{"content":[{"type":"text","text":` + strconv.Quote(tt.text) + `}]}`)
		if a.Failed != tt.want || !a.Came || !a.Started {
			t.Errorf("%q: %+v, want failed %t", tt.text, a, tt.want)
		}
	}
}

// Two errors are the same if they say the same and neither repeats its value: one that does has looked at it.
func TestSameError(t *testing.T) {
	const payload, value = "$(id)#1234", "ordinary"
	for _, tt := range []struct {
		name, payload, text, ordinary string
		want                          bool
	}{
		{"the same words", payload, "no rights", "no rights", true},
		{"other words", payload, "no rights", "no such file", false},
		{"each repeats its value", payload, "no " + payload, "no " + value, false},
		{"the payload is repeated", payload, "no " + payload, "no [payload]", false},
		{"a short payload is repeated", "';", "no such file';", "no such file", false},
		{"the ordinary value is repeated", payload, "no ordinary", "no ordinary", false},
	} {
		o := Ordinary{Value: value, Answer: Answer{Came: true, Failed: true, Text: tt.ordinary}}
		if got := sameError(tt.text, tt.payload, o); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// An error that quotes its value shows nothing if an ordinary value ends in one of the same shape.
func TestErrorsOfOneShape(t *testing.T) {
	schema := schemafill.Parse(`{"properties":{"path":{"type":"string"}},"required":["path"]}`)
	for _, tt := range []struct {
		name, payload, text, ordinary string
		want                          bool
	}{
		{"each quotes its value", "$(id)#1234", "no host '$(id)#1234'", "no host 'ordinaryq7x2'", true},
		{"with other numbers", "$(id)#1234", "try 3: no host $(id)#1234", "try 11: no host ordinaryq7x2", true},
		{"as an absolute path", "../../srv/canary.txt", "ENOENT: '/srv/canary.txt'", "ENOENT: '/home/ordinaryq7x2'", true},
		{"the value is refused", "/etc/passwd", "/etc/passwd is outside of the project", "no file ordinaryq7x2", false},
		{"other words", "$(id)#1234", "bad character in $(id)#1234", "no host ordinaryq7x2", false},
	} {
		a, o := ReadResult(`{"isError":true,"content":[{"type":"text","text":`+strconv.Quote(tt.text)+`}]}`), Answer{Came: true, Failed: true, Text: tt.ordinary}
		d := ReadDelivery(schema, "path", tt.payload, a, Ordinary{Value: "ordinaryq7x2", Answer: o})
		if d.Alike != tt.want || !d.Delivered {
			t.Errorf("%s: %+v, want alike %t", tt.name, d, tt.want)
		}
	}
}

// Planted content is known in capitals and backwards, also where it begins with letters alone; its first ten characters as they are.
func TestHoldsStart(t *testing.T) {
	const content = "kaezsxyifn3wir7x6q5psnjb"
	for _, tt := range []struct {
		name, answer string
		want         bool
	}{
		{"as it is", "it says " + content, true},
		{"the part that an error quotes", "Unexpected token k in \"kaezsxyifn\"...", true},
		{"capitals, backwards", "BJNSP5Q6X7RIW3NFIYXSZEAK ENIL DNOCES", true},
		{"another text in capitals, backwards", "CJNSP5Q6X7RIW3NFIYXSZEAL ENIL DNOCES", false},
		{"its beginning alone", "kaezsxyif", false},
	} {
		if got := holdsStart(tt.answer, "/srv/canary.txt", content); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
