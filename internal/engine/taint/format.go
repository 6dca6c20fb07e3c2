package taint

import (
	"strconv"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A text that a format makes is read as a template is: what is put into each place stands behind the texts and the values before it, so
// that fmt.Sprintf("%s%s/%s", c.base, "/v1", id) puts id behind a host.

var (
	verbs  = lazyregexp.New(`%[-+# 0-9.]*[a-zA-Z%]`)
	places = lazyregexp.New(`\{([a-zA-Z_0-9]*)(?:[.:!\[][^{}]*)?\}`)
)

// sprintf is fmt.Sprintf(format, values...) of Go.
func (c call) sprintf() *value {
	format := c.args[0].fixed
	n := 0
	return c.formatted(format, verbs.FindAllStringSubmatchIndex(format, -1), func(verb string) (*value, bool) {
		if verb == "%%" {
			return fixedText("%"), true
		}
		n++
		return c.positional(n)
	})
}

// format is "…".format(values…) of Python.
func (c call) format() *value {
	format := c.receiver.fixed
	if strings.Contains(format, "{{") { // braces that are no places
		head, _, _ := strings.Cut(format, "{")
		return c.everything().behind(head)
	}
	n := -1
	return c.formatted(format, places.FindAllStringSubmatchIndex(format, -1), func(place string) (*value, bool) {
		name := places.FindStringSubmatch(place)[1]
		if at, err := strconv.Atoi(name); err == nil {
			return c.positional(at)
		}
		if name == "" {
			n++
			return c.positional(n)
		}
		for i, a := range c.expr.Args {
			if a.Name == name {
				return c.args[i], true
			}
		}
		return nil, false
	})
}

// positional returns an argument by its place; ok is false behind a list of unknown length, and where there is none.
func (c call) positional(n int) (v *value, ok bool) {
	known, _ := c.inOrder()
	if n >= len(known) {
		return nil, false
	}
	return known[n], true
}

// formatted returns the text that a format makes, whose places stand at some offsets. Of a format that is not known, or that
// asks for something else than its arguments in their order, all stands behind the first place.
func (c call) formatted(format string, offsets [][]int, given func(place string) (*value, bool)) *value {
	var parts []*value
	end := 0
	for _, at := range offsets {
		v, ok := given(format[at[0]:at[1]])
		if !ok {
			first := strings.IndexAny(format, "%{")
			return c.everything().behind(format[:max(first, 0)])
		}
		if at[0] > end {
			parts = append(parts, fixedText(format[end:at[0]]))
		}
		parts, end = append(parts, v), at[1]
	}
	if len(offsets) == 0 {
		return c.everything().behind(format)
	}
	if end < len(format) {
		parts = append(parts, fixedText(format[end:]))
	}
	return joinTexts(parts, "")
}
