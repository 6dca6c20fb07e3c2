package oatf

import (
	"errors"
	"regexp"
	"strings"
)

func validRegex(s string) (groups int, err error) {
	re, err := regexp.Compile(s)
	if err != nil {
		return 0, err
	}
	return re.NumSubexp(), nil
}

func regexAdvice(err error) string { return "not an RE2 expression: " + err.Error() }

func validDuration(s string) error {
	if !regexp.MustCompile(`^([0-9]+[smhd]|P[0-9]+D(T([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S))?|PT([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S))$`).MatchString(s) {
		return errors.New("not a duration")
	}
	return nil
}

func validJSONPath(s string) error {
	if !strings.HasPrefix(s, "$") || strings.Count(s, "[") != strings.Count(s, "]") {
		return errors.New("no")
	}
	return nil
}

func validCEL(s string) error {
	if strings.Count(s, "(") != strings.Count(s, ")") {
		return errors.New("no")
	}
	return nil
}

var simple = regexp.MustCompile(`^([a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*)?$`)
var wild = regexp.MustCompile(`^([a-zA-Z0-9_-]+(\[\*\])?(\.[a-zA-Z0-9_-]+(\[\*\])?)*)?$`)

func validSimplePath(s string) bool   { return simple.MatchString(s) }
func validWildcardPath(s string) bool { return wild.MatchString(s) }

func templateReferences(s string) ([]string, error) {
	var out []string
	for {
		i := strings.Index(s, "{{")
		if i < 0 {
			return out, nil
		}
		if i > 0 && s[i-1] == '\\' {
			s = s[i+2:]
			continue
		}
		s = s[i+2:]
		end := strings.Index(s, "}}")
		if end < 0 {
			return out, errors.New("unclosed")
		}
		out = append(out, s[:end])
		s = s[end+2:]
	}
}
