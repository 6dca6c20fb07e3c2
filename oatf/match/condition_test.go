package match

import (
	"errors"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func TestConditions(t *testing.T) {
	for _, tt := range []struct {
		name, condition, value string // value "" is absent
		want                   bool
	}{
		{"contains", `{"contains":"mal"}`, `"a malicious text"`, true},
		{"contains minds case", `{"contains":"Mal"}`, `"malicious"`, false},
		{"starts_with", `{"starts_with":"att"}`, `"attack"`, true},
		{"starts_with elsewhere", `{"starts_with":"att"}`, `"the attack"`, false},
		{"ends_with", `{"ends_with":".exe"}`, `"a.exe"`, true},
		{"ends_with elsewhere", `{"ends_with":".exe"}`, `"a.exe.txt"`, false},
		{"regex in part", `{"regex":"id_rsa|passwd"}`, `"read /etc/passwd"`, true},
		{"regex with anchors", `{"regex":"^admin$"}`, `"not admin"`, false},
		{"regex without case", `{"regex":"(?i)ERROR"}`, `"an error"`, true},
		{"any_of", `{"any_of":["red",2,{"a":1}]}`, `2.0`, true},
		{"any_of compares deep", `{"any_of":["red",{"a":[1,2],"b":null}]}`, `{"b":null,"a":[1,2]}`, true},
		{"any_of converts nothing", `{"any_of":["42"]}`, `42`, false},
		{"gt", `{"gt":10}`, `10.5`, true},
		{"gt of the same", `{"gt":10}`, `1e1`, false},
		{"lt", `{"lt":10}`, `-1`, true},
		{"gte of the same", `{"gte":10}`, `10.0`, true},
		{"lte", `{"lte":9007199254740992}`, `9007199254740993`, false},
		{"a number as text is none", `{"gt":10}`, `"15"`, false},
		{"null is no number", `{"lte":10}`, `null`, false},
		{"text of a number", `{"contains":"42"}`, `1.420`, true},
		{"text of an object, names sorted", `{"starts_with":"{\"a\":1,\"b\":"}`, `{ "b" : 2, "a" : 1 }`, true},
		{"text of an array", `{"contains":"one"}`, `["one"]`, true},
		{"text of null", `{"regex":"^null$"}`, `null`, true},
		{"text of true", `{"regex":"^true$"}`, `true`, true},
		{"text of an object has no needless escapes", `{"contains":"é/<"}`, `{"a":"\u00e9\/<"}`, true},
		{"all operators must hold", `{"contains":"passwd","starts_with":"Read"}`, `"Read /etc/passwd"`, true},
		{"and one does not", `{"contains":"passwd","starts_with":"Write"}`, `"Read /etc/passwd"`, false},
		{"a range", `{"gt":1,"lt":5}`, `3`, true},
		{"equal to a string", `"ls"`, `"ls"`, true},
		{"equal minds case", `"ls"`, `"LS"`, false},
		{"equal to a number by value", `42`, `42.0`, true},
		{"equal to null", `null`, `null`, true},
		{"equal to an array", `[1,{"a":"b"}]`, `[1.0,{"a":"b"}]`, true},
		{"equal to an object without operators", `{"name":"x","kind":1}`, `{"kind":1,"name":"x"}`, true},
		{"equal to the empty object", `{}`, `{}`, true},
		{"an absent value equals nothing", `null`, ``, false},
		{"exists", `{"exists":true}`, `null`, true},
		{"exists, absent", `{"exists":true}`, ``, false},
		{"exists not, absent", `{"exists":false}`, ``, true},
		{"exists not, there", `{"exists":false}`, `null`, false},
		{"exists with another operator", `{"exists":true,"contains":"a"}`, `"abc"`, true},
		{"exists not with another operator, absent", `{"exists":false,"contains":"a"}`, ``, false},
		{"exists not with another operator, there", `{"exists":false,"contains":"a"}`, `"abc"`, false},
		{"an operator, absent", `{"contains":""}`, ``, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ParseCondition(mustParse(t, tt.condition))
			if err != nil {
				t.Fatal(err)
			}
			var v rawjson.Value
			if tt.value != "" {
				v = mustParse(t, tt.value)
			}
			if got := c.Holds(v); got != tt.want {
				t.Errorf("%s for %s is %v, want %v", tt.condition, tt.value, got, tt.want)
			}
		})
	}
}

func TestWhatIsNoCondition(t *testing.T) {
	for condition, want := range map[string]string{
		`{"contains":42}`:                     "/contains: contains needs a string and not a number",
		`{"starts_with":null}`:                "/starts_with: starts_with needs a string and not null",
		`{"regex":["a"]}`:                     "/regex: regex needs a string and not an array",
		`{"regex":"(?=a)"}`:                   "/regex: regex error parsing regexp",
		`{"regex":"(a"}`:                      "/regex: regex error parsing regexp",
		`{"regex":"((a{100}){100}){10}"}`:     "/regex: regex",
		`{"any_of":"a"}`:                      "/any_of: any_of needs a list and not a string",
		`{"gt":"1"}`:                          "/gt: gt needs a number and not a string",
		`{"lte":true}`:                        "/lte: lte needs a number and not a boolean",
		`{"exists":"yes"}`:                    "/exists: exists needs true or false",
		`{"contains":"a","contians":"b"}`:     `/contians: "contians" is no operator; there are contains,`,
		`{"contains":"` + "a" + `","x\ny":1}`: `is no operator`,
	} {
		_, err := ParseCondition(mustParse(t, condition))
		var at *OperandError
		if !errors.As(err, &at) || !at.At.Exists() || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an OperandError with %q", condition, err, want)
		}
	}
	if _, err := ParseCondition(rawjson.Value{}); err == nil {
		t.Error("an absent condition was taken for one")
	}
}

func TestHoldsAt(t *testing.T) {
	const doc = `{"tools":[{"d":"safe"},{"d":"inject"},{"d":"inject too"}]}`
	for _, tt := range []struct {
		name, target, condition, found string
		want                           bool
	}{
		{"the first that does", "tools[*].d", `{"contains":"inject"}`, `"inject"`, true},
		{"none does", "tools[*].d", `{"contains":"x"}`, ``, false},
		{"nothing there", "x", `{"contains":"x"}`, ``, false},
		{"something there", "tools", `{"exists":true}`, `[{"d":"safe"},{"d":"inject"},{"d":"inject too"}]`, true},
		{"nothing there, as asked", "x[*].d", `{"exists":false}`, ``, true},
		{"something there, not asked", "tools[*].d", `{"exists":false}`, ``, false},
		{"both exists and another", "tools[*].d", `{"exists":true,"ends_with":"too"}`, `"inject too"`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target, err := ParseTarget(tt.target)
			if err != nil {
				t.Fatal(err)
			}
			c, err := ParseCondition(mustParse(t, tt.condition))
			if err != nil {
				t.Fatal(err)
			}
			if v, got := c.HoldsAt(target, mustParse(t, doc)); got != tt.want || v.Raw() != tt.found {
				t.Errorf("%s %s: %s, %v, want %s, %v", tt.target, tt.condition, v.Raw(), got, tt.found, tt.want)
			}
		})
	}
}

func TestPredicates(t *testing.T) {
	const doc = `{"name":"calc","args":{"n":5,"list":[1]},"token":null}`
	for _, tt := range []struct {
		name, predicate string
		want            bool
	}{
		{"one entry", `{"name":"calc"}`, true},
		{"all entries", `{"name":{"starts_with":"c"},"args.n":{"gte":5}}`, true},
		{"all but one", `{"name":"calc","args.n":{"gt":5}}`, false},
		{"none is always true", `{}`, true},
		{"a path that leads nowhere", `{"args.x":"a"}`, false},
		{"null is not nowhere", `{"token":{"exists":true}}`, true},
		{"equal to null", `{"token":null}`, true},
		{"nowhere, as asked", `{"args.x":{"exists":false}}`, true},
		{"nowhere, and more", `{"args.x":{"exists":false,"contains":""}}`, false},
		{"arrays are not entered", `{"args.list.0":1}`, false},
		{"an array equals", `{"args.list":[1]}`, true},
		{"an object equals", `{"args":{"list":[1],"n":5}}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParsePredicate(mustParse(t, tt.predicate))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Holds(t.Context(), mustParse(t, doc)); err != nil || got != tt.want {
				t.Errorf("%s is %v, want %v", tt.predicate, got, tt.want)
			}
		})
	}
	for predicate, want := range map[string]string{
		`[]`:                    "an object of paths and conditions, not an array",
		`null`:                  "conditions, not null",
		`{"tools[*].name":"x"}`: "[*] has no place in a simple path",
		`{"a":{"regex":"("}}`:   "/a/regex",
	} {
		if _, err := ParsePredicate(mustParse(t, predicate)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", predicate, err, want)
		}
	}
}

func TestRegexpsAreBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("a", maxRegexpText+1), "(((a{30}){30}){30})", "(?:x{1000}){25}"} {
		if _, err := ParseRegexp(s); err == nil {
			t.Errorf("%.30q was compiled", s)
		}
	}
	if _, err := ParseRegexp(`(?i)\b(?:api[_-]?key|secret|token)\b.{0,100}[A-Za-z0-9+/]{40}`); err != nil {
		t.Error(err)
	}
}

func TestTextsTooLongToSearchAreErrors(t *testing.T) {
	long := strings.Repeat("a", maxRegexpWork/1000)
	message := mustParse(t, `{"long":"`+long+`","list":["`+long+`","match"]}`)
	for _, tt := range []struct {
		name, target, condition string
		ok, fails               bool
	}{
		{"too long", "long", `{"regex":"a{0,900}b{0,900}c"}`, false, true},
		{"not for a short expression", "long", `{"regex":"ab"}`, false, false},
		{"another operator said no before", "long", `{"contains":"x","regex":"a{0,900}b{0,900}c"}`, false, false},
		{"another value matches", "list[*]", `{"regex":"x{0,900}y{0,900}match"}`, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target, err := ParseTarget(tt.target)
			if err != nil {
				t.Fatal(err)
			}
			c, err := ParseCondition(mustParse(t, tt.condition))
			if err != nil {
				t.Fatal(err)
			}
			_, ok, err := c.Search(target, message)
			var failed *EvalError
			if ok != tt.ok || errors.As(err, &failed) != tt.fails || failed != nil && failed.Kind != RegexTimeout {
				t.Errorf("Search: %v, %v, want %v and an error: %v", ok, err, tt.ok, tt.fails)
			}
		})
	}
	x, err := ParseExtractor("regex", "a{0,900}b{0,900}c()")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.Extract(message.Get("long")); err == nil {
		t.Error("Extract searched the text")
	}
	e, err := ParseExpression(`message.long.matches("b")`)
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluated(e, Binding{"message", mustParse(t, `{"long":"`+long+long+`"}`)}); !strings.HasPrefix(got, "regex_timeout: ") {
		t.Errorf("matches: %s", got)
	}
}

func FuzzCondition(f *testing.F) {
	f.Add(`{"contains":"a","gt":1}`, `{"b":1,"a":"x"}`)
	f.Add(`{"any_of":[1,"a"]}`, `1.0`)
	f.Fuzz(func(t *testing.T, condition, value string) {
		var c, v rawjson.Tree
		if c.Parse(condition, 0) != nil || v.Parse(value, 0) != nil {
			return
		}
		parsed, err := ParseCondition(c.Root())
		if (parsed == nil) == (err == nil) {
			t.Fatalf("%q: want exactly one of condition and error, got %v, %v", condition, parsed, err)
		}
		if err != nil {
			return
		}
		held := parsed.Holds(v.Root())
		again, err := ParseCondition(mustParse(t, c.Root().Compact()))
		if err != nil || again.Holds(mustParse(t, v.Root().Compact())) != held {
			t.Errorf("%q for %q is %v, and not when both are written compactly (%v)", condition, value, held, err)
		}
	})
}

func BenchmarkCondition(b *testing.B) {
	message := mustParse(b, `{"name":"send_email","arguments":{"to":"a@example.org","body":"hello","bcc":"x@evil.example"}}`)
	for name, s := range map[string][2]string{
		"regex on a string":  {"arguments.bcc", `{"regex":"@evil\\.(example|test)$"}`},
		"regex on an object": {"arguments", `{"regex":"(id_rsa|passwd|evil\\.example)"}`},
		"contains":           {"arguments.bcc", `{"contains":"evil"}`},
	} {
		b.Run(name, func(b *testing.B) {
			target, _ := ParseTarget(s[0])
			c, err := ParseCondition(mustParse(b, s[1]))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := c.HoldsAt(target, message); !ok {
					b.Fatal("no match")
				}
			}
		})
	}
}
