package redact

import (
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"gauntlet/internal/leaf/text"
)

const value = `c4n"a\ry/7f~3a<9&c>51e8`

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// each writes every byte of s by a format.
func each(format, between, s string) string {
	var out []string
	for i := range len(s) {
		out = append(out, fmt.Sprintf(format, s[i]))
	}
	return strings.Join(out, between)
}

func utf16le(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func compressed(s string, by func(io.Writer) io.WriteCloser) string {
	var b strings.Builder
	w := by(&b)
	_, _ = io.WriteString(w, "padding "+s+" padding")
	_ = w.Close()
	return b.String()
}

// What is compressed is found as bytes, too, with its end missing and behind other bytes; a bomb is read to a limit.
func TestCompressedBytes(t *testing.T) {
	r := New([]string{"KEY=" + value})
	long := compressed(strings.Repeat(value, 200), func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	bomb := compressed(strings.Repeat("x", 200<<20), func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	for name, in := range map[string]string{"gzip": "\x00\x01" + long, "cut": long[:len(long)-9], "behind a bomb": bomb + long} {
		if got := r.Names(in); !slices.Equal(got, []string{"KEY"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := r.Names(long[4:]); got != nil {
		t.Errorf("without a beginning: %q", got)
	}
}

// encodings are the ways in which a server may say a secret that it got hold of.
func encodings(s string) map[string]string {
	wrapped := b64(strings.Repeat("padding ", 8) + s + strings.Repeat(" padding", 8))
	for i := 60; i < len(wrapped); i += 61 {
		wrapped = wrapped[:i] + "\n" + wrapped[i:]
	}
	j, _ := json.Marshal(s)
	return map[string]string{
		"as it is":                      s,
		"backwards":                     text.Backwards(s),
		"ROT13":                         text.Rot13(s),
		"capitals":                      strings.ToUpper(s),
		"small letters":                 strings.ToLower(s),
		"JSON string":                   string(j),
		"JSON string in a JSON string":  strconv.Quote(string(j)),
		"Go string":                     strconv.Quote(s),
		`\u escapes`:                    each(`\u%04x`, "", s),
		`\u{} escapes`:                  each(`\u{%x}`, "", s),
		`\U escapes`:                    each(`\U%08X`, "", s),
		`\u escapes escaped`:            each(`\\u%04X`, "", s),
		`\x escapes`:                    each(`\x%02x`, "", s),
		"octal escapes":                 each(`\%03o`, "", s),
		"query":                         url.QueryEscape(s),
		"path":                          url.PathEscape(s),
		"every byte percent-encoded":    each("%%%02X", "", s),
		"percent-encoded twice":         each("%%25%02x", "", s),
		"HTML":                          html.EscapeString(s),
		"decimal entities":              each("&#%d;", "", s),
		"hexadecimal entities":          each("&#x%x;", "", s),
		"JSON pointer":                  strings.NewReplacer("~", "~0", "/", "~1").Replace(s),
		"hex":                           hex.EncodeToString([]byte(s)),
		"hex in capitals":               strings.ToUpper(hex.EncodeToString([]byte(s))),
		"hex behind a digit":            "7" + hex.EncodeToString([]byte(s)),
		"hex with blanks":               each("%02x", " ", s),
		"hex with colons":               each("%02X", ":", s),
		"hex, a list":                   "[" + each("0x%02x", ", ", s) + "]",
		"quoted-printable":              each("=%02X", "", s),
		"codes of characters":           "[" + each("%d", ", ", s) + "]",
		"codes of characters, strings":  each("%d", `","`, s),
		"base64":                        b64(s),
		"base64 without padding":        base64.RawStdEncoding.EncodeToString([]byte(s)),
		"base64 for URLs":               base64.URLEncoding.EncodeToString([]byte(s)),
		"base64 of a longer text":       b64("x" + s + " and more"),
		"base64 of another longer text": b64("xy" + s + "."),
		"base64 behind letters":         "token" + b64(s),
		"base64 in lines":               wrapped,
		"base64 twice":                  b64(b64(s)),
		"base64 of base64 of base64":    b64(b64(b64(s))),
		"base64 of hex":                 b64(hex.EncodeToString([]byte(s))),
		"hex of base64":                 hex.EncodeToString([]byte(b64(s))),
		"base64 of percent-encoded":     b64(each("%%%02X", "", s)),
		"base64 of what goes backwards": b64(text.Backwards(s)),
		"base64 backwards, percent":     url.QueryEscape(b64(text.Backwards(s))),
		"base64 of UTF-16":              b64(utf16le(s)),
		"base64 in JSON escapes":        each(`\u%04x`, "", b64(s)),
		"base32":                        base32.StdEncoding.EncodeToString([]byte(s)),
		"base32 of a longer text":       base32.StdEncoding.EncodeToString([]byte("ab" + s + "c")),
		"base32 of hexadecimal order":   base32.HexEncoding.EncodeToString([]byte(s)),
		"binary digits":                 each("%08b", "", s),
		"binary digits with blanks":     each("%08b", " ", s),
		"one number":                    new(big.Int).SetBytes([]byte(s)).String(),
		"ascii85 of a longer text":      inAscii85("ab" + s + "cd"),
		"letters apart":                 each("%c", " ", s),
		"letters apart by dots":         each("%c", ".", s),
		"letters in a list":             each("%c", `","`, s),
		"letters in lines":              each("%c", "\n", s),
		"letters and invisible ones":    each("%c", "\u200b", s),
		"letters apart backwards":       each("%c", " - ", text.Backwards(s)),
		"in two parts":                  s[:9] + `" + "` + s[9:],
		"letters of full width":         strings.Map(func(r rune) rune { return r + 0xFEE0 }, s),
		"letters of the block Tags":     strings.Map(func(r rune) rune { return r + 0xE0000 }, s),
		"hex backwards":                 text.Backwards(hex.EncodeToString([]byte(s))),
		"base64 backwards":              text.Backwards(b64(s)),
		"percent-encoded, in a JSON":    string(j[1:4]) + url.QueryEscape(s[3:]),
		"JSON in a query":               url.QueryEscape(string(j)),
		"behind another value's begin":  s[:7] + s,
		"base64 of a JSON":              b64(`{"token":` + string(j) + `}`),
		"between letters":               "abc" + s + "def",
		"base64 of gzip":                b64(compressed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })),
		"hex of zlib":                   hex.EncodeToString([]byte(compressed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }))),
		"base64 of gzip of hex":         b64(compressed(hex.EncodeToString([]byte(s)), func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })),
	}
}

func TestValuesAreComparedAndNotSpellings(t *testing.T) {
	token := "sk-Proj_9f8Aq2LmX0zT7vKd"
	for _, secret := range []string{value, token} {
		r := New([]string{"OTHER=unrelated words here", "KEY=" + secret})
		for name, spelled := range encodings(secret) {
			t.Run(name, func(t *testing.T) {
				in := "before " + spelled + " behind"
				out := r.Replace(in)
				if !strings.Contains(out, "[KEY]") || !strings.HasPrefix(out, "before ") || !strings.HasSuffix(out, " behind") {
					t.Errorf("%q became %q", in, out)
				}
				if names := r.Names(in); !slices.Equal(names, []string{"KEY"}) {
					t.Errorf("%q holds %q", in, names)
				}
				text, _ := json.Marshal(map[string]any{"tools": []any{in, 1}})
				var back map[string]any
				if out := r.ReplaceJSON(string(text)); json.Unmarshal([]byte(out), &back) != nil || !strings.Contains(out, "[KEY]") || r.Names(out) != nil {
					t.Errorf("%s became %s", text, out)
				}
			})
		}
	}
}

func TestReplace(t *testing.T) {
	key := "line one of a long key\nline two of a long key\n\nshort\n"
	r := New([]string{"KEY=" + value, "LONGER=" + value + "!", "PEM=" + key, "PIN=123", "FOUR=9x7b", "TEN=t0k3n9-abcd#", "NINE=t0k3n9-adx", "MODE=test", "EMPTY=", "PASS=correct horse battery",
		"AUTH=Bearer t0k3n-abcdefgh", "BASIC=Basic " + b64("me:pa55word!"), "DB=postgres://me:hunter2hunter@db/x", `JSON={"id":"x","private_key":"0123456789abcdef-k3y"}`})
	for _, tt := range []struct{ name, in, want string }{
		{"alone", value, "[KEY]"},
		{"within", "a " + value + " b", "a [KEY] b"},
		{"twice", value + value, "[KEY][KEY]"},
		{"the longer of two", value + "!", "[LONGER]"},
		{"all but one character", value[1:], value[1:]},
		{"of several lines", key, "[PEM]"},
		{"one of its lines", "> line two of a long key", "> [PEM]"},
		{"one of its short lines", "short", "short"},
		{"too short to hide", "123", "123"},
		{"of four bytes", "say 9x7b.", "say [FOUR]."},
		{"of four bytes in capitals is another", "9X7B", "9X7B"},
		{"of four bytes with blanks is another", "9 x 7 b", "9 x 7 b"},
		{"of four bytes in base64", "say " + b64("at 9x7b now"), "say YXQg[FOUR]Bub3c="},
		{"a word of another letter case", "Test TEST", "Test TEST"},
		{"a phrase with other punctuation", "Correct-Horse_Battery", "[PASS]"},
		{"the token of a header", "t0k3n-abcdefgh", "[AUTH]"},
		{"the password of a header", "pa55word!", "[BASIC]"},
		{"the password of a URL", "hunter2hunter", "[DB]"},
		{"a key within JSON", "0123456789abcdef-k3y", "[JSON]"},
		{"a word within JSON", "x id", "x id"},
		{"ten letters and digits, apart", "t0 k3-n9 a_b.c d", "[TEN]"},
		{"nine letters and digits, apart", "t0 k3-n9 a_d x", "t0 k3-n9 a_d x"},
		{"nothing", "", ""},
		{"an escape that breaks off", `ends \u00`, `ends \u00`},
		{"hex of something else", "deadbeefdeadbeefdeadbeef", "deadbeefdeadbeefdeadbeef"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Replace(tt.in); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	var none *Redactor
	if got := none.Replace(value) + none.ReplaceJSON(`"a"`) + none.CutEnd("x"); got != value+`"a"x` || none.Names(value) != nil {
		t.Errorf("no redactor made %q", got)
	}
}

// What a value is not found by: honest texts stay as they are.
func TestHonestTextStays(t *testing.T) {
	r := New([]string{"KEY=sk-Proj_9f8Aq2LmX0zT7vKd", "MODE=production", "PORT=8080"})
	for _, text := range []string{
		"Deploys to Production environments. Returns information in hex: 0x1f 0x8b 0x08.",
		`{"type":"object","properties":{"path":{"type":"string","description":"The path, e.g. \/tmp\/x"}}}`,
		"SGVsbG8sIHdvcmxkISBUaGlzIGlzIGEgdGVzdC4=", "[72, 101, 108, 108, 111]", "%20%2F%3A&amp;&#65;\\n",
	} {
		if got := r.Replace(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestReplaceJSON(t *testing.T) {
	r := New([]string{"KEY=sk-Proj_9f8Aq2LmX0zT7vKd", "PIN=98765432"})
	for _, tt := range []struct{ name, in, want string }{
		{"a string", `{"a":"x sk-Proj_9f8Aq2LmX0zT7vKd y"}`, `{"a":"x [KEY] y"}`},
		{"a member's name", `{"sk-Proj_9f8Aq2LmX0zT7vKd":1}`, `{"[KEY]":1}`},
		{"a number", `{"a":98765432, "b":5}`, `{"a":"[PIN]", "b":5}`},
		{"strings in a row", `["sk-Proj_9f8A","q2LmX0zT7vKd","x"]`, `["[KEY]","[KEY]","x"]`},
		{"the rest stays byte for byte", `{ "a" : "A\/", "b":"98765432" }`, `{ "a" : "A\/", "b":"[PIN]" }`},
		{"no JSON", `{"a":98765432`, `{"a":[PIN]`},
	} {
		if got := r.ReplaceJSON(tt.in); got != tt.want {
			t.Errorf("%s: %s became %s, want %s", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestCutExcerpts(t *testing.T) {
	const value = "my-s3cr3t-value"
	r := New([]string{"K=" + value})
	for _, tt := range []struct{ name, in, want string }{
		{"the end of an excerpt", "says my-s3cr3t", "says …"},
		{"the beginning of one", "3t-value is it", "… is it"},
		{"four bytes", "says my-s", "says …"},
		{"three bytes", "says my-", "says my-"},
		{"in hex", "says " + hex.EncodeToString([]byte(value))[:20], "says …"},
		{"in base64", "says: " + b64(value)[:14], "says: …"},
		{"as escapes", `says \u006d\u0079\u002d\u0073`, "says …"},
		{"neither", "says nothing", "says nothing"},
	} {
		if got := r.ReplaceExcerpt(tt.in); got != tt.want {
			t.Errorf("%s: %q became %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

// A value is found wherever it stands in a long text, and so across the parts that a long text
// is searched in.
func TestLongText(t *testing.T) {
	r := New([]string{"K=my-s3cr3t-value"})
	spelled := each(`\u%04x`, "", "my-s3cr3t-value")
	for _, at := range []int{0, chunk - 700, chunk - 50, chunk - 10, chunk, 2*chunk - 500} {
		in := strings.Repeat("-", at) + spelled + strings.Repeat("-", 3*chunk-at)
		if got := r.Replace(in); len(got) != 3*chunk+len("[K]") || !strings.Contains(got, "[K]") {
			t.Errorf("at %d: not found", at)
		}
	}
}

// What stands right beside a secret in JSON stays: a text that ends where the secret begins, or begins where it ends.
func TestNeighboursInJSONStay(t *testing.T) {
	for _, tt := range []struct{ secret, in, want string }{
		{`,12345678`, `["a",12345678]`, `["a","[K]"]`},
		{`12345678,`, `[12345678,"a"]`, `["[K]","a"]`},
		{`12345678`, `["a",12345678,"b"]`, `["a","[K]","b"]`},
	} {
		if got := New([]string{"K=" + tt.secret}).ReplaceJSON(tt.in); got != tt.want {
			t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
		}
	}
}

// A value longer than the parts that a text is searched in is found, too: the parts grow with it.
func TestLongValues(t *testing.T) {
	for _, n := range []int{1000, chunk / widest / 4, chunk/widest + 1000} {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "k%dx", i*i)
		}
		value := b.String()
		r := New([]string{"K=" + value})
		for _, before := range []int{0, chunk - n/2, 2 * chunk} {
			want := strings.Repeat("-", before) + "[K]" + strings.Repeat("-", chunk)
			if got := r.Replace(strings.Replace(want, "[K]", value, 1)); got != want {
				t.Errorf("a value of %d bytes behind %d others: not found, or something else with it (%d bytes left, want %d)", n, before, len(got), len(want))
			}
		}
	}
}

// The end of a long text is looked at as that of a short one, and so is its beginning.
func TestCutLongExcerpts(t *testing.T) {
	r := New([]string{"K=my-s3cr3t-value"})
	long := strings.Repeat("-. ", chunk)
	if got := r.CutEnd(long + "my-s3cr3t"); got != long+"…" {
		t.Errorf("a cut at the end of a long text stays: …%q", got[len(got)-20:])
	}
	if got := r.CutStart("3t-value" + long); got != "…"+long {
		t.Errorf("a cut at the beginning of a long text stays: %q…", got[:20])
	}
}

// Seven of eight bytes make a text: what decodes to less is a code for something else.
func TestReadable(t *testing.T) {
	for text, want := range map[string]bool{
		"abcdefg\x01": true, "abcdef\x01\x02": false, "abcdefg\x7f": true, "a\r\n\tbcd\x1f": true, "": true,
		"abcdefghijklmn\x01\x02": true, "abcdefghijklmn\x01\x02\x03": false, "a\x00b\x00c\x00d\x00": true, "\x80abcdef": false,
	} {
		if got := readable([]byte(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestURLSecrets(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"https://h/mcp", nil},
		{"https://me:pa55@h/mcp", []string{"password=pa55"}},
		{"https://t0ken@h/", []string{"password=t0ken"}},
		{"https://h/?k=0123456789abcdef&v=short", []string{"k=0123456789abcdef"}},
		{"https://h/?token=t0kenabc&page=t0kenabc&key=short", []string{"token=t0kenabc"}},
		{"https://h/s/OTk3abcDEFghiJKLmnoPQR12/mcp", []string{"path=OTk3abcDEFghiJKLmnoPQR12"}},
		{"https://h/the-model-context-protocol-server/v1", nil},
		{"https://h/%zz", nil},
	} {
		if got := URLSecrets(tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzReplace(f *testing.F) {
	for _, s := range encodings(value) {
		f.Add(s)
	}
	r := New([]string{"KEY=" + value, "T=sk-Proj_9f8Aq2LmX0zT7vKd", "FOUR=9x7b"})
	f.Fuzz(func(t *testing.T, text string) {
		out := r.Replace(text + " " + b64(value))
		if strings.Contains(out, value) || strings.Contains(out, b64(value)) {
			t.Fatalf("%q became %q", text, out)
		}
		if json.Valid([]byte(text)) {
			if out := r.ReplaceJSON(text); !json.Valid([]byte(out)) {
				t.Fatalf("%s became %s", text, out)
			}
		}
		r.ReplaceExcerpt(text)
	})
}

func BenchmarkReplace(b *testing.B) {
	r := New([]string{"KEY=sk-Proj_9f8Aq2LmX0zT7vKd", "DB=postgres://me:hunter2hunter@db/x", "PORT=8080"})
	text := strings.Repeat(`{"name":"read_file","description":"Reads the file at \"path\" and returns\nits lines.","inputSchema":{"type":"object"}},`, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.ReplaceJSON(text)
	}
}

func inAscii85(text string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(out[:ascii85.Encode(out, []byte(text))])
}

// The renderings are those of other programs: the examples of base58, of ZeroMQ's Z85, and of Python's b85encode.
func TestRenderings(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"Hello World!", "2NEpo7TZRRrLZSi2U"},
		{"\x86\x4F\xD2\x6F\xB5\x59\xF7\x5B", "HelloWorld"},
		{"Hello World!", "NM&qnZy;B1a%^NF"},
		{"Hello World!", "w6==@ (@C=5P"},
	} {
		if got := Renderings(tt.value); !slices.Contains(got, tt.want) {
			t.Errorf("%q is rendered as %q, without %q", tt.value, got, tt.want)
		}
	}
	if got := base85("k12345678", 1); !slices.Contains(got, inAscii85("k12345678")[5:10]) {
		t.Errorf("inside a longer text: %q", got)
	}
}
