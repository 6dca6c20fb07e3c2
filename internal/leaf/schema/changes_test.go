package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

// whole writes each change with all that it holds, sorted.
func whole(r Result, back bool) []string {
	var out []string
	for _, c := range r.Changes {
		old, new, class := c.Old, c.New, c.Class
		if back {
			old, new, class = new, old, class.inverse()
		}
		out = append(out, fmt.Sprintf("%s %s %s: %s => %s", c.Pointer, c.Keyword, class, old.Canonical(), new.Canonical()))
	}
	slices.Sort(out)
	return out
}

// The way back undoes the way there, change by change: the same places, with the values and the classes the other way round.
func TestEveryChangeTheWayBack(t *testing.T) {
	for _, tt := range cases {
		there, back := Compare(value(t, tt.old), value(t, tt.new)), Compare(value(t, tt.new), value(t, tt.old))
		if got, want := whole(back, true), whole(there, false); !slices.Equal(got, want) {
			t.Errorf("%s: the way back undoes\n%s\nof\n%s", tt.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if back.Class != there.Class.inverse() || there.Class.inverse().inverse() != there.Class {
			t.Errorf("%s: %s there and %s back", tt.name, there.Class, back.Class)
		}
	}
}

// A change says where it stands, upon what keyword, and what stood and stands there.
func TestChangesAreToldWhole(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`{"minimum":2}`, `{"minimum":1}`, "/minimum minimum widened: 2 => 1"},
		{`{"properties":{"a":{"maxLength":1}}}`, `{"properties":{"a":{"maxLength":2}}}`, "/properties/a/maxLength maxLength widened: 1 => 2"},
		{`{"properties":{}}`, `{"properties":{"a/b":{"type":"string"}}}`, `/properties/a~1b  widened:  => {"type":"string"}`},
		{`{"properties":{"a":{"type":"string"}}}`, `{"properties":{}}`, `/properties/a  narrowed: {"type":"string"} => `},
		{`{"properties":{}}`, `{"properties":{"a":{"type":"string"}},"required":["a"]}`, `/properties/a  narrowed:  => {"type":"string"}`},
		{`{"properties":{},"additionalProperties":false}`, `{"properties":{"a":{"type":"string"}},"additionalProperties":false,"required":["a"]}`, `/properties/a  unrelated:  => {"type":"string"}`},
		{`{"properties":{},"additionalProperties":{"type":"string"}}`, `{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, `/properties/a  unclear:  => {"type":"string"}`},
		{`{"properties":{},"patternProperties":{"a":{}}}`, `{"properties":{"a":{}},"patternProperties":{"a":{}}}`, `/properties/a  unclear:  => {}`},
		{`{"properties":{}}`, `{"properties":{"a":false}}`, `/properties/a  unclear:  => false`},
		{`{"description":"a"}`, `{"description":"b"}`, `/description description same: "a" => "b"`},
	} {
		r := Compare(value(t, tt.old), value(t, tt.new))
		if got := strings.Join(whole(r, false), "; "); got != tt.want {
			t.Errorf("%s to %s:\n%s, want\n%s", tt.old, tt.new, got, tt.want)
		}
	}
	if r := Compare(value(t, `{"properties":{}}`), value(t, `{"properties":{"a":{}},"required":["a"]}`)); !strings.HasSuffix(r.Changes[0].Words, ", required") {
		t.Errorf("a required property: %q", r.Changes[0].Words)
	}
}

// Of two schemas each is compared with itself as the same, whatever it holds.
func TestNothingChanged(t *testing.T) {
	for _, tt := range cases {
		for _, text := range []string{tt.old, tt.new} {
			if r := Compare(value(t, text), value(t, text)); r.Class != Same || len(r.Changes) != 0 || r.More != 0 {
				t.Errorf("%s with itself: %s, %v", text, r.Class, r.Changes)
			}
		}
	}
	if r := Compare(rawjson.Value{}, rawjson.Value{}); r.Class != Same {
		t.Errorf("nothing with nothing: %s", r.Class)
	}
}
