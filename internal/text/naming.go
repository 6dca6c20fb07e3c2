package text

import (
	"strings"
	"unicode/utf8"
)

// meaningOfName returns what the words of an identifier say about the tool it names.
func (l *lexicon) meaningOfName(s string) (cls ClassSet) {
	var low [40]byte
	for i := 0; i < len(s); {
		n := 0
		for i < len(s) && !isLetter(s[i]) {
			i++
		}
		for from := i; i < len(s) && isLetter(s[i]) && n < len(low); i++ {
			if i > from && s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
				break
			}
			low[n] = lower(s[i])
			n++
		}
		if w := l.words[string(low[:n])]; w != nil {
			if w.classes.has(classPowerWord) {
				cls.add(classPower)
			}
			if w.classes.has(classPretextWord) {
				cls.add(classPretext)
			}
		}
	}
	return cls
}

// name classifies a word that names something: written as an identifier, or alone in
// quotation marks.
func (t *tokenizer) name(i, stop int) (Class, bool) {
	ident := identifier(t.s[i:stop])
	alone := i > 0 && stop < len(t.s) && t.s[i-1] == t.s[stop] && strings.IndexByte("`'\"", t.s[stop]) >= 0
	if !ident && !alone {
		return 0, false
	}
	if t.names != nil {
		switch t.names(t.s[i:stop]) {
		case Parameter:
			return classOwnParam, true
		case Sibling:
			return classSibling, true
		case Self:
			return classSelf, true
		}
	}
	if alone && !ident {
		return classNamed, true
	}
	return classIdent, true
}

// unleet reads digits and signs as the letters they stand for, where a word mixes both:
// "1gn0r3". It appends them to out. Words of one letter and digits ("p4", "v1") are names of things.
func unleet(w, out []byte) []byte {
	letters, digits := 0, 0
	for _, c := range w {
		if c >= 'a' && c <= 'z' {
			letters++
		} else {
			digits++
		}
	}
	if digits == 0 || letters < 2 || len(w) < 3 {
		return nil
	}
	for _, c := range w {
		if j := strings.IndexByte("013457@$!", c); j >= 0 {
			c = "oieastasi"[j]
		}
		out = append(out, c)
	}
	return out
}

func identifier(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] == '_' && i+1 < len(s) || s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// mixedScript reports whether a word of ASCII letters holds letters of another script
// that pose as ASCII.
func mixedScript(s string) bool {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf && isLetter(byte(r)) {
			ascii++
		} else if r >= utf8.RuneSelf {
			other++
		}
	}
	return ascii >= 2 && other > 0 && other <= ascii*2
}
