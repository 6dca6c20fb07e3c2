package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gauntlet/catalog"
)

func TestCompact(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing to drop", `{"a":[1,2.0e+5,"x y"]}`, `{"a":[1,2.0e+5,"x y"]}`},
		{"every kind of space", " {\t\"a\" :\r\n[ 1 , true ] }\n", `{"a":[1,true]}`},
		{"space in strings", ` [ " a \n b " , "\" ,\\" , "\\" ] `, `[" a \n b ","\" ,\\","\\"]`},
		{"space of other kinds stays", "[\"\u00a0\u2028\ufeff\"]", "[\"\u00a0\u2028\ufeff\"]"},
		{"repeated keys", `{ "a" : 1 , "a" : 2 }`, `{"a":1,"a":2}`},
		{"ill-formed", "[ \"\xff\" , \"\\ud800\" ]", "[\"\xff\",\"\\ud800\"]"},
		{"empty containers", "[ { } , [ \n ] ]", `[{},[]]`},
		{"a word", " null ", "null"},
	} {
		if got, err := Compact(tt.in); err != nil || got != tt.want {
			t.Errorf("%s: Compact(%q) = %q, %v, want %q", tt.name, tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{"", " ", "{", `{"a":1} x`, `{"a":1}{}`, "[1,]", "\"a\nb\"", `"abc`, `"\`} {
		if got, err := Compact(in); err == nil {
			t.Errorf("Compact(%q) = %q, want an error", in, got)
		}
	}
}

// encoding/json is the judge: it drops the same.
func FuzzCompact(f *testing.F) {
	for _, s := range nasty {
		if len(s) < 10_000 {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Compact(text)
		var want bytes.Buffer
		judged := json.Compact(&want, []byte(text))
		if judged != nil && strings.Contains(judged.Error(), "max depth") {
			return
		}
		if (err == nil) != (judged == nil) {
			t.Fatalf("Compact(%q): %v, encoding/json: %v", text, err, judged)
		}
		if err == nil && got != want.String() {
			t.Fatalf("Compact(%q) = %q, want %q", text, got, want.String())
		}
		if again, _ := Compact(got); err == nil && again != got {
			t.Fatalf("twice: %q, then %q", got, again)
		}
	})
}

func TestPick(t *testing.T) {
	several := `{"servers":[{"name":"a","tools":[]},{"name":"b","tools":[{"name":"of b"}],"instructions":"B","capabilities":{"x":1}},{"name":"c","tools":[]},{"name":"c","tools":[]}]}`
	for _, tt := range []struct{ snapshot, name, want, fails string }{
		{several, "b", "b", ""},
		{several, "", "", `the snapshot holds 4 servers: want the name of one: "a", "b", "c", "c"`},
		{several, "d", "", `the snapshot holds no server "d": want "a", "b", "c", "c"`},
		{several, "c", "", `the snapshot holds 2 servers "c"`},
		{`{"servers":[]}`, "", "", "the snapshot holds no server"},
		{`{"tools":[]}`, "", "s", ""},
		{`{"tools":[]}`, "s", "s", ""},
	} {
		c, err := catalog.Parse("s.json", tt.snapshot, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Pick(c, tt.name)
		switch {
		case tt.fails != "" && (err == nil || err.Error() != tt.fails):
			t.Errorf("Pick %q: %v, want %q", tt.name, err, tt.fails)
		case tt.fails == "" && (err != nil || s.Name != tt.want):
			t.Errorf("Pick %q: %+v, %v", tt.name, s, err)
		}
		if tt.want == "b" {
			if got := FromSnapshot(s); got.Instructions[0] != `"B"` || got.Capabilities[0] != `{"x":1}` || got.Lists[0].Items[0] != `{"name":"of b"}` {
				t.Errorf("the state of b: %+v", got)
			}
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, tt := range []struct{ name, snapshot, want string }{
		{"ours", `{"protocolVersion":"1","server":{"name":1,"serverInfo":{"name":"in","version":"2"}}}`, `{"name":1,"serverInfo":{"name":"in","version":"2"}}`},
		{"twice", `{"protocolVersion":"1","server":{"name":"a"},"server":{"name":"b"}}`, `{"name":"a"} {"name":"b"}`},
		{"another tool's", `{"server":{"name":"x","version":null,"serverInfo":{"name":"in","version":"2","title":"T"}}}`, `{"name":"in","version":"2","title":"T"}`},
		{"notes that are an identity", `{"server":{"name":"x","version":"1"}}`, `{"name":"x","version":"1"}`},
		{"notes that are none", `{"server":{"name":"x","version":null}}`, `{"name":"x","version":"unknown"}`},
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"serverInfo":{"name":"r","version":"1"}}}`, `{"name":"r","version":"1"}`},
		{"none", `{"tools":[]}`, `{"name":"file","version":"unknown"}`},
		{"byte order mark", "\ufeff\n {\"serverInfo\":{\"name\":\"b\",\"version\":\"1\"}}", `{"name":"b","version":"1"}`},
	} {
		c, err := catalog.Parse("file.json", tt.snapshot, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(FromSnapshot(c.Servers[0]).Identity, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A state that answers calls itself, as a mock will.
func TestCallAnswers(t *testing.T) {
	state := State{
		Identity: []string{`{"name":"m","version":"1"}`}, Capabilities: []string{`{"tools":{}}`},
		Lists: [4]List{{Present: true, Items: []string{`{"name":"echo"}`, `{"name":"fails"}`, `{"name":"refuses"}`, `{"name":"odd"}`}}},
		Call: func(_ context.Context, c Call) (string, error) {
			switch c.Name {
			case "fails":
				return "", errors.New("out of luck")
			case "refuses":
				return "", &Error{Code: -32021, Message: "no", Data: `{"x":1}`}
			case "odd":
				return `[]`, nil
			}
			return "{ \"content\": [],\n \"structuredContent\": " + c.Params + " }", nil
		},
	}
	s, err := New(state, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{"echo", `"result":{"content":[],"structuredContent":{"name":"echo","n":1.0}}}`},
		{"fails", `"error":{"code":-32603,"message":"Internal error: out of luck"}}`},
		{"refuses", `"error":{"code":-32021,"message":"no","data":{"x":1}}}`},
		{"odd", `"code":-32603`},
	} {
		got := say(t, s, initialize, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tt.name+`","n":1.0}}`)
		if len(got) != 2 || !strings.Contains(got[1], tt.want) {
			t.Errorf("%s: %q, want %s", tt.name, got, tt.want)
		}
	}
	got := say(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+meta+`}}`)
	if !strings.Contains(got[0], `"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"m","version":"1"}},"content":[]`) {
		t.Errorf("modern: %q", got)
	}
	if err := s.Set(State{Lists: [4]List{{Present: true, Items: []string{"{"}}}}); err == nil || !strings.HasPrefix(err.Error(), "tools 0: ") {
		t.Errorf("Set of what is not JSON: %v", err)
	}
	if got := say(t, s, initialize); !strings.Contains(got[0], `"name":"m"`) {
		t.Errorf("after a Set that failed: %q", got)
	}
}
