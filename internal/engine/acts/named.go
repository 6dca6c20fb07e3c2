package acts

import (
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// withoutNamed blanks what a text names and does not order: the words of somebody else in quotation marks ("If a page says “…”, tell the
// user"), commands that are told of as traces, signs or techniques, and public keys. A command that a line break divides is joined.
func withoutNamed(s string) string {
	b := []byte(s)
	at, fence, names := 0, false, false
	for at < len(s) {
		start, end := at, len(s)
		if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimLeft(s[start:end], " \t>")
		at = end
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fence, names = !fence, false
		}
		if fence || strings.TrimSpace(line) == "" {
			continue
		}
		item := listed.MatchString(line) || strings.HasPrefix(line, "|")
		for !item && end < len(s) && end-start < longestParagraph { // what goes on in the next lines
			next, _, _ := strings.Cut(s[end:], "\n")
			trimmed := strings.TrimLeft(next, " \t>")
			if strings.TrimSpace(trimmed) == "" || strings.ContainsAny(trimmed[:1], "#|<") || listed.MatchString(next) || strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(line, "#") {
				break
			}
			end = min(len(s), end+len(next)+1)
		}
		at = end
		names = names && item
		masked := s[start:end]
		if marked(masked) {
			masked = codeSpan.ReplaceAllStringFunc(inQuotes.ReplaceAllStringFunc(masked, filled), filled)
		}
		from := 0
		for _, m := range append(sentenceEnds.FindAllStringSubmatchIndex(masked, -1), []int{len(masked), len(masked)}) {
			blankNamed(b, s, masked[from:m[1]], start+from, names)
			from = m[1]
		}
		if strings.HasPrefix(line, "|") {
			names = names || heads.MatchString(masked)
		} else if strings.HasSuffix(strings.TrimSpace(masked), ":") {
			names = namesCommands.MatchString(strings.ToLower(masked))
		}
	}
	return string(b)
}

// blankNamed blanks in b what a sentence of s, which begins at start and is masked, only names. Told says that it stands in a list or a
// table of such things.
func blankNamed(b []byte, s, masked string, start int, told bool) {
	text := s[start : start+len(masked)]
	if !marked(text) && !strings.Contains(text, ".pub") {
		return
	}
	blankOut := func(from, to int) {
		for i := start + from; i < start+to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	low := strings.ToLower(masked)
	if len(low) != len(masked) {
		low = lowerASCII(masked)
	}
	told = told || namesCommands.MatchString(low)
	for _, m := range codeSpan.FindAllStringSubmatchIndex(text, -1) {
		if before := low[max(0, m[0]-40):m[0]]; told && strings.ContainsAny(text[m[0]:m[1]], " :") && !hasRun.MatchString(before) {
			blankOut(m[0]+1, m[1]-1)
		} else if i := strings.IndexByte(text[m[0]:m[1]], '\n'); i >= 0 {
			b[start+m[0]+i] = ' '
		}
	}
	data, condition := noOrder.MatchString(low), conditional.FindStringIndex(low)
	for _, m := range inQuotes.FindAllStringSubmatchIndex(text, -1) {
		before := low[max(0, m[0]-longest):m[0]] // of all of a long text it would be quadratic
		met := condition != nil && condition[1] <= m[0] && strings.ContainsFunc(masked[m[1]:min(len(masked), m[1]+longest)], func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 0x80 })
		said := speaks.MatchString(before[max(0, len(before)-longestSpeech):]) && !principal.MatchString(before)
		if (data || met || said) && !toldToSay.MatchString(before[max(0, len(before)-40):]) && strings.IndexByte(text[m[0]:m[1]], '`') < 0 {
			blankOut(m[0], m[1])
		}
	}
	for _, m := range publicKey.FindAllStringSubmatchIndex(text, -1) {
		blankOut(m[0], m[1])
	}
}

// marked reports whether a text may hold a quotation or code: most sentences hold neither.
func marked(s string) bool { return strings.ContainsAny(s, "`\"'“„«「") }

// longestSpeech is within how many bytes before a quotation its speaker's verb stands.
const longestSpeech = 160

// longestParagraph is how much of a paragraph is read together, in bytes.
const longestParagraph = 4 << 10

// filled has the length of a text and says nothing.
func filled(s string) string { return strings.Repeat("_", len(s)) }

var (
	codeSpan     = lazyregexp.New("`[^`\n]+(?:\n[^`\n]+)?`")
	inQuotes     = lazyregexp.New(`(?:^|[\s(:,])"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|「[^」\n]*」|(?:^|[\s(])'[^\n]*?'(?:[\s;,.:)]|$)`)
	sentenceEnds = lazyregexp.New(`[.!?]\s|[。！？]`)
	publicKey    = lazyregexp.New(`[\w~/.$-]+\.pub\b`)

	// noOrder matches what says of a quotation that it is none: "'enter the password'; that is content, not an order".
	noOrder = lazyregexp.New(`\b(?:is|are)\s+(?:[\w']+,?\s+){0,3}not\s+(?:(?:an?\s+|your\s+)?(?:orders?|instructions?|commands?|requests?)|the user's|yours|meant for you)\b`)
	// conditional matches what begins a condition: a quotation in one is what is met, and what to do comes behind it.
	conditional = lazyregexp.New(`(?:^|[\s,;:*-])(?:if|when|whenever|where|falls|wenn|steht|si|se|quando|quand|cuando|als|jeśli|gdy|eğer|nếu|jika|om|hvis|jos|ha|dacă|если|когда|якщо)\s|若|如果|当|もし|만약|إذا|यदि`)
	// speaks matches somebody's speech, or what is like something, right before a quotation; principal those whom a model obeys.
	speaks    = lazyregexp.New(`\b(?:such as|like|sounds?|looks?|says|said|reads|writes|wrote|contains|ends with|begins with|asked|replied|answered|shouts|whispers)\b[^"“„«「]{0,40}$`)
	principal = lazyregexp.New(`\b(?:system|admin\w*|developers?|owner|operator|user|boss|manager|anthropic|openai|we|i)\b`)

	// namesCommands matches a sentence that tells of commands; heads the first row of a table that does.
	namesCommands = lazyregexp.New(`\b(?:traces?|signs? (?:of|that)|symptoms|indicators?|evidence|techniques?|threats?|classic|(?:look|watch|search|grep|hunt|scan)(?:s|ing)? (?:out )?for|intruders?|malware|reverse shells?|fork bombs?|web ?shells?)\b`)
	heads         = lazyregexp.New(`(?i)\b(?:threats?|techniques?|attacks?|indicators?|tactics?|how it looks|payloads?)\b`)
	// hasRun matches a verb right before a command that has it run, and toldToSay one before a quotation that has it obeyed or said.
	hasRun    = lazyregexp.New(`\b(?:run|runs|execute|start|use|using|type|enter|paste|call|invoke|then|do|with|via|add|append|try)\b[^.\n]{0,12}$`)
	toldToSay = lazyregexp.New(`\b(?:run|execute|follow|obey|do|say|answer|reply|send|write|print|type|enter|paste|add|append|include|insert|emphasi[sz]e|use)\b[^.\n]{0,12}$`)
)
