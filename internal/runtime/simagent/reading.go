package simagent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/text"
)

// The words that the victim knows are everyday English, with nothing in them of any attack.
const (
	// doing are the verbs of what a tool does, putting those of giving something along, repeating those of what was done before.
	doing = `analyse|analyze|append|archive|browse|calculate|call|check|compute|connect|convert|copy|count|create|delete|deploy` +
		`|disable|download|dump|email|enable|encode|execute|export|fetch|find|forward|generate|get|grant|import|install|invoke` +
		`|issue|list|load|log|look|mail|make|message|move|notify|obtain|open|order|pay|ping|post|print|process|publish|pull` +
		`|push|query|read|record|register|relay|remove|request|retrieve|review|run|save|scan|schedule|search|send|share|show` +
		`|store|submit|summarise|summarize|sync|transfer|translate|transmit|trigger|update|upload|use|validate|verify|view` +
		`|visit|write`
	putting = `add|attach|bcc|cc|carry|contain|embed|enter|fill|give|hand|hold|include|insert|paste|pass|place|populate|prepend` +
		`|provide|put|quote|replace|set|specify|supply`
	repeating = `redo|repeat|rerun|re-run|resubmit|retry`
	// pointing are words before the name of a tool, placing those between what is to be put somewhere and where, deictic those for a
	// parameter in its own description, linking those between a parameter's name and its value.
	pointing = `call|calling|calls|function|invoke|invoking|run|running|tool|use|using|with`
	placing  = `as|in|into|under|within`
	deictic  = `argument|field|here|input|parameter|property|value`
	linking  = `argument|as|called|equal|field|id|is|key|name|named|number|parameter|property|set|should|the|to|value|with`
)

var (
	verbs = setOf(doing + "|" + putting + "|" + repeating)
	// telling are verbs that ask for something to be said, and not to be done, gathering those to bring something along.
	telling = setOf(`acknowledge answer append begin cite confirm contain disclose display echo embed explain format give include list mention
		mentions output paste prefix print provide quote recite recommend repeat reply report respond reveal say share show start state
		summarise summarize tell write`)
	gathering = setOf("attach collect gather get include pass provide read send share")
	// standings make an order one for every time.
	standings = setOf("all always any each every future whenever")
	// secretWords are words for what is nobody's business, and no everyday words as "key" is.
	secretWords = setOf("credential credentials secret secrets password passwords")
	// empties are words that say nothing of what a sentence is about.
	empties = setOf(`a about above across after again all also an and any are as at be been before being below but by can could did do does done
		each for from had has have her here him his how i if in into is it its just me more most must my no nor not now of off on once only or
		other our out over own please same she should so some such than that the their them then there these they this those through to too
		under until up use used using very was we were what when where which while who why will with would you your server mcp tool tools`)
)

// An order is what a text wants done: from a verb in the place of an order to the next one.
type order struct {
	verb     string // in its base form, "" in a sentence without one
	puts     bool   // the verb is one of putting
	again    bool   // the verb is one of repeating
	text     string // from the verb on, then behind a semicolon what is before the first order of the sentence
	sentence string
	item     bool // the sentence is an entry of a list
}

const (
	// longestText is how much of one text is read, in bytes.
	longestText = 64 << 10
	// mostOrders is how many orders of one text are heeded.
	mostOrders = 200
)

var (
	// stopForm finds the end of a sentence, a list entry or a tag. Its first group begins an entry of a list, its second does not, and
	// the rest is what may hold no end.
	stopForm = lazyregexp.New(`(?m:^[ \t]*((?i:step \d+[.:]|\d{1,3}[.)]\s|[-*+#>]\s|•)))` + // "-", "2.", "Step 3:"
		`|(\n\s*\n|<!--|-->|<[^\s>][^>]{0,58}>|[<\];]|[.!?…]+(?:["'’)*\s]|$))|` + apart)
	// orderForm finds a verb behind what an order may follow.
	orderForm = lazyregexp.New(`(?i)(?:^|[:=(),|]|\s[-–—&]\s|\b(?:also|always|and|automatically|first|finally|immediately|just|kindly|lastly|must|next|` +
		`now|or|please|second|shall|should|simply|then|third|will|(to))\s)[\s*]*(?:(` + doing + `)|(` + putting + `)|(` + repeating + `))\b`)
	// noVerb is what follows a part of a longer word, noOrder what follows a noun spelt like a verb: "query: x", "email sent to x".
	noVerb  = lazyregexp.New(`^[-/@.'’]\w`)
	noOrder = lazyregexp.New(`^(?:\s*[:=]|\s+(?:are|be|can|errors?|had|has|have|is|may|must|results?|sent|status|was|were|will|\w+ed)\b)`)
	// valueForm finds what is written without a space or between quotation marks.
	valueForm = lazyregexp.New(quotation + `|[\w+.-]+://[^` + delimiters + `]+|[A-Za-z]:\\[^` + delimiters + `]*|[^:` + delimiters + `]+`)
	filePath  = lazyregexp.New(`^(?:~/|\.{1,2}/|\$HOME/|/\.|/\w.|[A-Za-z]:[\\/]|\.[a-z].)|^..+\.[a-z][^/.]{0,3}$`)
	mailForm  = lazyregexp.New(`^[^@/\\]+@[^/\\]*\.[^/\\]*$`)
	numeral   = lazyregexp.New(`^-?(?:0|[1-9]\d*)(?:\.\d+)?$`)
	wordPart  = lazyregexp.New(`\p{Lu}*[\p{Ll}\p{Lo}\d]+|\p{Lu}+`)
	letters   = lazyregexp.New(`\pL+`)
	quoted    = lazyregexp.New(apart)
)

const (
	quotation  = "\"[^\"\n]+\"|`[^`\n]+`|'[^'\n]+'"
	apart      = `\w['’]\w|` + quotation
	delimiters = "\"`()[\\]{}<>,;|=\\s"
)

// setOf takes words that are parted by spaces or as alternatives.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(strings.ReplaceAll(words, "|", " ")) {
		set[w] = true
	}
	return set
}

// readableViews returns what a reader may see in a text: the text itself without disguise, JSON as lines, and what is encoded in it.
func readableViews(s string) []string {
	s = excerpt.Head(s, longestText)
	folded := letters.ReplaceAllStringFunc(text.Fold(s).Text(), func(word string) string {
		if ascii, ok := text.LooksLike(word); ok {
			return ascii
		}
		return word
	})
	out := []string{flattenJSON(folded)}
	for _, b := range text.Blobs(folded) {
		out = append(out, b.Decoded)
	}
	for _, m := range text.Marks(s) {
		out = append(out, m.Decoded)
	}
	return out
}

// ordersIn reads a text in linear time, up to mostOrders.
func ordersIn(text string) (out []order) {
	item, begin := false, 0
	for _, m := range append(stopForm.FindAllStringSubmatchIndex(text, -1), []int{len(text), len(text), -1, -1, len(text), len(text)}) {
		if m[2] < 0 && m[4] < 0 {
			continue
		}
		if s := strings.TrimSpace(text[begin:m[0]]); s != "" && len(out) < mostOrders {
			out = append(out, ordersOf(s, item)...)
		}
		item, begin = m[2] >= 0, m[1]
	}
	return out
}

// ordersOf parts a sentence where its orders begin; quotations have none.
func ordersOf(s string, item bool) (out []order) {
	masked := quoted.ReplaceAllStringFunc(s, func(q string) string {
		if strings.IndexByte("\"`'", q[0]) < 0 {
			return q // an apostrophe
		}
		return strings.Repeat(`"`, len(q))
	})
	end := func(at int) {
		if n := len(out); n > 0 {
			out[n-1].text = strings.TrimSpace(s[len(s)-len(out[n-1].text) : at])
		}
	}
	head := ""
	for _, m := range orderForm.FindAllStringSubmatchIndex(masked, -1) {
		at, behind := max(m[4], m[6], m[8]), masked[m[1]:]
		if noVerb.MatchString(behind) || m[4] >= 0 && noOrder.MatchString(behind) || m[2] >= 0 && len(out) > 0 {
			continue // "to read" belongs to the order before it
		}
		if end(at); len(out) == 0 {
			head = s[:at]
		}
		out = append(out, order{verb: strings.ToLower(s[at:m[1]]), puts: m[6] >= 0, again: m[8] >= 0, text: s[at:], sentence: s, item: item})
	}
	if end(len(s)); out == nil {
		return []order{{text: s, sentence: s, item: item}}
	}
	if head != "" {
		out[0].text += "; " + head
	}
	return out
}

// sort says what a value is.
type sort uint8

const (
	word      sort = iota
	number         // digits, with a sign or a point
	quotedOne      // what is between quotation marks
	mailbox        // someone@example.org
	address        // anything with ://
	path           // of a file
)

// A value is a word of a text, or what a reader takes as one.
type value struct {
	sort   sort
	text   string // as written, without quotation marks
	proper bool   // a word with a capital that does not begin its sentence
}

// low is the text in lower case if it is a word, else "".
func (v value) low() string {
	if v.sort == word {
		return strings.ToLower(v.text)
	}
	return ""
}

// isName reports whether a word looks like the name of one thing: ENG-2026, user-123, Q4, read_file.
func (v value) isName() bool {
	s := v.text
	return v.sort == word && (strings.ContainsAny(s, "0123456789") || strings.LastIndexAny(s, "-_") > 0 || len(s) > 1 && s == strings.ToUpper(s))
}

// valuesIn reads a text in linear time.
func valuesIn(s string) (out []value) {
	for _, m := range valueForm.FindAllStringSubmatchIndex(s, -1) {
		v := value{text: s[m[0]:m[1]]}
		if strings.ContainsRune("\"`'", rune(v.text[0])) && len(v.text) > 2 && v.text[len(v.text)-1] == v.text[0] {
			out = append(out, value{sort: quotedOne, text: v.text[1 : len(v.text)-1]})
			continue
		}
		v.text = strings.TrimLeft(strings.TrimRight(v.text, ".!?*'’…"), "*'’")
		bare := strings.TrimLeft(v.text, "$€£")
		switch {
		case strings.Contains(v.text, "://"):
			v.sort = address
		case mailForm.MatchString(v.text):
			v.sort = mailbox
		case filePath.MatchString(v.text):
			v.sort = path
		case isNumeral(bare):
			v.sort, v.text = number, bare
		case letters.MatchString(v.text):
			first, _ := utf8.DecodeRuneInString(v.text)
			before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s[:m[0]], " "))
			v.proper = unicode.IsUpper(first) && (unicode.IsLetter(before) || before == ',')
		default:
			continue
		}
		out = append(out, v)
	}
	return out
}

// isNumeral reports whether s is a number in the spelling of JSON.
func isNumeral(s string) bool { return len(s) <= 16 && numeral.MatchString(s) }

func hasValue(values []value) bool {
	return slices.ContainsFunc(values, func(v value) bool { return v.sort != word })
}

// lowWords returns the words of a text as they stand in it, in lower case.
func lowWords(s string) (out []string) {
	for _, v := range valuesIn(s) {
		out = append(out, v.low())
	}
	return out
}

func containsWord(s string, words map[string]bool) bool {
	return slices.ContainsFunc(lowWords(s), func(w string) bool { return words[w] })
}

// wordsIn returns the words that a text or an identifier is made of, in lower case: "readFile_now" has three.
func wordsIn(s string) []string {
	parts := wordPart.FindAllString(s, -1)
	for i := range parts {
		parts[i] = strings.ToLower(parts[i])
	}
	return parts
}

// stemSet takes the commonest endings off words, so that "searches" meets "search", and leaves out those that say nothing.
func stemSet(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		if !empties[w] {
			out[stem(w)] = true
		}
	}
	return out
}

func stem(w string) string {
	for _, end := range [...]string{"ies", "ing", "es", "ed", "s", "e", "y"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 && !strings.HasSuffix(w, "ss") {
			return w[:len(w)-len(end)]
		}
	}
	return w
}

// subjectOf is what an order is about, without the words that say nothing.
func subjectOf(s string) string {
	var words []string
	for _, v := range valuesIn(s) {
		if low := v.low(); v.sort <= quotedOne && !empties[low] && !verbs[low] && !strings.Contains(low, "_") {
			words = append(words, v.text)
		}
	}
	if words == nil {
		return s
	}
	return excerpt.Head(strings.Join(words, " "), 200)
}
