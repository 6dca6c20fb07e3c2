package taint

import (
	"regexp/syntax"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A pattern can fix the host of an address as a comparison with its beginning does: ^https://docs\.example\.com/. Whether it does is decided
// from the ways in which a text that matches can begin. In these, anyLabel stands for any characters of a host's name, and unknownText for
// anything else.

const (
	anyLabel     = "*"
	maxBeginning = 200 // bytes of one
	maxWays      = 32
)

var (
	// fixesAddress is the beginning of an address whose host is fixed, or is any one below a fixed one of two parts or more.
	fixesAddress = lazyregexp.New(`^(?i:[a-z][a-z0-9+.-]*://([a-z0-9*.-]*\.[a-z0-9-]+\.)?[a-z0-9.-]*[a-z0-9](:[0-9]+)?[/?#])`)
	fixesHost    = lazyregexp.New(`^(?i:([a-z0-9*.-]*\.[a-z0-9-]+\.)?[a-z0-9.-]*[a-z0-9](:[0-9]+)?/)$`)
)

// hostFacts is what a pattern that matches says of a text as an address, and of one that is the host of an address.
func hostFacts(re *syntax.Regexp, anchored bool) (address, host bool) {
	ways := beginnings(re)
	address, host = len(ways) > 0, len(ways) > 0
	for _, way := range ways {
		if anchored {
			way = "^" + way + "/"
		}
		way, begins := strings.CutPrefix(way, "^")
		address = address && begins && fixesAddress.MatchString(way)
		host = host && begins && fixesHost.MatchString(way)
	}
	return address, host
}

// beginnings returns the ways in which a text that matches can begin: "^" for its start, "/" for its end, as behind a host. It returns
// nil for more than are of interest.
func beginnings(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpBeginText:
		return []string{"^"}
	case syntax.OpEndText:
		return []string{"/"}
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return []string{labelOf(re.Rune)}
	case syntax.OpCapture:
		return beginnings(re.Sub[0])
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus:
		return repeated(re)
	case syntax.OpConcat:
		return inARow(re.Sub)
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			ways := beginnings(sub)
			if ways == nil || len(out)+len(ways) > maxWays {
				return nil
			}
			out = append(out, ways...)
		}
		return out
	}
	return []string{unknownText}
}

// repeated returns the ways of what stands there any number of times: once, where more of it are labels like the first.
func repeated(re *syntax.Regexp) []string {
	ways := beginnings(re.Sub[0])
	for i, way := range ways {
		if re.Op != syntax.OpQuest && (!strings.HasPrefix(way, anyLabel) && way != "1" || strings.Trim(way, anyLabel+".") != "" && way != "1") {
			ways[i] = unknownText
		}
	}
	if re.Op != syntax.OpPlus && ways != nil {
		ways = append(ways, "")
	}
	return ways
}

// inARow returns the ways of parts that stand behind each other.
func inARow(parts []*syntax.Regexp) []string {
	out := []string{""}
	for _, part := range parts {
		ways := beginnings(part)
		if ways == nil || len(out)*len(ways) > maxWays {
			return nil
		}
		var next []string
		for _, before := range out {
			for _, way := range ways {
				if len(before) < maxBeginning {
					way = before + way
				} else {
					way = before
				}
				next = append(next, way)
			}
		}
		out = next
	}
	return out
}

// labelOf returns what stands for one character of a class.
func labelOf(class []rune) string {
	inside := func(allowed string) bool {
		for i := 0; i+1 < len(class); i += 2 {
			for c := class[i]; c <= class[i+1]; c++ {
				if !strings.ContainsRune(allowed, c) {
					return false
				}
			}
		}
		return true
	}
	switch {
	case inside("0123456789"):
		return "1"
	case inside("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"):
		return anyLabel
	}
	return unknownText
}
