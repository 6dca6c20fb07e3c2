package schema

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ schema, value, want string }{
		{`{"type":"object","properties":{"length":{"type":"integer"}},"required":["length"]}`, `{"length":3}`, ""},
		{`{"type":"object","properties":{"length":{"type":"integer"}}}`, `{"length":"3"}`, "/properties/length: type"},
		{`{"type":"object","required":["length"]}`, `{}`, "required"},
		{`{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, `{"x":"y"}`, ""},
		{`{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`, `{"x":1}`, "type"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"enum":[1]}},"items":{"$ref":"#/definitions/a"}}`, `[1,2]`, "enum"},
		{`{"properties":{"type":{"const":{"type":"note"}}}}`, `{"type":{"type":"note"}}`, ""},
		{`true`, `1`, ""},
		{`false`, `1`, "not"},
	} {
		s, err := Parse(tt.schema)
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		if err := s.Check(tt.value); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s against %s: %v, want %q", tt.value, tt.schema, err, tt.want)
		}
	}
}

// What a stranger's schema could have us do is refused: endless work, files and addresses.
func TestParseRefuses(t *testing.T) {
	doubling := `"a30":{"type":"string"}`
	for i := range 30 {
		doubling += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%[2]d"}]}`, i, i+1)
	}
	start := time.Now()
	for schema, want := range map[string]string{
		`{"$ref":"#"}`:                                            "outside its definitions",
		`{"$ref":"file:///etc/passwd"}`:                           "outside its definitions",
		`{"$ref":"https://x.example/s"}`:                          "outside its definitions",
		`{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`: "circle",
		`{"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`: "circle",
		`{"$defs":{` + doubling + `},"$ref":"#/$defs/a0"}`:                                                   "too many",
		`{"$dynamicRef":"#x"}`:                  "dynamic",
		`{"type":"thing"`:                       "no JSON",
		`{"properties":{"a":{"type":"thing"}}}`: "a type \"thing\"",
		`[1]`:                                   "",
	} {
		if _, err := Parse(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", schema, err, want)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}
