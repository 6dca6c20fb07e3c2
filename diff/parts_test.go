package diff

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gauntlet/catalog"
)

// What a part says of each kind of member, whole: texts by their edits, values as JSON with their place, schemas by what they take.
func TestPartsAreToldWhole(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"a text", `{"title":"a b"}`, `{"title":"a c"}`, `{"member":"title","state":"changed","text":[{"op":"keep","text":"a "},{"op":"remove","text":"b"},{"op":"add","text":"c"}]}`},
		{"a text came", `{}`, `{"title":"a"}`, `{"member":"title","state":"added","text":[{"op":"add","text":"a"}]}`},
		{"a text went", `{"title":"a"}`, `{}`, `{"member":"title","state":"removed","text":[{"op":"remove","text":"a"}]}`},
		{"a value came", `{}`, `{"n":{"b":1,"a":2.0}}`, `{"member":"n","state":"added","values":[{"pointer":"","new":"{\"a\":2,\"b\":1}"}]}`},
		{"a value went", `{"n":[1]}`, `{}`, `{"member":"n","state":"removed","values":[{"pointer":"","old":"[1]"}]}`},
		{"within a value", `{"n":{"a":1,"b":[1,"x"],"c":true}}`, `{"n":{"a":2,"b":[1,"y"],"d":null}}`,
			`{"member":"n","state":"changed","values":[{"pointer":"/a","old":"1","new":"2"},{"pointer":"/b/1","text":[{"op":"remove","text":"x"},{"op":"add","text":"y"}]},{"pointer":"/d","new":"null"},{"pointer":"/c","old":"true"}]}`},
		{"a text became a value", `{"n":"x"}`, `{"n":1}`, `{"member":"n","state":"changed","values":[{"pointer":"","old":"\"x\"","new":"1"}]}`},
		{"an ill-formed text", `{"n":"x"}`, `{"n":"\ud800"}`, `{"member":"n","state":"changed","values":[{"pointer":"","old":"\"x\"","new":"\"\\ud800\""}]}`},
		{"a schema came", `{}`, `{"inputSchema":{"type":"object"}}`, `{"member":"inputSchema","state":"added","values":[{"pointer":"","new":"{\"type\":\"object\"}"}]}`},
	} {
		d := Catalogs(parse(t, `{"tools":[`+with(tt.old)+`]}`), parse(t, `{"tools":[`+with(tt.new)+`]}`))
		if len(d.Servers) != 1 || len(d.Servers[0].Items) != 1 || len(d.Servers[0].Items[0].Parts) != 1 {
			t.Errorf("%s: %+v, want one part", tt.name, d.Servers)
			continue
		}
		got, _ := json.Marshal(d.Servers[0].Items[0].Parts[0])
		if string(got) != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// with gives an object the name of a tool.
func with(object string) string {
	return strings.TrimSuffix(strings.Replace(object, "{", `{"name":"t",`, 1), ",}") + map[bool]string{true: "}"}[object == "{}"]
}

// Only the two schemas of a tool are compared as schemas, and only where both are there.
func TestWhichMembersAreSchemas(t *testing.T) {
	const one, two = `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`
	for _, tt := range []struct {
		list, member string
		want         bool
	}{
		{"tools", "inputSchema", true}, {"tools", "outputSchema", true}, {"tools", "annotations", false}, {"tools", "otherSchema", false},
		{"prompts", "inputSchema", false}, {"resources", "outputSchema", false},
	} {
		in := func(schema string) string {
			return `{"` + tt.list + `":[{"name":"t","uri":"u","` + tt.member + `":` + schema + `}]}`
		}
		p := Catalogs(parse(t, in(one)), parse(t, in(two))).Servers[0].Items[0].Parts[0]
		if (p.Schema != nil) != tt.want || (p.Class != "") != tt.want || (p.Values != nil) == tt.want || p.Member != tt.member {
			t.Errorf("%s of %s: %+v, want it compared as a schema: %t", tt.member, tt.list, p, tt.want)
		}
	}
}

// Members are in the order in which a reviewer reads them, those that nobody knows by name, and each once.
func TestOrderOfParts(t *testing.T) {
	d := Catalogs(parse(t, `{"tools":[{"name":"t","zeta":1,"gone":1,"also":1}]}`),
		parse(t, `{"tools":[{"name":"t","beta":1,"zeta":2,"annotations":{},"outputSchema":{},"inputSchema":{},"mimeType":"m","description":"d","title":"t"}]}`))
	var got []string
	for _, p := range d.Servers[0].Items[0].Parts {
		got = append(got, p.Member)
	}
	if want := strings.Fields("title description mimeType inputSchema outputSchema annotations beta zeta also gone"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A protocol revision is a change of a server's words only where both sides tell one.
func TestRevisions(t *testing.T) {
	for _, tt := range []struct {
		was, is string
		want    bool
	}{{"2025-03-26", "2025-06-18", true}, {"", "2025-06-18", false}, {"2025-06-18", "", false}, {"2025-06-18", "2025-06-18", false}, {"", "", false}} {
		it, _ := compareWords(catalog.Pair{Was: &catalog.Server{Revision: tt.was}, Is: &catalog.Server{Revision: tt.is}})
		if got := len(it.Parts) == 1; got != tt.want {
			t.Errorf("%q to %q: told %t, want %t", tt.was, tt.is, got, tt.want)
			continue
		}
		if tt.want && (it.Parts[0].Member != "protocolVersion" || it.Parts[0].State != Changed || marked(it.Parts[0].Text) == "") {
			t.Errorf("%+v", it.Parts[0])
		}
	}
}

// The user's word for a server goes before its own name, that of what was approved first; a server whose name alone changed is told.
func TestNamesOfServers(t *testing.T) {
	s := func(entries ...string) *catalog.Server { return &catalog.Server{Entries: entries} }
	for _, tt := range []struct {
		servers []*catalog.Server
		want    string
	}{{nil, ""}, {[]*catalog.Server{s(), s()}, ""}, {[]*catalog.Server{s("a", "b"), s("c")}, "a"}, {[]*catalog.Server{s(), s("c", "d")}, "c"}} {
		if got := entryOf(tt.servers...); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if got := (&Server{Entry: "e", Name: "n"}).displayName() + (&Server{Name: "n"}).displayName(); got != "en" {
		t.Errorf("%q", got)
	}
	d := &Diff{}
	for _, one := range []Server{{State: Changed}, {State: Changed, Was: "w"}, {State: Changed, Items: []Item{{State: Changed}}}, {State: Added}, {State: Removed, Was: ""}} {
		d.addServer(one)
	}
	if len(d.Servers) != 4 || d.Summary.Changed != 1 {
		t.Errorf("%d servers, want all but the one without a change; %+v", len(d.Servers), d.Summary)
	}
}

// What stayed between two changes is left in one with them if it is three tokens at most, and none a word of three letters or more.
func TestSlight(t *testing.T) {
	for text, want := range map[string]bool{"": true, " ": true, " a ": true, " ab ": true, " abc ": false, ", ": true, "a b": true, "a b ": false, " été": false, "...": true, "....": false} {
		if got := slight(tokens(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// Words, runs of white space and single characters are tokens of their own.
func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"ab_1 é9": "ab_1| |é9", "a \t\r\nb": "a| \t\r\n|b", "a--b": "a|-|-|b", "日本": "日|本", "a\u200bb": "a|\u200b|b", "ไท": "ไ|ท", "": "", "Ünïcode7": "Ünïcode7", "  ": "  ",
	} {
		if got := strings.Join(tokens(text), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
