package match

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/rawjson"
)

func scope(t testing.TB) Scope {
	return Scope{
		Captures: map[string]string{"name": "world", "other.name": "theirs", "injected": "{{name}}", "empty": "", "request.taken": "captured"},
		Request:  mustParse(t, `{"a":{"b":{"c":"deep"}},"n":1.50,"o":{"z": 1, "a": [true]},"nil":null,"taken":"sent"}`),
		Response: mustParse(t, `{"status":"ok"}`),
	}
}

func TestTemplates(t *testing.T) {
	for _, tt := range []struct{ name, template, want, missing string }{
		{"a capture", "Hello {{name}}", "Hello world", ""},
		{"one of another actor", "{{other.name}}!", "theirs!", ""},
		{"several", "{{name}}{{name}} {{empty}}.", "worldworld .", ""},
		{"none", "plain } text {", "plain } text {", ""},
		{"nothing", "", "", ""},
		{"a part of the request", "{{request.a.b.c}}", "deep", ""},
		{"a number as it was sent", "{{request.n}}", "1.50", ""},
		{"an object, compact, in its order", "{{request.o}}", `{"z":1,"a":[true]}`, ""},
		{"null", "{{request.nil}}", "null", ""},
		{"a part of the response", "{{response.status}}", "ok", ""},
		{"captures come first", "{{request.taken}}", "captured", ""},
		{"a capture that was not made", "[{{none}}]", "[]", "none"},
		{"a part that is not there", "[{{request.a.x}}]", "[]", "request.a.x"},
		{"a path that is none", "[{{request.a[0]}}]", "[]", "request.a[0]"},
		{"the whole request has no name", "[{{request.}}{{request}}]", "[]", "request.|request"},
		{"no name", "[{{}}]", "[]", ""},
		{"spaces belong to the name", "[{{ name }}]", "[]", " name "},
		{"what is put in is not read again", "{{injected}}", "{{name}}", ""},
		{"escaped", `use \{{name}} here`, "use {{name}} here", ""},
		{"escaped and not", `\{{a}} and {{name}}`, "{{a}} and world", ""},
		{"escaped behind a reference", `{{name}}\{{`, "world{{", ""},
		{"an escape needs no end", `\{{`, "{{", ""},
		{"a backslash elsewhere", `\n \{ {{name}}\`, `\n \{ world\`, ""},
		{"a dollar before", "${{name}}", "$world", ""},
		{"a zero byte is text", "a\x00{{name}}\x00", "a\x00world\x00", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			template, err := ParseTemplate(tt.template)
			if err != nil {
				t.Fatal(err)
			}
			got, missing := template.Expand(scope(t))
			if got != tt.want || tt.missing != "" && strings.Join(missing, "|") != tt.missing || tt.missing == "" && len(missing) > 0 && missing[0] != "" {
				t.Errorf("%q gave %q without %q, want %q without %q", tt.template, got, missing, tt.want, tt.missing)
			}
		})
	}
	for _, s := range []string{"{{", "a {{name}", `\{{ {{x`, "{{a}} {{b", "{{{"} {
		if _, err := ParseTemplate(s); err == nil {
			t.Errorf("%q was taken for a template", s)
		}
	}
	template, err := ParseTemplate(`{{a}} \{{b}} {{c.d}}{{a}}`)
	if err != nil || !slices.Equal(template.References(), []string{"a", "c.d", "a"}) {
		t.Errorf("References: %q, %v", template.References(), err)
	}
}

func TestTemplateErrorNamesThePlace(t *testing.T) {
	if _, err := ParseTemplate("ab {{c}} {{d"); err == nil || err.Error() != "{{ at byte 9 has no }}" {
		t.Errorf("got %v", err)
	}
}

func TestNoMessageAtHand(t *testing.T) {
	template, err := ParseTemplate("[{{request.a}}{{response.a}}]")
	if err != nil {
		t.Fatal(err)
	}
	if got, missing := template.Expand(Scope{}); got != "[]" || len(missing) != 2 {
		t.Errorf("got %q without %q", got, missing)
	}
}

func TestExpandValue(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"strings at any depth", `{"a": ["{{name}}", {"b":"x{{request.n}}"}]}`, `{"a": ["world", {"b":"x1.50"}]}`},
		{"names of members are no templates", `{"{{name}}":"{{name}}"}`, `{"{{name}}":"world"}`},
		{"all else as it was", ` [ 1.0, 1e400 ,null,"\u0041", {"a":1,"a":2}]`, `[ 1.0, 1e400 ,null,"\u0041", {"a":1,"a":2}]`},
		{"what is put in is escaped", `"{{request.o}}\n"`, `"{\"z\":1,\"a\":[true]}\n"`},
		{"what is put in is not read again", `["{{injected}}"]`, `["{{name}}"]`},
		{"braces behind escapes", `"\u007b\u007bname}}"`, `"world"`},
		{"braces that do not close stay", `["{{a","{{name}}"]`, `["{{a","world"]`},
		{"an escape", `"\\{{name}}"`, `"{{name}}"`},
		{"a string alone", `"{{name}}"`, `"world"`},
		{"a number alone", `42`, `42`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := ExpandValue(mustParse(t, tt.in), scope(t)); got != tt.want {
				t.Errorf("%s gave %s, want %s", tt.in, got, tt.want)
			}
		})
	}
	inner := mustParse(t, `{"skip":"{{x}}","take":["{{name}}","{{none}}"]}`).Get("take")
	if got, missing := ExpandValue(inner, scope(t)); got != `["world",""]` || !slices.Equal(missing, []string{"none"}) {
		t.Errorf("a part gave %s without %q", got, missing)
	}
	if got, _ := ExpandValue(rawjson.Value{}, scope(t)); got != "" {
		t.Errorf("nothing gave %q", got)
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add(`a {{name}} \{{b}} {{request.a}}`, "{{name}}", `{"a":"{{name}}"}`)
	f.Fuzz(func(t *testing.T, text, capture, value string) {
		s := Scope{Captures: map[string]string{"name": capture}}
		template, err := ParseTemplate(text)
		if (template == nil) == (err == nil) {
			t.Fatalf("%q: want exactly one of template and error", text)
		}
		if err == nil {
			out, missing := template.Expand(s)
			if !strings.Contains(text, "{{") && out != text {
				t.Errorf("%q became %q", text, out)
			}
			if len(missing) > len(template.References()) {
				t.Errorf("%q misses %q of %q", text, missing, template.References())
			}
			// What a capture says must not matter to anything but its own place.
			marked, _ := template.Expand(Scope{Captures: map[string]string{"name": "\x00mark\x00"}})
			if !strings.Contains(text, "\x00") && strings.ReplaceAll(marked, "\x00mark\x00", capture) != out {
				t.Errorf("%q with %q became %q", text, capture, out)
			}
		}
		var tree rawjson.Tree
		if tree.Parse(value, 0) != nil {
			return
		}
		out, _ := ExpandValue(tree.Root(), s)
		expanded := mustParse(t, out)
		if !strings.Contains(value, "{{") && !strings.Contains(value, `\u007`) && out != tree.Root().Raw() {
			t.Errorf("%q became %q", value, out)
		}
		if expanded.Kind() != tree.Root().Kind() || expanded.Len() != tree.Root().Len() {
			t.Errorf("%q became %q, another form", value, out)
		}
	})
}
