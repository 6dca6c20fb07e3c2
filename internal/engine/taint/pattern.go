package taint

import (
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
)

// Whether a pattern bounds a text is decided from the pattern: which characters can it hold that match it?

// shellActive are the characters that a shell acts on, blanks among them: they end a word.
const shellActive = " \t\r\n;&|`$<>(){}[]*?!~#'\"\\"

// shellEnough are those without which a text in a shell line can start nothing.
const shellEnough = ";&|`$<>\n"

// maxPattern is how long a pattern is that is looked at.
const maxPattern = 2_000

// charFacts are what holds of a text because it matches a pattern, or because it does not.
type charFacts struct {
	match, differ fact
	ofHost        fact // where it matches the host of an address
}

// patternFacts decides a pattern of JavaScript, Python or Go.
func (a *analyzer) patternFacts(pattern string, anchored bool) charFacts {
	if anchored {
		pattern = `\A(?:` + pattern + `)\z`
	}
	if f, ok := a.factsOf[pattern]; ok {
		return f
	}
	var f charFacts
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil && len(pattern) < maxPattern {
		re = re.Simplify()
		f.match = factsOfSet(func(set string) bool { return admits(re, holding(set)) })
		if !admits(re, textForm{{of: "-"}, anything}) {
			f.match |= noDash
		}
		if admits(re, slices.Concat(anyScheme, textForm{anything})) && !admitsAny(re, addressesOfOthers) {
			f.match |= hostAllowed
		}
		if !admitsAny(re, hostsOfOthers) {
			f.ofHost = hostAllowed
		}
		if whole, err := regexp.Compile(pattern); err == nil {
			f.differ = factsWithout(func(c string) bool { return finds(whole, c) })
		}
	}
	a.factsOf[pattern] = f
	return f
}

// letters are those of names.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// factsOfSet is what is known of a text that may hold characters of some sets. What names nothing holds no letter, and no mark that begins a text or a
// list of a program.
func factsOfSet(holds func(set string) bool) fact {
	var f fact
	for fact, set := range map[fact]string{noShellMeta: shellActive, noQuote: "'\"`\\;", noSlash: `/\`, noDotDot: ".", noDash: "-", noLetters: letters + "_`'\"$é"} {
		if !holds(set) {
			f |= fact
		}
	}
	return f
}

// Hosts that somebody else has are a name that nobody would write into a pattern, also below other names, and an address. A pattern that none of
// them matches fixes the host.
var (
	anyScheme     = slices.Concat(textForm{{letters, true}}, literally("://"))
	hostsOfOthers = []textForm{
		slices.Concat(textForm{{letters + "0123456789.-", true}}, literally("evilqx."), textForm{{of: letters}, {letters, true}}),
		literally("evilqx"), literally("169.254.169.254"), literally("2130706433"),
	}
	addressesOfOthers = func() (out []textForm) {
		for _, host := range hostsOfOthers {
			address := slices.Concat(anyScheme, host)
			out = append(out, address, slices.Concat(address, textForm{{of: "/:?#"}, anything}))
		}
		return out
	}()
)

func admitsAny(re *syntax.Regexp, forms []textForm) bool {
	return slices.ContainsFunc(forms, func(form textForm) bool { return admits(re, form) })
}

// finds reports whether a pattern matches every text that holds some text: behind or between others, and alone.
func finds(re *regexp.Regexp, text string) bool {
	return re.MatchString(text) && slices.ContainsFunc([]string{"x", "7", "_", " "}, func(other string) bool {
		return !re.MatchString(other+other) && re.MatchString(other+text+other)
	})
}

// factsWithout is what is known of a text that lacks some characters.
func factsWithout(lacks func(c string) bool) fact {
	lacksAll := func(set string) bool {
		return !slices.ContainsFunc(strings.Split(set, ""), func(c string) bool { return !lacks(c) })
	}
	var f fact
	if lacksAll(shellEnough) {
		f = noShellMeta
	} else if slices.ContainsFunc(strings.Split(shellActive, ""), lacks) {
		f = halfQuoted
	}
	if lacksAll(`/\`) {
		f |= noSlash
	}
	if lacksAll(`'"`) {
		f |= noQuote
	}
	return f
}

// patternText returns the text of a pattern that an expression is, with its flags.
func (r *reader) patternText(e *ir.Expr) (pattern, flags string, ok bool) {
	if e == nil {
		return "", "", false
	}
	e = r.a.g.Definition(e)
	if e.Kind == ir.Literal && strings.HasPrefix(e.Text, "/") { // JavaScript
		if end := strings.LastIndexByte(e.Text, '/'); end > 0 {
			pattern, flags = e.Text[1:end], e.Text[end+1:]
			for _, flag := range []string{"i", "m"} {
				if strings.Contains(flags, flag) {
					pattern = "(?" + flag + ")" + pattern
				}
			}
			return strings.ReplaceAll(pattern, `\/`, "/"), flags, true
		}
	}
	if (e.Kind == ir.Call || e.Kind == ir.New) && len(e.Args) > 0 { // re.compile(…), new RegExp(…), regexp.MustCompile(…)
		switch e.X.Text {
		case "compile", "RegExp", "MustCompile":
			e = e.Args[0].Value
		}
	}
	if text, ok := r.a.g.Constant(e, r.ctx); ok {
		return text, "g", true
	}
	return "", "", false
}

// patternTexts returns the patterns one of which an expression is: one of a list, or of those that a function is called with.
func (r *reader) patternTexts(e *ir.Expr) (patterns []string) {
	if text, _, ok := r.patternText(e); ok {
		return []string{text}
	}
	list := r.a.g.Definition(e)
	switch {
	case e.Is(ir.Name) && r.each.param != nil && e.Binding().Param == r.each.param: // list.some((pattern) => pattern.test(x))
		list = r.a.g.Definition(r.each.list)
	case list.Is(ir.Index) && len(list.Args) == 0: // any(re.match(pattern, x) for pattern in list)
		list = r.a.g.Definition(list.X)
	}
	if !list.Is(ir.List) {
		return nil
	}
	for _, a := range list.Args {
		text, _, ok := r.patternText(a.Value)
		if !ok {
			return nil
		}
		patterns = append(patterns, text)
	}
	return patterns
}

// replaced is text in which what matches a pattern is replaced, by a text or by what a function gives back.
func (r *reader) replaced(c call, name string) *value {
	subject := c.receiver
	if subject.isClean() && len(c.args) >= 3 { // re.sub(pattern, by, text)
		subject = c.args[2]
	}
	if len(c.args) < 2 {
		return subject.derived(0)
	}
	by, adds := c.args[1], halfQuoted
	if f := c.expr.Args[1].Value; r.isFunction(f) {
		by = r.callback(f, c.expr)
	}
	if does := r.replacement(c, name, by.fixed); does != nil {
		adds = does.facts(subject)
	}
	if out := subject.derived(adds); by.isClean() {
		return out
	} else {
		return joinTexts([]*value{out, by}, "")
	}
}

// A replacement is what a call makes of a text in which it replaces whatever matches a pattern.
type replacement func(text string) string

// replacement returns what a call replaces, nil where that is the first match alone, or not known.
func (r *reader) replacement(c call, name, with string) replacement {
	p, script := c.expr.Args[0].Value, r.a.g.Convention().Language == "typescript"
	text, flags, ok := r.patternText(p)
	if p.Is(ir.String) && name != "re.sub" {
		if script && c.expr.X.Text != "replaceAll" {
			return nil
		}
		return func(s string) string { return strings.ReplaceAll(s, text, with) }
	}
	re, err := regexp.Compile(text)
	if !ok || err != nil || len(text) >= maxPattern || !strings.Contains(flags, "g") {
		return nil
	}
	groups := strings.NewReplacer("$&", "${0}", "$1", "${1}")
	if !script {
		groups = strings.NewReplacer("$", "$$", `\\`, `\`, `\g<0>`, "${0}", `\1`, "${1}")
	}
	with = groups.Replace(with)
	return func(s string) string { return re.ReplaceAllString(s, with) }
}

// of returns what a replacement makes of a text that stands alone, between others and twice.
func (do replacement) of(c string) string { return do("x" + c + "7" + c + c) }

// makes reports whether a replacement puts a text in place of each character of a kind.
func (do replacement) makes(c, text string) bool { return do.of(c) == "x"+text+"7"+text+text }

// facts is what is known of a text in which something was replaced: what is quoted in it, or which characters it no longer holds.
func (do replacement) facts(subject *value) fact {
	escapes := func(c string) bool { return do.makes(c, `\`+c) }
	switch {
	case escapes("(") && escapes("*") && escapes("+"): // as every program writes it
		return patternQuoted
	case slices.ContainsFunc([]string{"'", `"`, "]", "`"}, func(c string) bool { return do.makes(c, c+c) }):
		return sqlQuoted
	case do.makes("'", `'\''`) || do.makes("'", `'"'"'`):
		return shellQuoted
	case escapes(`"`) && (escapes(`\`) || subject.has(slashed)):
		return slashQuoted
	case escapes(`\`):
		return slashed
	}
	return cmp.Or(factsOfSet(func(set string) bool {
		return slices.ContainsFunc(strings.Split(set, ""), func(c string) bool { return strings.ContainsAny(do.of(c), set) })
	}), halfQuoted)
}
