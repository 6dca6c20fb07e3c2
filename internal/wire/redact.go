package wire

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

const (
	// shortestSecret is the length in bytes below which a value stands in every text.
	shortestSecret = 4
	// shortestPart is that below which a line of a value is no secret by itself.
	shortestPart = 16
)

// Redactor replaces the values of set, which has the form NAME=VALUE, by [NAME], in every
// spelling that Spellings returns. Values of less than four bytes, which would be found in
// every other word, stay.
func Redactor(set []string) *strings.Replacer {
	type pair struct{ name, value string }
	var pairs []pair
	for _, entry := range set {
		name, value, _ := strings.Cut(entry, "=")
		for _, s := range Spellings(value) {
			pairs = append(pairs, pair{name, s})
		}
	}
	// Where one value begins with another, the longer one goes first.
	sort.SliceStable(pairs, func(i, j int) bool { return len(pairs[i].value) > len(pairs[j].value) })
	var oldnew []string
	for _, p := range pairs {
		oldnew = append(oldnew, p.value, "["+p.name+"]")
	}
	return strings.NewReplacer(oldnew...)
}

// Spellings returns the ways in which a secret may stand in a text of a server's or of
// ours: as it is, as a Go or a JSON string, in a JSON pointer, in a URL, in base64, and the
// long lines of one that has several. It is nil for one that is too short to be hidden.
func Spellings(value string) []string {
	if len(value) < shortestSecret {
		return nil
	}
	inner := func(quoted string) string { return quoted[1 : len(quoted)-1] }
	out := []string{value, inner(strconv.Quote(value)), rawjson.EscapePointer(value), url.QueryEscape(value), url.PathEscape(value), (&url.URL{Path: value}).EscapedPath()}
	if b, err := json.Marshal(value); err == nil {
		out = append(out, inner(string(b)))
	}
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) == nil {
		out = append(out, inner(strings.TrimSuffix(plain.String(), "\n")))
	}
	if len(value) >= shortestPart {
		// Three bytes make a group of their own. What the first and the last become depends on
		// what stands beside the value.
		for start := range 3 {
			whole := []byte(value[start : start+(len(value)-start)/3*3])
			out = append(out, base64.StdEncoding.EncodeToString(whole), base64.URLEncoding.EncodeToString(whole))
		}
	}
	if strings.ContainsAny(value, "\r\n") {
		for line := range strings.Lines(value) {
			if line = strings.TrimRight(line, "\r\n"); len(line) >= shortestPart {
				out = append(out, line)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
