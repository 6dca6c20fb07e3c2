package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gauntlet/finding"
)

// outline writes what a catalog holds: servers, their own items, lists.
func outline(c *Catalog) string {
	var b strings.Builder
	for i, s := range c.Servers {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s@%q", s.Name, s.Pointer)
		for j := range s.Self {
			b.WriteString(" " + s.Self[j].Pointer(s))
		}
		for l, list := range s.Lists {
			if !list.Present {
				continue
			}
			fmt.Fprintf(&b, " %s[", Kinds[l])
			for j := range list.Items {
				if j > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(list.Items[j].Label())
			}
			b.WriteByte(']')
		}
	}
	return b.String()
}

func problems(c *Catalog) string {
	var out []string
	for _, p := range c.Problems {
		out = append(out, fmt.Sprintf("%s %s: %s", p.Kind, p.Location.Pointer, p.Message))
	}
	return strings.Join(out, "\n")
}

func TestParseForms(t *testing.T) {
	for _, tt := range []struct{ name, in, want, problems string }{
		{"tools/list result", `{"tools":[{"name":"a"}]}`, `x@"" tool[a]`, ""},
		{"JSON-RPC response", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`, `x@"/result" tool[a]`, ""},
		{"response around another list", `{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"p"}]}}`, `x@"/result" prompt[p]`, ""},
		{"snapshot", `{"server":{"name":"s"},"instructions":"i","tools":[],"prompts":[{"name":"p"}],"resources":[{"uri":"u:1"}],"resourceTemplates":[{"uriTemplate":"u:{x}"}]}`,
			`s@"" /server /instructions tool[] prompt[p] resource[u:1] resource_template[u:{x}]`, ""},
		{"templates by their other name", `{"resource_templates":[{"uriTemplate":"u:{x}"}]}`, `x@"" resource_template[u:{x}]`, ""},
		{"serverInfo and capabilities", `{"serverInfo":{"name":"s"},"capabilities":{"tools":{}},"tools":[]}`, `s@"" /serverInfo /capabilities tool[]`, ""},
		{"capabilities that are no object", `{"capabilities":"all","tools":[]}`, `x@"" tool[]`, ""},
		{"several servers", `{"servers":[{"name":"a","tools":[{"name":"t"}]},{"tools":[]}]}`, `a@"/servers/0" /servers/0/name tool[t]; server 1@"/servers/1" tool[]`, ""},
		{"a server that is a number", `{"servers":[1,{"tools":[]}]}`, `server 1@"/servers/1" tool[]`, "malformed /servers/0: the server is not an object"},
		{"no servers", `{"servers":[]}`, "", "unread /servers: nothing to read: the list of servers is empty"},
		{"byte order mark", "\ufeff{\"tools\":[]}", `x@"" tool[]`, ""},
		{"white space around", " \r\n{\"tools\":[]}\t\n", `x@"" tool[]`, ""},
		{"empty object", `{}`, `x@""`, "unread : nothing was read: none of tools, prompts, resources, resourceTemplates and instructions is there"},
		{"null list", `{"tools":null,"prompts":[]}`, `x@"" prompt[]`, ""},
		{"all lists null", `{"tools":null,"prompts":null}`, `x@""`, "unread : nothing was read: none of tools, prompts, resources, resourceTemplates and instructions is there"},
		{"null instructions", `{"tools":[],"instructions":null}`, `x@"" tool[]`, ""},
		{"instructions that are a list", `{"instructions":["a"]}`, `x@"" /instructions`, "malformed /instructions: instructions is not a string"},
		{"more pages", `{"tools":[],"nextCursor":"c"}`, `x@"" tool[]`, "unread /nextCursor: the list goes on: nextCursor says that further pages were not captured"},
		{"more pages behind an empty cursor", `{"tools":[],"nextCursor":""}`, `x@"" tool[]`, "unread /nextCursor: the list goes on: nextCursor says that further pages were not captured"},
		{"no more pages", `{"tools":[],"nextCursor":null}`, `x@"" tool[]`, ""},
		{"empty objects as PHP writes them", `{"tools":[{"name":"a","inputSchema":{"properties":[]},"annotations":[ ]}]}`, `x@"" tool[a]`, ""},
		{"capture errors", `{"tools":[],"capture_errors":{"prompts":"timeout"}}`, `x@"" tool[]`, "unread /capture_errors/prompts: prompts could not be captured: \"timeout\""},
		{"method not found is an answer", `{"tools":[],"capture_errors":{"prompts":{"code":-32601}}}`, `x@"" tool[]`, ""},
		{"unknown list", `{"tools":[],"widgets":[1]}`, `x@"" tool[]`, `unread /widgets: unknown list "widgets" was not read`},
		{"unknown list beside servers", `{"servers":[{"tools":[]}],"tools/x":[1]}`, `server 0@"/servers/0" tool[]`, `unread /tools~1x: unknown list "tools/x" was not read`},
		{"noise is no list", `{"tools":[],"stdout_noise":["x"]}`, `x@"" tool[]`, ""},
		{"tools twice", `{"tools":[{"name":"a"}],"tools":[{"name":"b"}]}`, `x@"" tool[a b]`, "malformed /tools: the list appears more than once; clients differ in which one they take"},
		{"a list that is an object", `{"tools":{"a":{"description":"d"}}}`, `x@"" tool[tools]`, "malformed /tools: tools is not a list"},
		{"a list that is a string", `{"tools":"a"}`, `x@"" tool[tools]`, "malformed /tools: tools is not a list"},
		{"nameless items", `{"tools":[{"name":"a"},{"description":"d"}]}`, `x@"" tool[a #1]`, "malformed /tools/1: name is missing"},
		{"a name with escapes", `{"tools":[{"\u006eame":"\u0061"}]}`, `x@"" tool[a]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("dir/x.json", tt.in, Limits{})
			if err != nil {
				t.Fatalf("Parse(%s): %v", tt.in, err)
			}
			if got := outline(c); got != tt.want {
				t.Errorf("Parse(%s) holds\n%s, want\n%s", tt.in, got, tt.want)
			}
			if got := problems(c); got != tt.problems {
				t.Errorf("Parse(%s): problems\n%s\nwant\n%s", tt.in, got, tt.problems)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", "x.json:1:1: not JSON: unexpected end of the text"},
		{"white space", " \n ", "x.json:2:2: not JSON: unexpected end of the text"},
		{"cut off", "{\"tools\":[\n{\"name\":", "x.json:2:9: not JSON: unexpected end of the text"},
		{"a comma too many", "{\n\t\"ä\": [1,]}", "x.json:2:10: not JSON: expected a value"},
		{"text behind", "{\"tools\":[]}\n x", "x.json:2:2: not JSON: text after the end of the document"},
		{"two documents", `{"tools":[]}{"tools":[]}`, "x.json:1:13: not JSON: text after the end of the document"},
		{"a list", `[1]`, "x.json:1:1: the document is not a JSON object"},
		{"a string", `"tools"`, "x.json:1:1: the document is not a JSON object"},
		{"null", `null`, "x.json:1:1: the document is not a JSON object"},
		{"UTF-16, little end first", "\xff\xfe{\x00}\x00", "x.json: the document is UTF-16; save it as UTF-8"},
		{"UTF-16, big end first", "\xfe\xff\x00{\x00}", "x.json: the document is UTF-16; save it as UTF-8"},
		{"error response", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`, `x.json: the JSON-RPC response is an error: "{\"code\":-32000,\"message\":\"no\"}"`},
		{"client configuration", `{"mcpServers":{"a":{"command":"x"}}}`, "x.json: this is a client's configuration (mcpServers)"},
		{"servers by name", `{"servers":{"a":{}}}`, "x.json: servers is not a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("x.json", tt.in, Limits{})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Parse(%q) = %v, want %s", tt.in, err, tt.want)
			}
			if e := new(Error); !errors.As(err, &e) {
				t.Errorf("Parse(%q) is not an *Error but %T", tt.in, err)
			}
			if len(c.Documents)+len(c.Servers)+len(c.Problems) > 0 {
				t.Errorf("Parse(%q) failed and left %+v", tt.in, c)
			}
		})
	}
}

func TestAddSeveral(t *testing.T) {
	var c Catalog
	for _, d := range []struct{ name, text string }{{"a.json", `{"tools":[{"name":"1"}]}`}, {"b.json", `not JSON`}, {"", `{"tools":[{"name":null}]}`}} {
		if err := c.Add(d.name, d.text, Limits{}); (err != nil) != (d.name == "b.json") {
			t.Fatalf("Add(%s): %v", d.name, err)
		}
	}
	if got, want := outline(&c), `a@"" tool[1]; server@"" tool[#0]`; got != want {
		t.Errorf("catalog holds %s, want %s", got, want)
	}
	for i, d := range c.Documents {
		if d.Number != i {
			t.Errorf("document %q has number %d, want %d", d.Name, d.Number, i)
		}
	}
	if len(c.Documents) != 2 || len(c.Problems) != 1 || c.Problems[0].Input != 1 {
		t.Errorf("%d documents and problems %+v, want 2 documents and one problem in the second", len(c.Documents), c.Problems)
	}
}

// Each malformed item is a Problem at its place; the items around it are as if it were
// not there.
func TestMalformedItems(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 1200) + "1" + strings.Repeat("}", 1200)
	for _, tt := range []struct{ name, item, pointer, want string }{
		{"a number", `17`, "", "the tool is not an object but number"},
		{"null", `null`, "", "the tool is not an object but null"},
		{"a list", `["a"]`, "", "the tool is not an object but array"},
		{"a string", `"tool"`, "", "the tool is not an object but string"},
		{"name null", `{"name":null}`, "/name", "name is not a string but null"},
		{"name a number", `{"name":1}`, "/name", "name is not a string but number"},
		{"no name", `{"description":"d"}`, "", "name is missing"},
		{"description a number", `{"name":"x","description":7}`, "/description", "description is not a string but number"},
		{"title a list", `{"name":"x","title":[]}`, "/title", "title is not a string but array"},
		{"schema true", `{"name":"x","inputSchema":true}`, "/inputSchema", "inputSchema is not an object but boolean"},
		{"schema a string", `{"name":"x","inputSchema":"{}"}`, "/inputSchema", "inputSchema is not an object but string"},
		{"output schema a list", `{"name":"x","outputSchema":[1]}`, "/outputSchema", "outputSchema is not an object but array"},
		{"properties a list", `{"name":"x","inputSchema":{"properties":["a"]}}`, "/inputSchema/properties", "properties of inputSchema is not an object but array"},
		{"a property a string", `{"name":"x","inputSchema":{"properties":{"a/b":"string"}}}`, "/inputSchema/properties/a~1b", "a property of inputSchema is not a schema but string"},
		{"required a string", `{"name":"x","inputSchema":{"required":"a"}}`, "/inputSchema/required", "required of inputSchema is not an array but string"},
		{"annotations a list", `{"name":"x","annotations":[{}]}`, "/annotations", "annotations is not an object but array"},
		{"a member twice", `{"name":"x","description":"a","description":"b"}`, "/description", `member "description" appears more than once`},
		{"a member twice, spelt differently", `{"name":"x","\u006eame":"b"}`, "/name", `member "name" appears more than once`},
		{"lone surrogate", `{"name":"x","description":"\ud800"}`, "/description", "the text is not valid Unicode"},
		{"ill-formed UTF-8", "{\"name\":\"x\",\"description\":\"\xff\"}", "/description", "the text is not valid Unicode"},
		{"1,200 levels deep", `{"name":"x","inputSchema":` + deep + `}`, "", "nested 1201 levels deep, the limit is 100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := "{\"tools\":[\n  {\"name\":\"before\"},\n  " + tt.item + ",\n  {\"name\":\"after\"}]}"
			c, err := Parse("x.json", in, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if tools := c.Servers[0].Tools(); len(tools) != 3 || tools[0].Label() != "before" || tools[2].Label() != "after" || tools[1].Text(c.Servers[0]) != tt.item {
				t.Errorf("tools are %s", outline(c))
			}
			if len(c.Problems) != 1 {
				t.Fatalf("problems:\n%s\nwant one", problems(c))
			}
			p := c.Problems[0]
			if p.Kind != finding.Malformed || p.Location.Pointer != "/tools/1"+tt.pointer || !strings.HasPrefix(p.Message, tt.want) {
				t.Errorf("problem %s %s: %s; want /tools/1%s: %s", p.Kind, p.Location.Pointer, p.Message, tt.pointer, tt.want)
			}
			if pos := c.Documents[0].Positions([]int{p.Order})[0]; pos.Line != 3 || pos.Column < 3 {
				t.Errorf("problem stands at %v, want line 3", pos)
			}
		})
	}
	t.Run("repeated behind many others", func(t *testing.T) {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, `"m%d":1,`, i)
		}
		c, err := Parse("", `{"tools":[{`+b.String()+`"name":"a","name":"b"}]}`, Limits{})
		if err != nil || len(c.Problems) != 1 || !strings.Contains(problems(c), `member "name"`) {
			t.Errorf("problems: %v %s, want one about name", err, problems(c))
		}
	})
}

func TestLimits(t *testing.T) {
	text := `{"tools":[{"name":"a"},{"name":"b"},{"name":"c","x":[[[1]]]}]}`
	if _, err := Parse("x.json", text, Limits{Bytes: 20}); err == nil || err.Error() != fmt.Sprintf("x.json: the document has %d bytes, the limit is 20", len(text)) {
		t.Errorf("20 bytes: %v", err)
	}
	if _, err := Parse("x.json", text, Limits{Bytes: len(text)}); err != nil {
		t.Errorf("as many bytes as it has: %v", err)
	}
	c, err := Parse("x.json", text, Limits{Items: 2})
	if err != nil || outline(c) != `x@"" tool[a b]` || problems(c) != "limit /tools: only the first 2 of the tools were read: the limit on items" {
		t.Errorf("2 items: %v %s %s", err, outline(c), problems(c))
	}
	if c, err := Parse("x.json", text, Limits{Items: 3}); err != nil || len(c.Problems) > 0 {
		t.Errorf("3 items: %v %s", err, problems(c))
	}
	c, err = Parse("x.json", text, Limits{Depth: 3})
	if err != nil || problems(c) != "malformed /tools/2: nested 4 levels deep, the limit is 3" {
		t.Errorf("depth 3: %v %s", err, problems(c))
	}
	if c, err := Parse("x.json", text, Limits{Depth: 4}); err != nil || len(c.Problems) > 0 {
		t.Errorf("depth 4: %v %s", err, problems(c))
	}
	deep := `{"tools":[{"name":"a","x":` + strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1) + `}]}`
	if c, err = Parse("x.json", deep, Limits{}); err != nil || len(c.Problems) != 2 || c.Problems[1].Kind != finding.Limit {
		t.Errorf("deeper than MaxDepth: %v %s", err, problems(c))
	}
}

func TestPositions(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		offset     int
		want       Position
	}{
		{"start", "abc", 0, Position{1, 1}},
		{"one line", "abc", 2, Position{1, 3}},
		{"second line", "a\nbc", 3, Position{2, 2}},
		{"the line break itself", "a\nbc", 1, Position{1, 2}},
		{"behind a line break", "a\nbc", 2, Position{2, 1}},
		{"CRLF", "a\r\nbc", 4, Position{2, 2}},
		{"empty lines", "\n\n\nx", 3, Position{4, 1}},
		{"multi-byte characters", "äöü€𝄞x", 13, Position{1, 6}},
		{"ill-formed bytes count one each", "\xff\xffx", 2, Position{1, 3}},
		{"byte order mark", "\ufeff{}", 4, Position{1, 2}},
		{"inside the byte order mark", "\ufeff{}", 1, Position{1, 1}},
		{"behind the end", "a\nb", 99, Position{2, 2}},
		{"empty", "", 0, Position{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Document{Text: tt.text}
			if got := d.Positions([]int{tt.offset})[0]; got != tt.want {
				t.Errorf("position of %d in %q = %v, want %v", tt.offset, tt.text, got, tt.want)
			}
		})
	}
	d := Document{Text: "a\nbcd\r\ne"}
	offsets := []int{0, 0, 2, 3, 3, 7, 100}
	for i, got := range d.Positions(offsets) {
		if want := d.Positions(offsets[i : i+1])[0]; got != want {
			t.Errorf("position of %d among others = %v, alone %v", offsets[i], got, want)
		}
	}
}
