// Package lazyregexp provides regular expressions that are compiled on first use, so that starting the program costs nothing for
// unused ones.
package lazyregexp

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Regexp is compiled once, on first use. It is safe for concurrent use.
type Regexp struct {
	compiled func() *pattern
}

// A pattern is a compiled expression with words of which each match has one, if there are such: most texts have none, and looking
// for them costs a tenth of what trying the expression at each of their bytes does.
type pattern struct {
	*regexp.Regexp
	words []string
}

func compile(expr string) *pattern {
	p := &pattern{Regexp: regexp.MustCompile(expr)}
	if parsed, err := syntax.Parse(expr, syntax.Perl); err == nil {
		p.words = wordsOf(parsed)
	}
	return p
}

// may reports whether a text could match.
func (p *pattern) may(s string) bool {
	return p.words == nil || slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(s, w) })
}

// Shorter words, in bytes, are in every text, and more of them cost what they save.
const (
	shortestWord = 3
	mostWords    = 24
)

// wordsOf returns words of which each match of an expression has one, nil where there are none.
func wordsOf(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		word := string(re.Rune)
		if re.Flags&syntax.FoldCase == 0 && len(word) >= shortestWord && !strings.ContainsRune(word, utf8.RuneError) { // which a byte that is no text matches
			words = []string{word}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return wordsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if of := wordsOf(sub); of != nil && (words == nil || len(of) < len(words)) {
				words = of
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			of := wordsOf(sub)
			if words = append(words, of...); of == nil || len(words) > mostWords {
				return nil
			}
		}
	}
	return words
}

// New returns a Regexp. An invalid expression panics on first use; an architecture test compiles each one in the sources.
func New(expr string) *Regexp { return Made(func() string { return expr }) }

// Made returns a Regexp whose expression is made on first use, from a table for example.
func Made(expr func() string) *Regexp {
	return &Regexp{sync.OnceValue(func() *pattern { return compile(expr()) })}
}

// MatchString is [regexp.Regexp.MatchString].
func (r *Regexp) MatchString(s string) bool {
	p := r.compiled()
	return p.may(s) && p.Regexp.MatchString(s)
}

// Match is [regexp.Regexp.Match].
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// FindString is [regexp.Regexp.FindString].
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (r *Regexp) FindStringIndex(s string) []int {
	p := r.compiled()
	if !p.may(s) {
		return nil
	}
	return p.Regexp.FindStringIndex(s)
}

// FindStringSubmatch is [regexp.Regexp.FindStringSubmatch].
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindAllString is [regexp.Regexp.FindAllString].
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringSubmatch is [regexp.Regexp.FindAllStringSubmatch].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is [regexp.Regexp.ReplaceAllString].
func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }

// ReplaceAllStringFunc is [regexp.Regexp.ReplaceAllStringFunc].
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, by)
}

// FindAllStringSubmatchIndex is regexp.Regexp.FindAllStringSubmatchIndex.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindAllIndex is [regexp.Regexp.FindAllIndex].
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.compiled().FindAllIndex(b, n) }
