package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, raw  string
		kind       Kind
		id, method string
		note       string // how it begins
	}{
		{"request", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`, Request, "7", "tools/list", ""},
		{"notification", `{"jsonrpc":"2.0","method":"notifications\/initialized"}`, Notification, "", "notifications/initialized", ""},
		{"response", `{"jsonrpc":"2.0","id":"a\u0062","result":null}`, Response, `"a\u0062"`, "", ""},
		{"error", `{"jsonrpc":"2.0","id":null,"error":{"code":1}}`, Error, "null", "", ""},
		{"big id kept", `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`, Response, "9007199254740993", "", ""},
		{"escaped member name", `{"jsonrpc":"2.0","\u0069d":1,"result":{}}`, Response, "1", "", ""},
		{"null error beside a result", `{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, Response, "1", "", ""},
		{"null result beside an error", `{"jsonrpc":"2.0","id":1,"result":null,"error":{}}`, Error, "1", "", ""},
		{"no version", `{"id":1,"result":{}}`, Response, "1", "", `the message does not say "jsonrpc"`},
		{"version as a number", `{"jsonrpc":2.0,"id":1,"result":{}}`, Response, "1", "", `the message does not say "jsonrpc"`},
		{"repeated member", `{"jsonrpc":"2.0","id":1,"result":{},"result":[]}`, Response, "1", "", `the message has more than one "result"`},
		{"result in another case", `{"jsonrpc":"2.0","id":1,"Result":{}}`, Response, "1", "", `the message has a member "Result"`},
		{"result in another case beside one", `{"jsonrpc":"2.0","id":1,"result":{},"RESULT":[]}`, Response, "1", "", `the message has a member "RESULT"`},
		{"id and result in another case", `{"jsonrpc":"2.0","ID":1,"re` + "\u017f" + `ult":{}}`, Response, "1", "", "the message has a member"},
		{"error in another case beside a result", `{"jsonrpc":"2.0","id":1,"result":{},"Error":{}}`, Invalid, "1", "", "both a result and an error"},
		{"upper-case method", `{"jsonrpc":"2.0","id":1,"Method":"x"}`, Invalid, "1", "", "neither method"},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`, Invalid, "1", "", "both a request and an answer"},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, Invalid, "1", "", "both a result and an error"},
		{"id an object", `{"jsonrpc":"2.0","id":{},"result":{}}`, Invalid, "{}", "", "the id is neither"},
		{"request with null id", `{"jsonrpc":"2.0","id":null,"method":"x"}`, Invalid, "null", "", "a request whose id is null"},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":4}`, Invalid, "1", "", "the method is not a string"},
		{"result without id", `{"jsonrpc":"2.0","result":{}}`, Invalid, "", "", "a result without an id"},
		{"error a string", `{"jsonrpc":"2.0","id":1,"error":"no"}`, Invalid, "1", "", "the error is not an object"},
		{"cut short", `{"jsonrpc":"2.0","id":3,"result":{"tools":[`, Invalid, "3", "", "not JSON: byte 43"},
		{"two values", `{"jsonrpc":"2.0","id":1,"result":{}} {}`, Invalid, "1", "", "not JSON: byte 36"},
		{"a log line", `INFO started`, Invalid, "", "", "neither a JSON object nor a batch"},
		{"a log line in brackets", `[INFO] started`, Invalid, "", "", "not JSON"},
		{"numbers", ` [1,2]`, Invalid, "", "", "an array that is not a batch"},
		{"empty batch", `[ ]`, Invalid, "", "", "an array that is not a batch"},
		{"empty", "\t", Invalid, "", "", "an empty line"},
		{"batch", ` [ {"jsonrpc":"2.0","id":1,"result":{}}]`, Batch, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Decode(tt.raw)
			if m.Kind != tt.kind || m.ID != tt.id || m.Method != tt.method || m.Raw != tt.raw {
				t.Errorf("Decode(%s) = %v id %s method %q, want %v id %s method %q", tt.raw, m.Kind, m.ID, m.Method, tt.kind, tt.id, tt.method)
			}
			if tt.note == "" && m.Note != "" || !strings.HasPrefix(m.Note, tt.note) {
				t.Errorf("Decode(%s): note %q, want %q", tt.raw, m.Note, tt.note)
			}
		})
	}
}

func TestPartsOfABatch(t *testing.T) {
	m := Decode(` [{"jsonrpc":"2.0","id":1,"result":{ }}, 7,[{}] ]`)
	var got []string
	for p := range m.Parts() {
		got = append(got, p.Kind.String()+" "+p.Raw)
	}
	if want := `response {"jsonrpc":"2.0","id":1,"result":{ }}|invalid 7|invalid [{}]`; strings.Join(got, "|") != want {
		t.Errorf("Parts: %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestDeepNestingIsOnlySkipped(t *testing.T) {
	const n = 1_000_000
	raw := `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	if m := Decode(raw); m.Kind != Response || len(m.Result) != 2*n {
		t.Errorf("%v with a result of %d bytes", m.Kind, len(m.Result))
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain é": "plain é", "\x1b[2J": `\x1b[2J`, "a\nb": `a\nb`, "\xff": `\xff`, "\uFFFD": "\uFFFD",
		"abc\u202edef": `abc\u202edef`, "it's": "it's",
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever comes, the text is kept, it has exactly one kind, everything cut from it is a
// part of it, an invalid message has a reason, and decoding again says the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"a","params":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601}}`,
		`[{"jsonrpc":"2.0","method":"a"},1]`, `{"id":1,"result":[`, "\xff", `{"id":1,"id":2,"result":1}`, ` {"\u0069d":{}}`, `[`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		m := Decode(raw)
		if m.Raw != raw {
			t.Fatalf("Raw = %q, want %q", m.Raw, raw)
		}
		for _, part := range []string{m.ID, m.Params, m.Result, m.Error} {
			if !strings.Contains(raw, part) {
				t.Fatalf("%q is no part of %q", part, raw)
			}
		}
		answer, ask := m.Result != "" || m.Error != "", m.Kind == Request || m.Kind == Notification
		ok := map[Kind]bool{
			Invalid:      m.Note != "",
			Request:      m.ID != "" && m.ID != "null" && !answer,
			Notification: m.ID == "" && !answer,
			Response:     m.ID != "" && m.ID != "null" && m.Result != "" && m.Error == "",
			Error:        m.Error != "" && m.Result == "",
			Batch:        m.ID == "" && !answer,
		}
		if good, known := ok[m.Kind]; !known || !good || !ask && m.Method != "" || !utf8.ValidString(m.Method) && utf8.ValidString(raw) {
			t.Fatalf("Decode(%q) = %+v: a %v cannot be so", raw, m, m.Kind)
		}
		if again := Decode(m.Raw); again != m {
			t.Fatalf("Decode(%q) = %+v, the second time %+v", raw, m, again)
		}
		n := 0
		for p := range m.Parts() {
			if n++; p.Kind == Batch {
				t.Fatalf("a part of %q is a batch", raw)
			}
		}
		if n == 0 {
			t.Fatalf("%q has no parts", raw)
		}
	})
}
