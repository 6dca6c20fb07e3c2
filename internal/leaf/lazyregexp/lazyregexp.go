// Package lazyregexp provides regular expressions that are compiled on first use, so that starting the program costs nothing for
// unused ones.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is compiled once, on first use. It is safe for concurrent use.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns a Regexp. An invalid expression panics on first use; an architecture test compiles each one in the sources.
func New(expr string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// MatchString is [regexp.Regexp.MatchString].
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// Match is [regexp.Regexp.Match].
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// FindString is [regexp.Regexp.FindString].
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex is [regexp.Regexp.FindStringIndex].
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

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
