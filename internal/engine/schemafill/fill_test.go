package schemafill

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func fillerFor(schema string) *Filler {
	return &Filler{Schema: Parse(schema), With: Companions{File: "/p/notes.txt", Dir: "/p", URL: "http://127.0.0.1:1/a", Host: "localhost", Word: "example"}, Role: func(path string) string {
		switch {
		case strings.Contains(path, "url"):
			return "url"
		case strings.Contains(path, "path"), strings.Contains(path, "Dir"):
			return "path"
		}
		return "text"
	}}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"nothing is required", `{"properties":{"a":{"type":"string"}}}`, `{}`},
		{"no schema", ``, `{}`},
		{"an enumeration", `{"properties":{"a":{"enum":["x","y"]}},"required":["a"]}`, `{"a":"x"}`},
		{"a constant", `{"properties":{"a":{"const":"c"}},"required":["a"]}`, `{"a":"c"}`},
		{"a default goes before an example", `{"properties":{"a":{"type":"string","default":"d","examples":["e"]}},"required":["a"]}`, `{"a":"d"}`},
		{"a pattern", `{"properties":{"a":{"type":"string","pattern":"^[A-Z]{3}-[0-9]+$"}},"required":["a"]}`, `{"a":"AAA-1"}`},
		{"a format", `{"properties":{"a":{"type":"string","format":"date"}},"required":["a"]}`, `{"a":"2026-01-02"}`},
		{"bounds", `{"properties":{"n":{"type":"integer","minimum":10,"multipleOf":4}},"required":["n"]}`, `{"n":12}`},
		{"a length", `{"properties":{"a":{"type":"string","minLength":10}},"required":["a"]}`, `{"a":"exampleaaa"}`},
		{"an example in words", `{"properties":{"a":{"type":"string","description":"the command, e.g. 'aws s3 ls'"}},"required":["a"]}`, `{"a":"aws s3 ls"}`},
		{"a folder and a file", `{"properties":{"projectDir":{"type":"string"},"path":{"type":"string"}},"required":["projectDir","path"]}`, `{"path":"/p/notes.txt","projectDir":"/p"}`},
		{"nested", `{"properties":{"o":{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"url":{"type":"string"}},"required":["url"]}}},"required":["l"]}},"required":["o"]}`, `{"o":{"l":[{"url":"http://127.0.0.1:1/a"}]}}`},
		{"an alternative", `{"properties":{"a":{"anyOf":[{"type":"null"},{"type":"boolean"}]}},"required":["a"]}`, `{"a":false}`},
		{"a reference", `{"$defs":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]}`, `{"a":1}`},
		{"a reference to itself", `{"$defs":{"n":{"$ref":"#/$defs/n"}},"properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]}`, `{"a":"example"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Encode(fillerFor(tt.schema).Arguments(nil)); got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.schema, got, tt.want)
			}
		})
	}
}

// A value under test stands where its path says, with what is required around it.
func TestArgumentsWithAValue(t *testing.T) {
	const schema = `{"properties":{"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"integer"}},"required":["mode","path"]}},"paths":{"type":"array","items":{"type":"string"}},"o":{"type":"object","properties":{"q":{"type":"string"}}}}}`
	for _, tt := range []struct{ path, want string }{
		{"files[].path", `{"files":[{"mode":1,"path":"X"}]}`},
		{"paths[]", `{"paths":["X"]}`},
		{"o.q", `{"o":{"q":"X"}}`},
	} {
		if got := Encode(fillerFor(schema).Arguments(map[string]any{tt.path: "X"})); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.path, got, tt.want)
		}
	}
}

func TestMend(t *testing.T) {
	const schema = `{"properties":{"action":{"type":"string"},"path":{"type":"string"},"user":{"type":"string"},"extra":{"type":"string"}},"required":["action","path"]}`
	for _, tt := range []struct{ name, says, want string }{
		{"issues of zod", `Invalid arguments: [{"code":"invalid_enum_value","options":["list","show"],"path":["action"],"message":"Invalid enum value"}]`, `{"action":"list","path":"/p/notes.txt"}`},
		{"pydantic misses a parameter", "1 validation error for Args\nuser\n  Field required [type=missing, input_value={}]", `{"action":"example","path":"/p/notes.txt","user":"example"}`},
		{"a sentence that lists values", "Unknown action. Must be one of: list, show", `{"action":"list","path":"/p/notes.txt"}`},
		{"a sentence that asks for more", "user is required for this action", `{"action":"example","path":"/p/notes.txt","user":"example"}`},
		{"a sentence about a beginning", `action must start with "aws"`, `{"action":"awsexample","path":"/p/notes.txt"}`},
		{"a sentence about a kind of value", "action must be a valid URL", `{"action":"http://127.0.0.1:1/a","path":"/p/notes.txt"}`},
		{"nothing that can be mended", "the server is busy", `{"action":"example","path":"/p/notes.txt"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fillerFor(schema)
			f.Mend(f.Schema.ReadComplaint(tt.says), "path")
			if got := Encode(f.Arguments(nil)); got != tt.want {
				t.Errorf("%q: got %s, want %s", tt.says, got, tt.want)
			}
		})
	}
}

// FuzzArguments: whatever a schema says, arguments come in bounded time and are an object; where
// a validator takes the schema and its parts are of the simple kinds, they fit it.
func FuzzArguments(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"string","minLength":3},"b":{"type":"integer","maximum":0}},"required":["a","b"]}`)
	f.Add(`{"$defs":{"n":{"anyOf":[{"$ref":"#/$defs/n"}]}},"properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		filler := fillerFor(schema)
		for _, p := range filler.Schema.Parameters() {
			filler.Arguments(map[string]any{p.Path: "x"})
		}
		text := Encode(filler.Arguments(nil))
		var v map[string]any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%s is no object: %v", text, err)
		}
		again := Encode(filler.Arguments(nil))
		if text != again {
			t.Fatalf("two runs differ: %s and %s", text, again)
		}
	})
}

// What is made fits the schema that it was made for.
func TestArgumentsFit(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"string","pattern":"^(foo|bar)-[0-9a-f]{8}$"},"b":{"type":"array","items":{"enum":[1,2]},"minItems":2},"c":{"oneOf":[{"type":"object","properties":{"k":{"const":"v"}},"required":["k"]},{"type":"string"}]}},"required":["a","b","c"]}`,
		`{"type":"object","properties":{"n":{"type":"number","exclusiveMinimum":5,"maximum":9},"e":{"type":"string","format":"email"},"u":{"type":"string","format":"uri"}},"required":["n","e","u"],"additionalProperties":false}`,
		`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"boolean"}},"required":["b"]}]}`,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("urn:s", doc); err != nil {
			t.Fatal(err)
		}
		s, err := c.Compile("urn:s")
		if err != nil {
			t.Fatal(err)
		}
		text := Encode(fillerFor(schema).Arguments(nil))
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s does not fit %s: %v", text, schema, err)
		}
	}
}

// FuzzReadComplaint: the options and names that are read stand in the text.
func FuzzReadComplaint(f *testing.F) {
	f.Add("Must be one of: list, show")
	f.Add(`[{"code":"invalid_type","path":["a",0],"received":"undefined"}]`)
	f.Add("2 validation errors for A\na\n  Field required [type=missing]")
	s := Parse(`{"properties":{"action":{"type":"string"},"a":{"type":"string"}},"required":["action"]}`)
	f.Fuzz(func(t *testing.T, says string) {
		c := s.ReadComplaint(says)
		for _, m := range c.Missing {
			if !c.Names(m) {
				t.Fatalf("%q is missing and not named", m)
			}
		}
		filler := Filler{Schema: s}
		for range 50 {
			if !filler.Mend(c, "") {
				return
			}
		}
	})
}

// TestHostileSchemas holds that what one object holds hides nothing beside it, and that parts which refer to the whole end.
func TestHostileSchemas(t *testing.T) {
	wide := strings.Repeat(`{"$ref":"#/$defs/o"},`, 15) + `{"$ref":"#/$defs/o"}`
	for _, tt := range []struct{ name, schema string }{
		{"an object that holds itself", `{"required":["a","command"],"properties":{"a":{"$ref":"#/$defs/o"},"command":{"type":"string"}},"$defs":{"o":{"type":"object","required":["a","b","c","d"],"properties":{
			"a":{"$ref":"#/$defs/o"},"b":{"$ref":"#/$defs/o"},"c":{"$ref":"#/$defs/o"},"d":{"$ref":"#/$defs/o"}}}}}`},
		{"parts that are the whole", `{"required":["a","command"],"properties":{"a":{"$ref":"#/$defs/o"},"command":{"type":"string"}},"$defs":{"o":{"allOf":[` + wide + `]}}}`},
	} {
		if ps := Parse(tt.schema).Parameters(); !slices.ContainsFunc(ps, func(p Parameter) bool { return p.Path == "command" }) {
			t.Errorf("%s: %d parameters, and command is not one of them", tt.name, len(ps))
		}
		if args := fillerFor(tt.schema).Arguments(nil); args["command"] == nil || len(Encode(args)) > 1<<20 {
			t.Errorf("%s: the arguments have %d bytes and %v for command", tt.name, len(Encode(args)), args["command"])
		}
	}
}
