package taint

import (
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
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil && len(pattern) < 2000 {
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
		if class := classOf(re); class != nil {
			f.differ = factsWithout(func(c rune) bool { return inClass(class, c) })
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

// factsWithout is what is known of a text that lacks some characters.
func factsWithout(lacks func(rune) bool) fact {
	var f fact
	if strings.IndexFunc(shellEnough, func(c rune) bool { return !lacks(c) }) < 0 {
		f = noShellMeta
	} else {
		f = halfQuoted
	}
	if lacks('/') && lacks('\\') {
		f |= noSlash
	}
	if lacks('\'') && lacks('"') {
		f |= noQuote
	}
	return f
}

func inClass(class []rune, c rune) bool {
	for i := 0; i+1 < len(class); i += 2 {
		if class[i] <= c && c <= class[i+1] {
			return true
		}
	}
	return false
}

// classOf returns the characters of a pattern that is one class, repeated or not; nil for any other.
func classOf(re *syntax.Regexp) []rune {
	for re.Op == syntax.OpCapture || re.Op == syntax.OpPlus || re.Op == syntax.OpStar {
		re = re.Sub[0]
	}
	switch re.Op {
	case syntax.OpCharClass:
		return re.Rune
	case syntax.OpLiteral:
		if len(re.Rune) == 1 {
			return []rune{re.Rune[0], re.Rune[0]}
		}
	}
	return nil
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

// replaced is text in which what matches a pattern is replaced.
func (r *reader) replaced(c call, name string) *value {
	subject := c.receiver
	if subject.isClean() && len(c.args) >= 3 { // re.sub(pattern, by, text)
		subject = c.args[2]
	}
	if len(c.args) < 2 {
		return subject.derived(0)
	}
	if f := r.quoting(c, subject); f != 0 {
		return subject.derived(f)
	}
	text, flags, ok := r.patternText(c.expr.Args[0].Value)
	if !ok || c.expr.Args[0].Value.Is(ir.String) && name != "re.sub" || !strings.Contains(flags, "g") { // the first match alone
		return subject.derived(halfQuoted)
	}
	add := fact(halfQuoted)
	if re, err := syntax.Parse(text, syntax.Perl); err == nil {
		if class := classOf(re.Simplify()); class != nil {
			with := c.args[1].fixed
			if with == `\$&` && inClass(class, '(') && inClass(class, '*') && inClass(class, '+') {
				return subject.derived(patternQuoted) // escapeRegExp, as every program writes it
			}
			add = factsOfSet(func(set string) bool {
				return slices.ContainsFunc([]rune(set), func(c rune) bool { return !inClass(class, c) || strings.ContainsRune(with, c) })
			})
			if add == 0 {
				add = halfQuoted
			}
		}
	}
	return subject.derived(add)
}

// quoting is what is known of text in which one kind of quotation mark was replaced everywhere: doubled for a statement, closed,
// escaped and opened again for a shell, or given a backslash once the backslashes were doubled.
func (r *reader) quoting(c call, subject *value) fact {
	text, flags, ok := r.patternText(c.expr.Args[0].Value)
	if !ok {
		return 0
	}
	with := c.args[1].fixed
	if p := c.expr.Args[0].Value; p.Kind == ir.String && r.a.g.Convention().Language == "typescript" && c.expr.X.Text != "replaceAll" {
		return 0 // the first one alone
	} else if p.Kind != ir.String {
		if !strings.Contains(flags, "g") {
			return 0
		}
		if escapesBoth(text, with) {
			return slashQuoted
		}
		text = onlyCharacter(text)
	}
	switch {
	case len(text) != 1:
	case strings.Contains("'\"]`", text) && with == text+text:
		return sqlQuoted
	case text == "'" && (with == `'\''` || with == `'"'"'`):
		return shellQuoted
	case text == `\` && with == `\\`:
		return slashed
	case text == `"` && with == `\"` && subject.has(slashed):
		return slashQuoted
	}
	return 0
}

// onlyCharacter returns the one character that a pattern matches, "" for any other pattern: /\\/ matches a backslash.
func onlyCharacter(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpLiteral || len(re.Rune) != 1 || re.Flags&syntax.FoldCase != 0 {
		return ""
	}
	return string(re.Rune)
}

// escapesBoth reports whether backslashes and quotation marks are given a backslash at once: replace(/[\\"]/g, "\\$&").
func escapesBoth(pattern, with string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || with != `\$&` && (with != `\$1` || re.Op != syntax.OpCapture) {
		return false
	}
	if re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	// Of [\\"]+ only the first is escaped, and a class with "(" is made for regular expressions.
	return re.Op == syntax.OpCharClass && inClass(re.Rune, '\\') && inClass(re.Rune, '"') && !inClass(re.Rune, '(')
}
