package schemafill

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// maxComplaint is how much of an answer is read for what is wrong with a call.
const maxComplaint = 16 << 10

// A Complaint is what a server says is wrong with the arguments of a call.
type Complaint struct {
	// Validation says that the arguments were compared with a schema and refused, so that the
	// tool's code did not run.
	Validation bool
	// Parameters are the paths of parameters that are named.
	Parameters []string
	// Missing are those of them that are said to be missing.
	Missing []string
	// Unknown are names that the tool does not take.
	Unknown []string
	// Options are the values that are allowed, of the first parameter named.
	Options []string
	// Start is what the value must begin with.
	Start string
	// Unlisted are names that are asked for and that the schema does not have.
	Unlisted []string
	// Wants is the kind of value that is wanted, a key of wanted; "" if nothing says.
	Wants string
	// Either says that one of the missing parameters is enough, Both that two exclude each other.
	Either, Both bool
}

// Names reports whether the complaint is about a parameter, whatever array or object it is in.
func (c *Complaint) Names(path string) bool {
	return slices.ContainsFunc(c.Parameters, func(p string) bool { return samePath(p, path) })
}

// Others reports whether the complaint names parameters and the one at path is not among them.
func (c *Complaint) Others(path string) bool { return len(c.Parameters) > 0 && !c.Names(path) }

func samePath(a, b string) bool {
	flat := func(s string) string { return strings.ReplaceAll(s, "[]", "") }
	a, b = flat(a), flat(b)
	return a == b || strings.HasSuffix(b, "."+a) || strings.HasSuffix(a, "."+b)
}

// ReadComplaint reads an error of a server for what it says about the tool's parameters.
func (s *Schema) ReadComplaint(text string) Complaint {
	text = text[:min(len(text), maxComplaint)]
	if c, ok := readIssues(text); ok {
		return c
	}
	if c, ok := readPydantic(text); ok {
		return c
	}
	return s.readProse(text)
}

// issue is one entry of what zod and valibot say.
type issue struct {
	Code     string   `json:"code"`
	Path     []any    `json:"path"`
	Keys     []string `json:"keys"`
	Received any      `json:"received"`
	Options  []any    `json:"options"`
	Values   []any    `json:"values"`
	Message  string   `json:"message"`
	Prefix   string   `json:"prefix"`
}

// readIssues reads the JSON list of issues that validators in TypeScript answer with.
func readIssues(text string) (Complaint, bool) {
	for range 8 { // a log prefix may hold brackets, too
		before, list, found := strings.Cut(text, "[")
		if !found {
			break
		}
		var issues []issue
		if json.NewDecoder(strings.NewReader(text[len(before):])).Decode(&issues) == nil && len(issues) > 0 && issues[0].Code != "" {
			return complaintOf(issues), true
		}
		text = list
	}
	return Complaint{}, false
}

func complaintOf(issues []issue) Complaint {
	c := Complaint{Validation: true}
	for i, one := range issues {
		if i >= 50 {
			break
		}
		path := joinPath(one.Path)
		if one.Code == "unrecognized_keys" {
			c.Unknown = append(c.Unknown, one.Keys...)
			continue
		}
		if path == "" {
			continue
		}
		if len(c.Parameters) == 0 {
			for _, o := range slices.Concat(one.Options, one.Values) {
				if s, ok := o.(string); ok {
					c.Options = append(c.Options, s)
				}
			}
			c.Start = one.Prefix
		}
		c.Parameters = append(c.Parameters, path)
		if one.Received == "undefined" || strings.EqualFold(one.Message, "required") || strings.Contains(one.Message, "received undefined") {
			c.Missing = append(c.Missing, path)
		}
	}
	return c
}

func joinPath(parts []any) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p)
		case float64:
			b.WriteString("[]")
		}
	}
	return b.String()
}

var (
	pydanticHead  = lazyregexp.New(`\d+ validation errors? for `)
	pydanticField = lazyregexp.New(`(?m)^([A-Za-z_][\w.]*)\n\s+(.+)$`)
)

// readPydantic reads what validators in Python answer with.
func readPydantic(text string) (Complaint, bool) {
	at := pydanticHead.FindStringIndex(text)
	if at == nil {
		return Complaint{}, false
	}
	c := Complaint{Validation: true}
	for _, m := range pydanticField.FindAllStringSubmatch(text[at[1]:], 50) {
		path := m[1]
		if strings.Contains(m[2], "type=missing") || strings.HasPrefix(m[2], "Field required") {
			c.Missing = append(c.Missing, path)
		}
		if strings.Contains(m[2], "type=extra_forbidden") || strings.Contains(m[2], "type=unexpected_keyword_argument") {
			c.Unknown = append(c.Unknown, path)
			continue
		}
		if len(c.Parameters) == 0 {
			c.Options = quotedOptions(m[2])
		}
		c.Parameters = append(c.Parameters, path)
	}
	return c, true
}

var (
	// Words with which validators of several languages say that arguments do not fit a schema.
	schemaWords  = lazyregexp.New(`(?i)invalid (?:tool )?(?:arguments?|params?|parameters?|input)\b|validation (?:error|failed)|does not match (?:the )?schema|is a required property|must have required property|is not of type|is not one of \[|must be equal to (?:one of|constant)|additional propert(?:y|ies)|unexpected keyword argument|required positional argument|schema validation|unknown tool|tool .{0,80} not found|no such tool`)
	missingWords = lazyregexp.New(`(?i)\b(?:required|missing|must (?:be )?(?:provide|specif|given|set|supplied)\w*|not provided|undefined|specify|provide|no [\w-]+ (?:given|provided|specified))\b`)
	optionWords  = lazyregexp.New(`(?i)(?:expected|one of|allowed|available|supported|valid|must be|options?|choose from|use)\b[^:\[(\n'"]{0,60}[:\[( ]\s*(.{1,600})`)
	eitherWords  = lazyregexp.New(`(?i)\b(?:either|at least one of|one of|or)\b`)
	bothWords    = lazyregexp.New(`(?i)\b(?:both|mutually exclusive|not (?:be )?(?:used|given|provided) together|only one of|exactly one of)\b`)
	startWords   = lazyregexp.New(`(?i)(?:must|should) (?:start|begin) with ['"\x60]?([^'"\x60\s.,;)]+)`)
	quotedWord   = lazyregexp.New(`['"\x60]([^'"\x60\n]{1,80})['"\x60]`)
	bareWord     = lazyregexp.New(`^[\w./-]{1,60}$`)
)

// readProse reads a sentence for names of the tool's parameters and what it asks for.
func (s *Schema) readProse(text string) Complaint {
	c := Complaint{Validation: schemaWords.MatchString(text)}
	missing := missingWords.MatchString(text)
	for _, p := range s.Parameters() {
		if !namesWord(text, p.Name) {
			continue
		}
		c.Parameters = append(c.Parameters, p.Path)
		if missing {
			c.Missing = append(c.Missing, p.Path)
		}
	}
	c.Options, c.Wants, c.Unlisted = quotedOptions(text), wantedKind(text), s.unlisted(text)
	if len(c.Parameters) > 1 {
		c.Both = bothWords.MatchString(text)
		c.Either = !c.Both && eitherWords.MatchString(text)
	}
	if m := startWords.FindStringSubmatch(text); m != nil {
		c.Start = m[1]
	}
	return c
}

// namesWord reports whether text holds a name as a word of its own.
func namesWord(text, name string) bool {
	if len(name) < 2 {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if (at == 0 || !isWord(text[at-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		from = end
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quotedOptions returns the values of a list of what is allowed, nil where a text has none.
func quotedOptions(text string) []string {
	m := optionWords.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	var out []string
	for _, quoted := range quotedWord.FindAllStringSubmatch(m[1], 40) {
		out = append(out, quoted[1])
	}
	if out != nil {
		return out
	}
	list, _, _ := strings.Cut(m[1], ". ")
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '|' || r == '\n' || r == ']' || r == ')' }) {
		part = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "or "))
		if bareWord.MatchString(part) {
			out = append(out, part)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// Mend changes what the filler puts into calls by a complaint, leaving alone the parameter at
// target, which is under test. It reports whether anything changed.
func (f *Filler) Mend(c Complaint, target string) bool {
	f.startLearning()
	changed := false
	for _, name := range c.Unknown {
		if !f.Dropped[name] && !samePath(name, target) {
			f.Dropped[name], changed = true, true
		}
	}
	if c.Both {
		return f.keepOne(c, target) || changed
	}
	if c.Either && c.Names(target) {
		return changed
	}
	byPath := map[string]Parameter{}
	for _, p := range f.Schema.Parameters() {
		byPath[strings.ReplaceAll(p.Path, "[]", "")] = p
	}
	for i, path := range c.Parameters {
		if i >= 20 || samePath(path, target) {
			continue
		}
		p, known := byPath[strings.ReplaceAll(path, "[]", "")]
		if !known {
			if slices.Contains(c.Missing, path) && f.Fixed[path] == nil {
				f.Fixed[path], changed = f.byRole(path, path[strings.LastIndexByte(path, '.')+1:]), true
			}
			continue
		}
		if v, ok := f.mendOne(&p, c, i == 0); ok {
			f.Fixed[p.Path], changed = v, true
			if c.Either {
				break
			}
		}
	}
	return changed
}

func (f *Filler) startLearning() {
	if f.Fixed == nil {
		f.Fixed, f.Dropped = map[string]any{}, map[string]bool{}
	}
}

// keepOne takes out all but one of the parameters that exclude each other: the one under test
// stays, else the first.
func (f *Filler) keepOne(c Complaint, target string) bool {
	changed, kept := false, c.Names(target)
	for _, path := range c.Parameters {
		if samePath(path, target) {
			continue
		}
		if _, have := f.Fixed[path]; have {
			if kept {
				delete(f.Fixed, path)
				changed = true
			}
			kept = true
		}
	}
	return changed
}

// mendOne returns another value for a parameter that was complained about.
func (f *Filler) mendOne(p *Parameter, c Complaint, first bool) (any, bool) {
	have, fixed := f.Fixed[p.Path]
	if first && len(c.Options) > 0 && (p.Type == "string" || p.Type == "") {
		// Another of the allowed values each time, since the first may want more parameters.
		at := slices.Index(c.Options, stringOr(have))
		if at+1 < len(c.Options) {
			return c.Options[at+1], true
		}
		return nil, false
	}
	if first && c.Start != "" && p.Free() && !strings.HasPrefix(stringOr(have), c.Start) {
		return c.Start + stringOr(f.value(p.Schema, p.Path, p.Name, &making{left: maxValues}, 0)), true
	}
	if fixed {
		return nil, false
	}
	if !p.Required && slices.Contains(c.Missing, p.Path) {
		v := f.value(p.Schema, p.Path, p.Name, &making{left: maxValues}, 0)
		return v, v != nil
	}
	if v := f.ofKind(c.Wants); first && v != "" && p.Free() {
		return v, true
	}
	return nil, false
}

// askedFor is a name that an error says is missing.
var askedFor = lazyregexp.New(`(?i:\b(?:no|missing|requires?|provide|specify|need)\s+(?:an?\s+|the\s+)?(?:required\s+)?)['"\x60]?([a-z][A-Za-z0-9_]{1,30})['"\x60]?(?i:\s+(?:parameter|argument|field)\b)|(?i:\b(?:missing|required) (?:parameter|argument|field):?\s+)['"\x60]?([a-z][A-Za-z0-9_]{1,30})\b`)

// unlisted are the names that an error asks for and that the schema does not have, four at most.
func (s *Schema) unlisted(text string) (out []string) {
	have := s.Parameters()
	for _, m := range askedFor.FindAllStringSubmatch(text, 4) {
		name := m[1] + m[2] // one of them is empty
		if !slices.ContainsFunc(have, func(p Parameter) bool { return p.Name == name }) && !slices.Contains(commonWords, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// commonWords stand where a name may stand.
var commonWords = []string{"required", "missing", "valid", "a", "an", "the", "this", "one", "any", "such", "more", "other", "input", "at", "of", "or", "and", "is"}

// kindWords are words by which errors tell what kind of value they want, the plainest first.
var kindWords = []struct {
	kind  string
	words *lazyregexp.Regexp
}{
	{"url", lazyregexp.New(`(?i)\b(?:ur[il]s?|web address|no address|an? (?:valid )?address|endpoint|https?://|protocol|scheme)\b`)},
	{"email", lazyregexp.New(`(?i)\be-?mail\b`)},
	{"uuid", lazyregexp.New(`(?i)\b(?:uuid|guid)\b`)},
	{"date-time", lazyregexp.New(`(?i)\b(?:iso[ -]?8601|date-?time|timestamp|rfc ?3339)\b`)},
	{"date", lazyregexp.New(`(?i)\bdate\b`)},
	{"ip", lazyregexp.New(`(?i)\bip(?:v4)?(?: address)?\b`)},
	{"host", lazyregexp.New(`(?i)\b(?:host ?names?|domains?(?: names?)?)\b`)},
	{"json", lazyregexp.New(`(?i)\bjson\b`)},
	{"byte", lazyregexp.New(`(?i)\bbase64\b`)},
	{"cron", lazyregexp.New(`(?i)\bcron\b`)},
	{"dir", lazyregexp.New(`(?i)\b(?:director(?:y|ies)|folders?|repositor(?:y|ies)|workspace)\b`)},
	{"file", lazyregexp.New(`(?i)\b(?:no such file|files? (?:not found|does not exist)|absolute path|file ?path|existing file)\b`)},
	{"number", lazyregexp.New(`(?i)\b(?:numbers?|numeric|integers?|digits?)\b`)},
}

// wantedKind is the kind of value that an error asks for, "" if it names none.
func wantedKind(text string) string {
	for _, k := range kindWords {
		if k.words.MatchString(text) {
			return k.kind
		}
	}
	return ""
}

// Kinds returns a value of each kind that errors ask for, and an arithmetic expression.
func (f *Filler) Kinds() []string {
	out := []string{"1 + 1"}
	for _, k := range kindWords {
		if v := f.ofKind(k.kind); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// ofKind makes a value of a kind that an error asked for, "" for none.
func (f *Filler) ofKind(kind string) string {
	w := &f.With
	own := map[string]string{"url": w.URL, "dir": w.Dir, "file": w.File, "host": w.Host, "ip": formats["ipv4"], "json": "{}", "cron": "0 3 * * *", "number": "1"}
	return cmp.Or(own[kind], formats[kind])
}

func stringOr(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// Fix has every call hold a value at a path, where no other is under test.
func (f *Filler) Fix(path string, value any) {
	f.startLearning()
	f.Fixed[path] = value
}

// Number reads a number that a server gave out: as it stands if it is none.
func Number(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}
