package faults

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gauntlet/rawjson"
)

const (
	answer    = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a@payload@b"}]}}`
	unmarked  = `{"jsonrpc":"2.0","id":"seven","result":{"tools":[]}}`
	emptied   = `{"jsonrpc":"2.0","id":7,"result":{}}`
	told      = `{"jsonrpc":"2.0","method":"notifications/x"}`
	valueMark = `{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"x":"@payload@"}}}`
)

func read(t testing.TB, text string) *Rule {
	t.Helper()
	var tree rawjson.Tree
	if err := tree.Parse("["+text+"]", 0); err != nil {
		t.Fatal(err)
	}
	rules, faults := Read(tree.Root())
	if faults != nil {
		t.Fatalf("%s: %v", text, faults)
	}
	return rules[0]
}

// sent writes a plan as stdio would have it: waits and ends in words.
func sent(t testing.TB, rule string, m Message) string {
	t.Helper()
	p, why := read(t, rule).Plan(m)
	if why != "" {
		return "not done: " + why
	}
	var b strings.Builder
	if p.Status != 0 || p.Header != nil {
		fmt.Fprintf(&b, "%d %v ", p.Status, p.Header)
	}
	for s := range p.Steps {
		switch {
		case s.Close:
			b.WriteString("(closed)")
		case s.Reset:
			b.WriteString("(reset)")
		case s.Wait > 0:
			fmt.Fprintf(&b, "(%v)", s.Wait)
		default:
			if s.Begin {
				b.WriteByte('<')
			}
			b.Write(s.Data)
			if s.End {
				b.WriteByte('>')
			}
		}
	}
	return b.String()
}

func TestPlans(t *testing.T) {
	for _, tt := range []struct{ rule, text, want string }{
		{`{"do":"delay","wait":"2s"}`, emptied, "(2s)<" + emptied + ">"},
		{`{"do":"drip","piece":20,"every":"1ms"}`, emptied, `<{"jsonrpc":"2.0","id(1ms)":7,"result":{}}>`},
		{`{"do":"stall","after":5,"wait":"1m"}`, emptied, `<{"jso(1m0s)(closed)`},
		{`{"do":"stall","after":9999}`, emptied, `<{"jsonrpc":"2.0","id":7,"result":{}(1h0m0s)(closed)`},
		{`{"do":"no_newline"}`, emptied, "<" + emptied},
		{`{"do":"cut","after":0}`, emptied, "<(closed)"},
		{`{"do":"reset","after":2}`, emptied, `<{"(reset)`},
		{`{"do":"wrong_id"}`, emptied, `<{"jsonrpc":"2.0","id":900719925474099,"result":{}}>`},
		{`{"do":"wrong_id","as":"null_id"}`, unmarked, `<{"jsonrpc":"2.0","id":null,"result":{"tools":[]}}>`},
		{`{"do":"wrong_id","as":"text"}`, emptied, `<{"jsonrpc":"2.0","id":"7","result":{}}>`},
		{`{"do":"wrong_id","as":"text"}`, unmarked, `<{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}>`},
		{`{"do":"wrong_id","as":"missing"}`, emptied, `<{"jsonrpc":"2.0","result":{}}>`},
		{`{"do":"wrong_id","as":"object"}`, emptied, `<{"jsonrpc":"2.0","id":{"id":7},"result":{}}>`},
		{`{"do":"duplicate","count":2}`, told, "<" + told + "><" + told + ">"},
		{`{"do":"duplicate","as":"error"}`, told, "not done: the message is no answer with an id"},
		{`{"do":"duplicate","as":"error"}`, emptied, "<" + emptied + `><{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"another answer under the same id"}}>`},
		{`{"do":"batch","count":0}`, emptied, "<[" + emptied + "]>"},
		{`{"do":"batch","count":1}`, told, `<[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"0"}},` + told + "]>"},
		{`{"do":"flood","count":2,"as":"answer","every":"3ms"}`, told, `<{"jsonrpc":"2.0","id":"flood-0","result":{}}>(3ms)<{"jsonrpc":"2.0","id":"flood-1","result":{}}>(3ms)<` + told + ">"},
		{`{"do":"flood","count":1,"as":"progress"}`, told, `<{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody-0","progress":0}}><` + told + ">"},
		{`{"do":"nest","depth":3}`, valueMark, `<{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"x":[[[0]]]}}}>`},
		{`{"do":"nest","depth":2,"as":"object"}`, answer, `<{"jsonrpc":"2.0","id":7,"result":{"gauntlet/payload":{"a":{"a":0}},"content":[{"type":"text","text":"a@payload@b"}]}}>`},
		{`{"do":"nest","depth":2}`, emptied, `<{"jsonrpc":"2.0","id":7,"result":{"gauntlet/payload":[[0]]}}>`},
		{`{"do":"nest"}`, told, "not done: the message has no result and no params to put it into"},
		{`{"do":"huge","size":8}`, answer, `<{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"akadbippib"}]}}>`},
		{`{"do":"huge","size":8,"seed":1}`, answer, `<{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"adjnljbhjb"}]}}>`},
		{`{"do":"endless","size":2}`, unmarked, `<{"jsonrpc":"2.0","id":"seven","result":{"gauntlet/payload":"ka(closed)`},
		{`{"do":"cursor_loop","as":"same"}`, unmarked, `<{"jsonrpc":"2.0","id":"seven","result":{"nextCursor":"again","tools":[]}}>`},
		{`{"do":"cursor_loop"}`, told, "not done: it is done to answers only"},
		{`{"do":"cache","ttl":-1,"scope":[]}`, `{"id":1,"result":{"ttlMs":5}}`, `<{"id":1,"result":{"cacheScope":[],"ttlMs":-1}}>`},
		{`{"do":"redirect"}`, told, `307 map[Location:?] <` + told + ">"},
		{`{"do":"status","status":204}`, told, `204 map[] <` + told + ">"},
		{`{"do":"content_type","as":""}`, told, `0 map[Content-Type:] <` + told + ">"},
		{`{"do":"header"}`, told, `0 map[Mcp-Session-Id:another] <` + told + ">"},
		{`{"do":"header_mismatch"}`, emptied, `400 map[] <{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"Header mismatch: the header Mcp-Method is not what the body says"}}>`},
		{`{"do":"short","by":2}`, emptied, `0 map[Content-Length:38] <` + emptied + ">(closed)"},
		{`{"do":"resume","retry":5}`, emptied, "id: gauntlet-0\nretry: 5\ndata: \n\n(closed)"},
		{`{"do":"noise","count":2}`, emptied, ": 0\n\n: 1\n\n<" + emptied + ">"},
	} {
		got := sent(t, tt.rule, Message{Text: tt.text, Answer: strings.Contains(tt.text, `"result"`)})
		if got != tt.want {
			t.Errorf("%s of %s:\ngot  %s\nwant %s", tt.rule, tt.text, got, tt.want)
		}
	}
}

// What is generated is the same for the same seed and message, and another for others.
func TestSeeds(t *testing.T) {
	for _, rule := range []string{`"huge","size":100000`, `"invalid_utf8"`, `"ansi"`, `"unicode"`, `"cursor_loop"`} {
		of := func(seed string, n int64) string {
			return sent(t, `{"do":`+rule+`,"seed":`+seed+`}`, Message{Text: answer, Answer: true, Number: n})
		}
		first := of("1", 3)
		if again := of("1", 3); first != again {
			t.Errorf("%s: two runs differ", rule)
		}
		if first == of("2", 3) || first == of("1", 4) {
			t.Errorf("%s: seed or number of the message make no difference", rule)
		}
	}
}

// Payloads are what they claim to be.
func TestPayloads(t *testing.T) {
	inside := func(rule string) string {
		text := sent(t, rule, Message{Text: answer, Answer: true})
		return text[strings.Index(text, `"text":"a`)+9 : strings.LastIndex(text, `b"}]`)]
	}
	if p := inside(`{"do":"invalid_utf8","count":100}`); utf8.ValidString(p) {
		t.Errorf("valid UTF-8: %q", p)
	}
	escaped := inside(`{"do":"ansi","count":100}`)
	var back string
	if err := json.Unmarshal([]byte(`"`+escaped+`"`), &back); err != nil || !strings.Contains(back, "\x1b]52;c;") {
		t.Errorf("%v: %q", err, back)
	}
	if raw := inside(`{"do":"ansi","count":100,"as":"raw"}`); !strings.Contains(raw, "\x1b[") || strings.ContainsAny(raw, "\r\n") {
		t.Errorf("%q", raw)
	}
	for _, as := range deceptionNames {
		p := inside(`{"do":"unicode","count":50,"as":"` + as + `"}`)
		if err := json.Unmarshal([]byte(`"`+p+`"`), &back); err != nil || as != "surrogates" && !utf8.ValidString(p) {
			t.Errorf("%s: %v: %q", as, err, p)
		}
	}
}

// However much goes out, it is made in pieces.
func TestPiecesAreSmall(t *testing.T) {
	for _, rule := range []string{
		`{"do":"huge","size":50000000}`, `{"do":"endless","size":50000000}`, `{"do":"nest","depth":10000000,"as":"object"}`,
		`{"do":"flood","count":100000}`, `{"do":"batch","count":100000}`, `{"do":"noise","count":100000}`,
	} {
		p, why := read(t, rule).Plan(Message{Text: answer, Answer: true})
		if why != "" {
			t.Fatal(why)
		}
		total, longest := 0, 0
		for s := range p.Steps {
			total, longest = total+len(s.Data), max(longest, len(s.Data))
		}
		if longest > 64*kib || total < 500_000 {
			t.Errorf("%s: %d bytes, the longest piece has %d", rule, total, longest)
		}
	}
}

// Nobody who stops listening is told more.
func TestStops(t *testing.T) {
	for _, k := range Kinds() {
		p, why := read(t, `{"do":"`+k.Name+`"}`).Plan(Message{Text: answer, Answer: true})
		if why != "" {
			t.Fatal(why)
		}
		for n := 1; n < 5; n++ {
			seen := 0
			for range p.Steps {
				if seen++; seen == n {
					break
				}
			}
		}
	}
}

// Every number has a ceiling, and every default is allowed.
func TestTable(t *testing.T) {
	for _, k := range Kinds() {
		for _, p := range k.Params {
			if p.Sort != Word && p.Most == 0 {
				t.Errorf("%s: %s has no ceiling", k.Name, p.Name)
			}
			value, err := json.Marshal(p.Show(p.Default))
			if p.Sort == Integer || p.Sort == Anything {
				value = []byte(p.Show(p.Default))
			} else if p.Default == "" {
				value = []byte(`""`)
			}
			if err != nil {
				t.Fatal(err)
			}
			read(t, fmt.Sprintf(`{"do":%q,%q:%s}`, k.Name, p.Name, value))
		}
	}
	if !json.Valid([]byte(Schema())) {
		t.Error("the schema is no JSON")
	}
}

// Whatever stands under the extension, what is read of it can be carried out, within its
// ceilings.
func FuzzRead(f *testing.F) {
	for _, k := range kinds {
		f.Add(`[{"do":"`+k.Name+`","on":["tools/call"],"times":1,"seed":3,"count":2,"as":"raw"}]`, answer)
	}
	f.Add(`{"do":1}`, `{`)
	f.Fuzz(func(t *testing.T, text, message string) {
		var tree rawjson.Tree
		if tree.Parse(text, 0) != nil {
			return
		}
		rules, faults := Read(tree.Root())
		if len(rules) == 0 && faults == nil {
			t.Fatal("neither rules nor faults")
		}
		if faults != nil {
			return
		}
		for _, r := range rules {
			p, why := r.Plan(Message{Text: message, Answer: true})
			if (why == "") != (p.Steps != nil) {
				t.Fatalf("%s: a plan and a reason against it, or neither", r)
			}
			if why != "" {
				continue
			}
			n := 0
			for s := range p.Steps {
				if n++; n > 100 {
					break
				}
				if s.Wait < 0 || s.Wait > 24*60*60e9 || len(s.Data) > 64*kib+64*len(message)+40*100_000 {
					t.Fatalf("%s: %v, %d bytes", r, s.Wait, len(s.Data))
				}
			}
		}
	})
}
