package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/leaf/text"
)

// Each escape stands for one character or byte, as long as it is whole; what is none stays. The languages' own rules are the source.
func TestEscape(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string // "" where it is no escape: all zero
	}{
		{`\n`, "a 2"}, {`\r`, "d 2"}, {`\t`, "9 2"}, {`\b`, "8 2"}, {`\f`, "c 2"}, {`\v`, "b 2"}, {`\a`, "7 2"},
		{`\"x`, "22 2"}, {`\'`, "27 2"}, {`\\n`, "5c 2"}, {`\/`, "2f 2"}, {"\\\n", "a 2"}, {`\$`, "24 2"}, {"\\`", "60 2"}, {`\%`, "25 2"}, {`\&`, "26 2"},
		{`\x41`, "41 4 raw"}, {`\X4g`, ""}, {`\x4`, ""}, {`\xfF!`, "ff 4 raw"},
		{`\u0041`, "41 6"}, {`\u004`, ""}, {`\u00g1`, ""}, {`\U0041`, "41 6"}, {`\U0001F600`, "1f600 10"}, {`\U0011FFFFx`, "11 6"},
		{`\u{41}`, "41 6"}, {`\u{1F600}`, "1f600 9"}, {`\u{0001F600`, ""}, {`\u{}`, ""}, {`\u{4g}`, ""}, {`\u{0010FFF}`, "10fff 11"}, {`\u{0010FFFF}`, ""}, {`\u{110000}`, ""},
		{`\ud83d\ude00`, "1f600 12"}, {`\uD83D\UDE00`, "1f600 12"}, {`\ud800\udc00`, "10000 12"}, {`\udbff\udfff`, "10ffff 12"},
		{`\ud83d\u0041`, "d83d 6"}, {`\ud83d\ude0`, "d83d 6"}, {`\ud83dx\ude00`, "d83d 6"}, {`\ude00\ud83d`, "de00 6"}, {`\ud83d\ue000`, "d83d 6"}, {`\ud7ff\udc00`, "d7ff 6"}, {`\udc00\udc00`, "dc00 6"},
		{`\101`, "41 4 raw"}, {`\377`, "ff 4 raw"}, {`\400`, ""}, {`\18`, ""}, {`\0`, "0 2 raw"}, {`\08`, "0 2 raw"}, {`\000`, "0 4 raw"}, {`\q`, ""}, {`\`, ""},
		{"%41", "41 3 raw"}, {"%4g", ""}, {"%4", ""}, {"%ff0", "ff 3 raw"}, {"%u0041", "41 6"}, {"%U0041", "41 6"}, {"%u004", ""}, {"%", ""},
		{"~0", "7e 2"}, {"~1", "2f 2"}, {"~2", ""}, {"~", ""},
		{"&#65;", "41 5"}, {"&#x41;", "41 6"}, {"&amp;x", "26 5"}, {"&lt;", "3c 4"}, {"&nothing;", ""}, {"&a b;", ""}, {"&", ""}, {"&;", ""}, {"&#65", ""},
		{"&thinsp;", "2009 8"}, {"&ThinSpace;", "2009 11"}, {"&#000000065;", "41 12"}, {"&#0000000065;", ""},
		{"a", ""}, {"", ""}, {"+41", ""},
	} {
		r, n, raw := escape([]byte(tt.in))
		got := ""
		if n != 0 || r != 0 || raw {
			got = fmt.Sprintf("%x %d", r, n)
		}
		if raw {
			got += " raw"
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestRot13(t *testing.T) {
	const from, to = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 019@[`{é", "nopqrstuvwxyzabcdefghijklm NOPQRSTUVWXYZABCDEFGHIJKLM 019@[`{é"
	if got := text.Rot13(from); got != to {
		t.Errorf("%q, want %q", got, to)
	}
	if got := text.Rot13(to); got != from {
		t.Errorf("twice: %q, want %q", got, from)
	}
}

// squeeze keeps letters and digits alone, those of full width and of Tags from the first to the last, and each knows where it stood.
func TestSqueeze(t *testing.T) {
	var full, tags, ascii strings.Builder
	for c := rune(' '); c <= '~'; c++ {
		tags.WriteRune(c + 0xE0000)
		if c > ' ' {
			full.WriteRune(c + 0xFEE0)
		}
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			ascii.WriteRune(c)
		}
	}
	want := strings.ToLower(ascii.String())
	for name, in := range map[string]string{
		"ASCII": "\x00 !/:@[`{\x7f" + ascii.String(), "full width": full.String(), "Tags": tags.String(),
		"around full width": "\uff00" + ascii.String() + "\uff5f", "around Tags": ascii.String() + "\U000E007F\U000E0001",
	} {
		v := newView(in)
		out := v.squeeze()
		if string(out.text) != want {
			t.Errorf("%s: %q, want %q", name, out.text, want)
		}
		for i := range out.text {
			start, end := out.sourceSpan(i, i+1)
			one := newView(in[start:end])
			if got := one.squeeze(); string(got.text) != string(out.text[i:i+1]) {
				t.Fatalf("%s: the byte %d is said to stand at %q", name, i, in[start:end])
			}
		}
	}
	other := newView("é\xff日 ٣-ß")
	if out := other.squeeze(); string(out.text) != "é日٣ß" {
		t.Errorf("letters of other scripts: %q", out.text)
	}
}

// decodedTexts are what the runs of codes in a text stand for.
func decodedTexts(text string, least int) (out []string) {
	v := newView(text)
	v.decoded(least, func(d view) { out = append(out, string(d.text)) })
	return out
}

// A run of codes counts from the least number of bytes on, in each code; the codes around it may be of any kind.
func TestLeastCodedBytes(t *testing.T) {
	for _, secret := range []string{"k7q9x2", "k7q9x2m4", "k7q9x2m4w1"} {
		for name, spelled := range map[string]string{
			"hex": hex.EncodeToString([]byte(secret)), "hex behind a digit": "a" + hex.EncodeToString([]byte(secret)), "hex before a digit": hex.EncodeToString([]byte(secret)) + "b",
			"hex list": each("%02x", " ", secret), "hex list with 0x": each("0x%02x", ", ", secret), `hex list with \x`: each(`\x%02x`, ",", secret),
			"numbers": each("%d", " ", secret), "numbers, six characters apart": each("%d", "------", secret),
			"base64": base64.RawStdEncoding.EncodeToString([]byte(secret)), "base64 in lines": strings.Join(strings.SplitAfter(base64.RawStdEncoding.EncodeToString([]byte(secret)), "c"), "\r\n"),
			"base64 behind one": "A" + base64.RawStdEncoding.EncodeToString([]byte(secret)), "base64 behind three": "AbC" + base64.RawStdEncoding.EncodeToString([]byte(secret)),
		} {
			for _, around := range [][2]string{{"", ""}, {"(", ")"}, {"say: ", "."}} {
				text := around[0] + spelled + around[1]
				if !slices.ContainsFunc(decodedTexts(text, len(secret)), func(s string) bool { return strings.Contains(s, secret) }) {
					t.Errorf("%s of %d bytes: %q is not decoded where that many are wanted: %q", name, len(secret), text, decodedTexts(text, len(secret)))
				}
			}
			if strings.HasPrefix(name, "hex ") || strings.Contains(name, "behind") {
				continue
			}
			if got := decodedTexts(spelled, len(secret)+1); slices.ContainsFunc(got, func(s string) bool { return s == secret }) {
				t.Errorf("%s of %d bytes is decoded where %d are wanted: %q", name, len(secret), len(secret)+1, got)
			}
		}
	}
}

// Numbers that stand too far apart, are no bytes or belong to words make no list.
func TestNumberLists(t *testing.T) {
	const secret = "k7q9x2m4"
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"six apart", each("%d", "      ", secret), true},
		{"seven apart", each("%d", "       ", secret), false},
		{"a number that is no byte in the middle", each("%d", " ", secret[:4]) + " 256 " + each("%d", " ", secret[4:]), false},
		{"a number that is the greatest byte in front", "255 " + each("%d", " ", secret), true},
		{"a word in the middle", each("%d", " ", secret[:4]) + " and " + each("%d", " ", secret[4:]), false},
		{"a word in front", "and " + each("%d", " ", secret), true},
		{"a letter at each", each("%da", " ", secret), false},
		{"a letter before each", each("b%d", " ", secret), false},
		{"an x before each", each("x%02x", " ", secret), true},
		{"pairs of digits, one of three", each("%02x", " ", secret[:4]) + " 0ab " + each("%02x", " ", secret[4:]), false},
		{"pairs of digits, one single", each("%02x", " ", secret[:4]) + " a " + each("%02x", " ", secret[4:]), false},
		{"three digits", each("%03d", " ", secret), true},
	} {
		got := decodedTexts(tt.text, len(secret))
		if slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, secret) }) != tt.want {
			t.Errorf("%s: %q gives %q, want it decoded: %t", tt.name, tt.text, got, tt.want)
		}
	}
}

// Most runs of letters are words: a code has a digit, or a capital behind a small letter; base32 is thirteen characters long, too.
func TestPlausibleRuns(t *testing.T) {
	for _, tt := range []struct {
		run            string
		base64, base32 bool
	}{
		{"ordinaryword", false, false}, {"Ordinaryword", false, false}, {"ORDINARYWORD", false, false},
		{"ordinaryWord", true, false}, {"ORDINaRYWORD", true, false}, {"ORDINaryword", false, false},
		{"ordinaryword7", true, true}, {"ordinarywor7", true, false}, {"7rdinarywordxy", true, true}, {"ABCDEFGHIJKL0", true, true}, {"ABCDEFGHIJKL9", true, true},
	} {
		if got := base64Code.plausible([]byte(tt.run)); got != tt.base64 {
			t.Errorf("%s: base64 %t, want %t", tt.run, got, tt.base64)
		}
		if got := base32Code.plausible([]byte(tt.run)); got != tt.base32 {
			t.Errorf("%s: base32 %t, want %t", tt.run, got, tt.base32)
		}
	}
}

// The tables are those of RFC 4648: what the library encodes is decoded, every byte and from every place.
func TestCodeTables(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, spelled := range map[string]string{
		"base64": base64.RawStdEncoding.EncodeToString(all), "base64 for URLs": base64.RawURLEncoding.EncodeToString(all),
		"base32":       base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(all),
		"base32 small": strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(all)),
		"hex":          hex.EncodeToString(all), "hex in capitals": strings.ToUpper(hex.EncodeToString(all)),
	} {
		if !slices.Contains(decodedTexts(spelled, 6), string(all)) {
			t.Errorf("%s does not give every byte", name)
		}
	}
	for c, want := range map[byte]int8{'A': 0, 'Z': 25, 'a': 26, 'z': 51, '0': 52, '9': 61, '+': 62, '-': 62, '/': 63, '_': 63, '=': -1, ' ': -1} {
		if got := base64Code.digits[c]; got != want {
			t.Errorf("base64 %c: %d, want %d", c, got, want)
		}
	}
	for c, want := range map[byte]int8{'A': 0, 'a': 0, 'Z': 25, 'z': 25, '2': 26, '7': 31, '8': -1, '1': -1} {
		if got := base32Code.digits[c]; got != want {
			t.Errorf("base32 %c: %d, want %d", c, got, want)
		}
	}
}

// Spans that overlap are one, of the longest that begins first, and name each other once; those side by side stay two.
func TestJoinedSpans(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []span
		want string
	}{
		{"none", nil, "[]"},
		{"side by side", []span{{start: 4, end: 8, id: 1}, {start: 0, end: 4, id: 2}}, "[{0 4 2 []} {4 8 1 []}]"},
		{"one within the other", []span{{start: 2, end: 4, id: 1}, {start: 0, end: 8, id: 2}}, "[{0 8 2 [1]}]"},
		{"they overlap", []span{{start: 3, end: 9, id: 1}, {start: 0, end: 4, id: 2}}, "[{0 9 2 [1]}]"},
		{"the longer of two that begin together", []span{{start: 0, end: 4, id: 1}, {start: 0, end: 8, id: 2}}, "[{0 8 2 [1]}]"},
		{"the same twice", []span{{start: 0, end: 4, id: 1}, {start: 0, end: 4, id: 1}}, "[{0 4 1 []}]"},
		{"three, two alike", []span{{start: 0, end: 9, id: 1}, {start: 1, end: 3, id: 2}, {start: 2, end: 4, id: 2}}, "[{0 9 1 [2]}]"},
		{"a chain", []span{{start: 0, end: 4, id: 1}, {start: 3, end: 6, id: 2}, {start: 5, end: 9, id: 3}}, "[{0 9 1 [2 3]}]"},
	} {
		if got := fmt.Sprint(joined(tt.in)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What in a value is a secret by itself, with the lengths from which on it is.
func TestSecretParts(t *testing.T) {
	line := strings.Repeat("l", shortestPart)
	for _, tt := range []struct {
		name, value string
		parts, not  []string
	}{
		{"blanks around", "  abcd ", []string{"  abcd ", "abcd"}, nil},
		{"a header", " Bearer   t0ken ", []string{"t0ken"}, []string{"Bearer"}},
		{"every scheme in any case", "TOKEN t0ken", []string{"t0ken"}, nil},
		{"no scheme", "hello t0ken", nil, []string{"t0ken"}},
		{"basic", "Basic " + b64("me:pass:word"), []string{b64("me:pass:word"), "pass:word"}, []string{"me", "word"}},
		{"no basic", "Bearer " + b64("me:password"), nil, []string{"password"}},
		{"a line at the limit", "a\n" + line + "\nb", []string{line}, []string{"a", "b"}},
		{"a line below it", "a\n" + line[1:] + "\nb", nil, []string{line[1:]}},
		{"lines of old", "a\r" + "b", nil, []string{"a"}},
		{"a URL's password at the limit", "db://u:12345678@h", []string{"12345678"}, []string{"u"}},
		{"a URL's password below it", "db://u:1234567@h", nil, []string{"1234567"}},
		{"a JSON member at the limit", `{"k":"` + line[1:] + `7"}`, []string{line[1:] + "7"}, nil},
		{"a JSON member below it", `{"k":"` + line[2:] + `7"}`, nil, []string{line[2:] + "7"}},
		{"a JSON member of letters", `{"k":"` + line + `"}`, nil, []string{line}},
		{"a JSON member of lines", `{"k":"7\n` + line + `\n"}`, []string{line}, nil},
		{"no object", `["` + line + `7"]`, nil, []string{line + "7"}},
	} {
		got := secretParts(tt.value)
		for _, p := range tt.parts {
			if !slices.Contains(got, p) {
				t.Errorf("%s: %q, want %q among them", tt.name, got, p)
			}
		}
		for _, p := range tt.not {
			if slices.Contains(got, p) {
				t.Errorf("%s: %q, want no %q", tt.name, got, p)
			}
		}
	}
	for _, scheme := range []string{"bearer", "basic", "token", "apikey", "key", "digest"} {
		if got := secretParts(scheme + " abcdefgh"); !slices.Contains(got, "abcdefgh") {
			t.Errorf("%s: %q", scheme, got)
		}
	}
}

// The lengths from which on parts of a URL are secret: of the query by its name or its length, of the path by length and digits.
func TestURLSecretLengths(t *testing.T) {
	for in, want := range map[string][]string{
		"https://h/?q=0123456789abcde":                     nil,
		"https://h/?q=0123456789abcdef":                    {"q=0123456789abcdef"},
		"https://h/?token=1234567":                         nil,
		"https://h/?token=12345678":                        {"token=12345678"},
		"https://h/?q=12345678":                            nil,
		"https://h/abcdefghijklmnopqr12":                   {"path=abcdefghijklmnopqr12"},
		"https://h/abcdefghijklmnopq12":                    nil,
		"https://h/abcdefghijklmnopqrs1":                   nil,
		"https://h/abcdefghijklmnopqrs09":                  {"path=abcdefghijklmnopqrs09"},
		"https://h/%61bcdefghijklmnopqr12/x":               {"path=abcdefghijklmnopqr12"},
		"https://u:p@h/?token=12345678&b=0123456789abcdef": {"password=p", "b=0123456789abcdef", "token=12345678"},
		"https://u:@h/":                                    {"password="},
		"://":                                              nil,
	} {
		if got := URLSecrets(in); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// A value is looked for by its letters from ten letters and digits on, with fewer than sixteen only if it has both.
func TestLetterForms(t *testing.T) {
	for value, want := range map[string][]string{
		"abcdefgh1": nil, "abcdefghi1": {"abcdefghi1", "1ihgfedcba"}, "a-B_c.defghi1": {"abcdefghi1", "1ihgfedcba"},
		"abcdefghij": nil, "1234567890": nil, "abcdefghijklmno": nil, "123456789012345": nil,
		"abcdefghijklmnop": {"abcdefghijklmnop", "ponmlkjihgfedcba"}, "1234567890123456": {"1234567890123456", "6543210987654321"},
	} {
		if got := letterForms(value); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

// From eight bytes on a value is looked for backwards, in ROT13 and in any letter case, if it is no word.
func TestBentForms(t *testing.T) {
	for _, tt := range []struct {
		secret, text string
		found        bool
	}{
		{"abcd12x", "x21dcba", false}, {"abcd12xy", "yx21dcba", true},
		{"abcd12x", "nopq12k", false}, {"abcd12xy", "nopq12kl", true},
		{"abcd12x", "ABCD12X", false}, {"abcd12xy", "ABCD12XY", true},
		{"abcdefgh", "ABCDEFGH", false}, {"abcdefghijklmno", "ABCDEFGHIJKLMNo", false}, {"abcdefghi-klmnop", "ABCDEFGHI-KLMNOP", true},
		{"abc", "abc", false}, {"abcd", "abcd", true},
	} {
		r := New([]string{"K=" + tt.secret})
		if got := r.Replace("(" + tt.text + ")"); (got == "([K])") != tt.found {
			t.Errorf("%s in %s: %s, want it found: %t", tt.secret, tt.text, got, tt.found)
		}
	}
}

// An excerpt that breaks off within a value loses what it has of it, from four bytes on, at its own end and not at the other.
func TestCutsOfEveryLength(t *testing.T) {
	const secret = "q7-Zx9pLm2w"
	r := New([]string{"K=" + secret, "L=completely-other-9"})
	for n := 1; n < len(secret); n++ {
		begin, end := secret[:n], secret[len(secret)-n:]
		wantEnd, wantStart := "says …", "… it says"
		if n < Shortest {
			wantEnd, wantStart = "says "+begin, end+" it says"
		}
		if got := r.CutEnd("says " + begin); got != wantEnd {
			t.Errorf("cut at its end behind %d bytes: %q, want %q", n, got, wantEnd)
		}
		if got := r.CutStart(end + " it says"); got != wantStart {
			t.Errorf("cut at its beginning before %d bytes: %q, want %q", n, got, wantStart)
		}
		if got := r.CutEnd(end + " it says"); got != end+" it says" {
			t.Errorf("cut at its end, %d bytes at its beginning: %q", n, got)
		}
		if got := r.CutStart("says " + begin); got != "says "+begin {
			t.Errorf("cut at its beginning, %d bytes at its end: %q", n, got)
		}
	}
	nested := New([]string{"A=0123-xyzw-long", "B=xyzw-other-tail"})
	if got := nested.CutEnd("says 0123-xyzw"); got != "says …" {
		t.Errorf("an excerpt that ends with the beginnings of two values: %q", got)
	}
	long := strings.Repeat("x ", 20_000)
	if got := r.ReplaceExcerpt(secret[4:] + " " + long + secret[:6]); got != "… "+long+"…" {
		t.Errorf("a long excerpt keeps a part at its edges: %.20q to %q", got, got[len(got)-20:])
	}
}

// Values of different lengths, whichever comes first: the shortest is found in codes and the longest across the parts of a long text.
func TestShortestAndLongestOfSeveral(t *testing.T) {
	long := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 50) + "END"
	for _, given := range [][]string{{"S=k7q9x2", "L=" + long}, {"L=" + long, "S=k7q9x2"}} {
		r := New(given)
		if got := r.Names("(" + hex.EncodeToString([]byte("k7q9x2")) + ")"); !slices.Equal(got, []string{"S"}) {
			t.Errorf("%d secrets: the short one in hex is %q", len(given), got)
		}
		spelled := each(`\u%04x`, "", long)
		for _, at := range []int{chunk - len(spelled) + 1, chunk - len(spelled)/2, chunk - 1} {
			text := strings.Repeat("-", at) + spelled + strings.Repeat("-", 2*chunk)
			if got := r.Replace(text); len(got) != at+len("[L]")+2*chunk {
				t.Errorf("the long one at %d: %d bytes are left of %d", at, len(got), len(text))
			}
		}
	}
}

// Names are those of the values found, each once, in the order in which they were given.
func TestNamesAreInTheirOrder(t *testing.T) {
	r := New([]string{"B=secret-b-22", "A=secret-a-11", "B=secret-c-33", "D=secret-a-11-and-more"})
	for text, want := range map[string][]string{
		"secret-a-11 secret-b-22":             {"B", "A"},
		"secret-c-33, secret-b-22":            {"B"},
		"secret-a-11-and-more":                {"A", "D"},
		"secret-a-11-and-more or secret-c-33": {"A", "B", "D"},
		"nothing":                             nil,
	} {
		if got := r.Names(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := r.Replace("secret-a-11-and-more"); got != "[D]" {
		t.Errorf("the longest value that overlaps names the place: %q, want [D]", got)
	}
}

// CredentialName goes by the last word, in any spelling, and not by words for where a credential is kept.
func TestCredentialName(t *testing.T) {
	for _, name := range []string{
		"API_KEY", "--api-key", "apikey", "x.api.key", "my secret", "ACCESS_TOKEN", "token", "password", "DB_PASSWD", "PWD", "credentials", "credential", "Authorization",
		"Set-Cookie", "key", "pat", "pass", "x-key", "GITHUB_PAT", "basic_auth", "TOKEN_2", "token2", "privateKey", "signing-key", "encryption_key", "license_key", "app_key", "passphrase", "bearer",
	} {
		if !CredentialName(name) {
			t.Errorf("%s is none", name)
		}
	}
	for _, name := range []string{
		"", "max_tokens", "max_token", "token_file", "page_token", "next-token", "public_key", "primary_key", "sort_key", "cache_key", "registry_key", "project_key", "idempotency_key",
		"keyboard", "monkey", "compass", "author", "path", "key_id", "passenger", "secretary", "token_22",
	} {
		if CredentialName(name) {
			t.Errorf("%s is one", name)
		}
	}
}
