package wire

import (
	"encoding/base64"
	"testing"
)

func TestRedactor(t *testing.T) {
	const value = `c4n"a\ry/7f~3a<9&c>51e8`
	key := "line one of a long key\nline two of a long key\n\nshort\n"
	b64 := base64.StdEncoding.EncodeToString
	r := Redactor([]string{"KEY=" + value, "LONGER=" + value + "!", "PEM=" + key, "PIN=123", "EMPTY="})
	for _, tt := range []struct{ name, in, want string }{
		{"as it is", "a " + value + " b", "a [KEY] b"},
		{"the longer of two", value + "!", "[LONGER]"},
		{"as JSON", `"c4n\"a\\ry/7f~3a\u003c9\u0026c\u003e51e8"`, `"[KEY]"`},
		{"as JSON without HTML escapes", `"c4n\"a\\ry/7f~3a<9&c>51e8"`, `"[KEY]"`},
		{"in a pointer", `/tools/c4n"a\ry~17f~03a<9&c>51e8/x`, "/tools/[KEY]/x"},
		{"in a query", "?k=c4n%22a%5Cry%2F7f~3a%3C9%26c%3E51e8&x", "?k=[KEY]&x"},
		{"in base64", b64([]byte(value))[:28], "[KEY]"},
		{"in base64 behind a byte", b64([]byte("x" + value)), "eG" + "M0" + "[KEY]"},
		{"of several lines", key, "[PEM]"},
		{"one of its lines", "> line two of a long key", "> [PEM]"},
		{"one of its short lines", "short", "short"},
		{"too short to hide", "123", "123"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Replace(tt.in); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestKeysInAPath(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"http://127.0.0.1/s/OTk3abcDEFghiJKLmnoPQR12/mcp", "http://127.0.0.1/s/[path]/mcp"},
		{"http://127.0.0.1/mcp/550e8400-e29b-41d4-a716-446655440000", "http://127.0.0.1/mcp/[path]"},
		{"http://127.0.0.1/the-model-context-protocol-server/v1/mcp", "http://127.0.0.1/the-model-context-protocol-server/v1/mcp"},
	} {
		h, err := Dial(Endpoint{URL: tt.url})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		if got := h.Place(); got != tt.want {
			t.Errorf("%s is shown as %s, want %s", tt.url, got, tt.want)
		}
	}
}
