package wire

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

func TestMirrors(t *testing.T) {
	for _, tt := range []struct{ name, schema, want, fails string }{
		{"one", `{"properties":{"a":{"type":"string","x-mcp-header":"A-b"}}}`, "Mcp-Param-A-B=a", ""},
		{"nested", `{"properties":{"o":{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}`, "Mcp-Param-N=o.n", ""},
		{"a property of that name", `{"properties":{"x-mcp-header":{"type":"string"}}}`, "", ""},
		{"a value of that name", `{"properties":{"a":{"type":"object","default":{"x-mcp-header":"a"}}}}`, "", ""},
		{"no schema", `7`, "", ""},
		{"not a token", `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}}`, "", `"A\r\nB" cannot be part of a header's name`},
		{"empty", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, "", `"" cannot be`},
		{"no string", `{"properties":{"a":{"type":"string","x-mcp-header":7}}}`, "", "cannot be"},
		{"twice but for the case", `{"properties":{"a":{"type":"string","x-mcp-header":"a"},"b":{"type":"string","x-mcp-header":"A"}}}`, "", `"A" is there twice`},
		{"a number", `{"properties":{"a":{"type":"number","x-mcp-header":"a"}}}`, "", `"a" is on a property that is neither`},
		{"a list of types", `{"properties":{"a":{"type":["string"],"x-mcp-header":"a"}}}`, "", `"a" is on a property that is neither`},
		{"in items", `{"properties":{"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"a"}}}}}}`, "", "stands where no property"},
		{"in anyOf", `{"anyOf":[{"properties":{"b":{"type":"string","x-mcp-header":"a"}}}]}`, "", "stands where no property"},
		{"in a definition", `{"$defs":{"d":{"type":"string","x-mcp-header":"a"}}}`, "", "stands where no property"},
		{"in a pattern", `{"patternProperties":{"^a":{"type":"string","x-mcp-header":"a"}}}`, "", "stands where no property"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tree rawjson.Tree
			if err := tree.Parse(tt.schema, 0); err != nil {
				t.Fatal(err)
			}
			ms, err := Mirrors(tree.Root())
			var got []string
			for _, m := range ms {
				got = append(got, m.Header+"="+strings.Join(m.Path, "."))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("error %v, want %q", err, tt.fails)
			}
		})
	}
}

// What stands in the headers of a call is what its arguments say, and nothing can get out
// of the one header it is meant for.
func TestMirroredArguments(t *testing.T) {
	got := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer server.Close()
	h, err := Dial(Endpoint{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.Mirror("t", []Mirror{{"Mcp-Param-A", []string{"a"}}, {"Mcp-Param-N", []string{"o", "n"}}})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for _, tt := range []struct{ name, params, a, n string }{
		{"as they are", `{"name":"t","arguments":{"a":"us-west1","o":{"n":42}},` + meta + `}`, "us-west1", "42"},
		{"a boolean", `{"name":"t","arguments":{"a":true},` + meta + `}`, "true", ""},
		{"an empty string", `{"name":"t","arguments":{"a":""},` + meta + `}`, "", ""},
		{"white space at an end", `{"name":"t","arguments":{"a":" x"},` + meta + `}`, "=?base64?IHg=?=", ""},
		{"a line end", `{"name":"t","arguments":{"a":"x\r\nEvil: 1"},` + meta + `}`, "=?base64?eA0KRXZpbDogMQ==?=", ""},
		{"what looks encoded", `{"name":"t","arguments":{"a":"=?base64?eA==?="},` + meta + `}`, "=?base64?PT9iYXNlNjQ/ZUE9PT89?=", ""},
		{"null", `{"name":"t","arguments":{"a":null,"o":null},` + meta + `}`, "", ""},
		{"no scalar", `{"name":"t","arguments":{"a":["x"],"o":{"n":{}}},` + meta + `}`, "", ""},
		{"no arguments", `{"name":"t",` + meta + `}`, "", ""},
		{"another tool", `{"name":"u","arguments":{"a":"x"},` + meta + `}`, "", ""},
		{"a revision without", `{"name":"t","arguments":{"a":"x"}}`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := h.Send(context.Background(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`, tt.params)); err != nil {
				t.Fatal(err)
			}
			header := <-got
			_, _ = h.Receive(context.Background()) // the refusal
			if a, n := header.Get("Mcp-Param-A"), header.Get("Mcp-Param-N"); a != tt.a || n != tt.n || header.Get("Evil") != "" {
				t.Errorf("headers %q and %q, want %q and %q", a, n, tt.a, tt.n)
			}
		})
	}
}

// Whatever a schema is, there are either mirrors or a reason; each mirror has a header of its
// own, fit to be sent, and what it takes from arguments is a part of them.
func FuzzMirrors(f *testing.F) {
	for _, s := range []string{
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"integer","x-mcp-header":"C"}}}}}`,
		`{"items":[{"x-mcp-header":1}],"properties":[]}`, `{"properties":{"x-mcp-header":{}}}`, `[]`,
	} {
		f.Add(s, `{"a":"x","b":{"c":1,"c":2}}`)
	}
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		var tree rawjson.Tree
		if tree.Parse(schema, 0) != nil {
			return
		}
		mirrors, err := Mirrors(tree.Root())
		if err != nil && mirrors != nil {
			t.Fatalf("mirrors and the error %v", err)
		}
		if end, err := rawjson.Skip(arguments, 0); err != nil || end != len(arguments) {
			arguments = ""
		}
		seen := map[string]bool{}
		for _, m := range mirrors {
			if name := strings.TrimPrefix(m.Header, mcp.HeaderParamPrefix); !token(name) || name == m.Header || seen[m.Header] || len(m.Path) == 0 {
				t.Fatalf("%+v among %+v", m, mirrors)
			}
			seen[m.Header] = true
			if value := m.Argument(arguments); !strings.Contains(arguments, value) {
				t.Fatalf("%q is no part of %q", value, arguments)
			}
			header := http.Header{}
			m.setHeader(header, arguments)
			for _, v := range header[m.Header] {
				if !printable(v) || strings.TrimSpace(v) != v {
					t.Fatalf("the header %q", v)
				}
			}
		}
	})
}
