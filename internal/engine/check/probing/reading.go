package probing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

func sorted(all []Probe) []Probe {
	return slices.SortedStableFunc(slices.Values(all), func(a, b Probe) int { return strings.Compare(a.ID, b.ID) })
}

// exchanges are those of a probe that were answered in time.
func exchanges(e *probe.Protocol, id string) (out []*probe.Exchange) {
	for i := range e.Exchanges {
		if x := &e.Exchanges[i]; x.ID == id && x.Answered {
			out = append(out, x)
		}
	}
	return out
}

// message returns the JSON-RPC message in the body of an answer: the body as a whole, or the data of
// its last event.
func message(body string) rawjson.Value {
	tree := new(rawjson.Tree)
	if tree.Parse(body, 0) == nil {
		return tree.Root()
	}
	var last string
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data:"); ok && strings.TrimSpace(data) != "" {
			last = strings.TrimSpace(data)
		}
	}
	event := new(rawjson.Tree)
	if last == "" || event.Parse(last, 0) != nil {
		return rawjson.Value{}
	}
	return event.Root()
}

// isResult reports whether the answer is a JSON-RPC result, which a refusal never is.
func isResult(x *probe.Exchange) bool {
	if x.Status != 0 && x.Status/100 != 2 {
		return false
	}
	if x.Result {
		return true
	}
	m := message(x.Body)
	return m.Kind() == rawjson.Object && m.Get("result").Kind() == rawjson.Object && m.Get("error").Kind() != rawjson.Object
}

// toolText is the text of a tool's result, and whether it says that the call succeeded.
func toolText(x *probe.Exchange) (string, bool) {
	if !isResult(x) {
		return "", false
	}
	r := message(x.Body).Get("result")
	if r.Get("isError").Raw() == "true" || r.Get("content").Kind() != rawjson.Array {
		return "", false
	}
	var b strings.Builder
	for _, item := range r.Get("content").Elements() {
		b.WriteString(item.Get("text").Text())
		b.WriteString("\n")
	}
	return b.String(), true
}

// how says for a reader how a request was answered.
func how(x *probe.Exchange) string {
	m := message(x.Body)
	switch code := excerpt.Clip(m.Get("error").Get("code").Raw(), 20); {
	case code != "" && x.Status != 0:
		return fmt.Sprintf("HTTP %d, %s", x.Status, code)
	case code != "":
		return code
	case x.Status != 0:
		return fmt.Sprintf("HTTP %d", x.Status)
	}
	return "an answer"
}

// resultsOf judges a probe whose every step has to be refused: any that gets a result is broken.
func resultsOf(id, wrong, right string) func(*probe.Protocol) Verdict {
	return func(e *probe.Protocol) Verdict {
		all := exchanges(e, id)
		if len(all) == 0 {
			return Verdict{}
		}
		var answered, refused []string
		var by *probe.Exchange
		for _, x := range all {
			if isResult(x) {
				answered, by = append(answered, x.Step), cmp.Or(by, x)
			} else {
				refused = append(refused, x.Step+" ("+how(x)+")")
			}
		}
		if len(answered) > 0 {
			return brokenBy(by, wrong+": "+strings.Join(answered, ", "))
		}
		return held(right + ": " + strings.Join(refused, ", "))
	}
}
