package proberun

import (
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/redact"
	"gauntlet/rawjson"
)

// maxText bounds what is read of an answer, in bytes.
const maxText = 1 << 20

// JSON-RPC codes that refuse a request before anything is done.
const (
	methodNotFound = -32601
	invalidParams  = -32602
)

// An Answer is the response to one call. The zero Answer means that none came in time.
type Answer struct {
	Came    bool
	Gone    bool   // the server ended instead
	Code    int64  // of a JSON-RPC error
	Failed  bool   // a JSON-RPC error, or a result with isError
	Text    string // all its strings, one per line
	Started bool   // there was a result, so the tool's code may have run
	Raw     string // a result, unchanged; "" for an error
	Sent    string // the arguments of the call, JSON
}

// proof says what a call of a tool showed; shown is what of its answer a report quotes.
func (a *Answer) proof(kind probe.Kind, variant, payload, shown, observed string) *probe.Proof {
	return &probe.Proof{Kind: kind, Variant: variant, Payload: payload, Method: mcp.ToolsCall, Arguments: a.Sent, Answer: shown, Observed: observed}
}

// ReadResult reads a raw result.
func ReadResult(raw string) Answer {
	a := Answer{Came: true, Started: true, Raw: raw[:min(len(raw), 2*maxText)], Failed: rawjson.LastMember(raw, "isError") == "true"}
	a.Text = stringsIn(raw)
	if !a.Failed {
		a.Failed = saysFailed(a.Text)
	}
	return a
}

// saysFailed reports whether a result without isError is an error in its own words: a JSON object that says so, or a text that
// begins so. Many servers return errors as results.
func saysFailed(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		line := text[:min(len(text), 64<<10)]
		end, err := rawjson.Skip(line, 0)
		if err != nil {
			return false
		}
		object := line[:end]
		if rawjson.LastMember(object, "success") == "false" || rawjson.LastMember(object, "ok") == "false" {
			return true
		}
		status := strings.ToLower(rawjson.LastText(object, "status"))
		return status == "error" || status == "failed" || rawjson.LastText(object, "error") != ""
	}
	for _, word := range []string{"error", "\u274c", "failed", "invalid"} {
		if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
			return true
		}
	}
	return false
}

// ReadError reads a JSON-RPC error; data is raw.
func ReadError(code int64, message, data string) Answer {
	a := Answer{Came: true, Failed: true, Code: code, Text: message[:min(len(message), maxText)]}
	if data != "" {
		a.Text += "\n" + stringsIn(data)
	}
	return a
}

// stringsIn returns all strings and numbers of a JSON text, decoded, one per line.
func stringsIn(raw string) string {
	raw = raw[:min(len(raw), 2*maxText)]
	var tree rawjson.Tree
	if tree.Parse(raw, 0) != nil {
		return raw[:min(len(raw), maxText)]
	}
	var b strings.Builder
	for v := range tree.Root().All() {
		if b.Len() > maxText {
			break
		}
		switch v.Kind() {
		case rawjson.String:
			if v.Key().Is("type") { // "text" of a content block
				continue
			}
			b.WriteString(v.Text())
			b.WriteByte('\n')
		case rawjson.Number:
			b.WriteString(v.Raw())
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Strip removes the payload, in any encoding, from an answer's text.
func Strip(text, payload string) string {
	if len(payload) < redact.Shortest {
		return strings.ReplaceAll(text, payload, "")
	}
	return redact.New([]string{"payload=" + payload}).Replace(text)
}

// Holds reports whether a text without the payload contains a random value in any encoding.
func Holds(text, payload, value string) bool {
	if len(value) < 8 {
		return false // too short to be unmistakable
	}
	text = Strip(text, payload)
	return strings.Contains(text, value) || len(redact.New([]string{"value=" + value}).Names(text)) > 0
}

// HoldsNumber reports whether a text without the payload contains a number as a separate one, with or without thousands separators.
func HoldsNumber(text, payload string, n int64) bool {
	want := strconv.FormatInt(n, 10)
	text = Strip(text, payload)
	plain := strings.NewReplacer(",", "", "_", "", "'", "", "\u202f", "", "\u00a0", "").Replace(text)
	return standsAlone(text, want) || standsAlone(plain, want)
}

// standsAlone reports whether text holds digits that are not part of a longer number.
func standsAlone(text, digits string) bool {
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	for from := 0; ; {
		at := strings.Index(text[from:], digits)
		if at < 0 {
			return false
		}
		at += from
		if !isDigit(at-1) && !isDigit(at+len(digits)) {
			return true
		}
		from = at + 1
	}
}

// A Delivery says whether a payload reached the tool's code.
type Delivery struct {
	Delivered, Answered bool
	Why                 string // why not, for a report
	Alike               bool   // an ordinary value ended in the same error but for what every answer has of its own, so nothing shows that the payload was examined
	Complaint           schemafill.Complaint
}

// Ordinary is the tool's answer to an ordinary value of the same parameter.
type Ordinary struct {
	Answer Answer
	Again  string // what it said to the same call once more, if the answer is an error
	Value  string
	// Examined says that the answer is an error, and that the tool accepted another value before and after it: "only numbers", and it
	// takes 1. Then the same error to a payload shows that the tool looked at it.
	Examined bool
}

// ReadDelivery judges the answer to a call with a payload in one parameter. It needs the answer to an ordinary value, since an
// error that every value causes says nothing about the payload.
func ReadDelivery(schema *schemafill.Schema, parameter, payload string, a Answer, ordinary Ordinary) Delivery {
	switch {
	case a.Gone:
		return Delivery{Delivered: true, Why: "the server ended"}
	case !a.Came:
		return Delivery{Delivered: true, Why: "no answer in time"}
	case !a.Failed:
		return Delivery{Delivered: true, Answered: true}
	}
	d := Delivery{Complaint: schema.ReadComplaint(a.Text)}
	switch {
	case a.Code == methodNotFound:
		d.Why = "the server does not know the method"
	case a.Code == invalidParams || d.Complaint.Validation:
		d.Why = probe.Refused + ": " + firstLine(Strip(a.Text, payload))
	case d.Complaint.Others(parameter):
		d.Why = "another parameter is wrong: " + firstLine(Strip(a.Text, payload))
	case ordinary.fails() && sameError(a.Text, payload, ordinary):
		d.Why = "the same error with an ordinary value: " + firstLine(Strip(a.Text, payload))
	default:
		d.Delivered, d.Answered = true, true
		d.Alike = ordinary.fails() && probe.Ignores(errorShape(a.Text, payload), errorShape(ordinary.Answer.Text, ordinary.Value), errorShape(ordinary.Again, ordinary.Value))
	}
	return d
}

// fails reports whether an ordinary value ends in an error that tells nothing of the value.
func (o *Ordinary) fails() bool { return o.Answer.Came && o.Answer.Failed && !o.Examined }

var (
	quoteParts = lazyregexp.New("[^\\s'\"`(),;]+")
	plainRun   = lazyregexp.New(`[A-Za-z0-9]{4,}`)
	digitRun   = lazyregexp.New(`\d+`)
)

// errorShape returns an error without what it quotes of the value and without words with digits: "cannot reach host-7 (request 8f3a)"
// and "cannot reach $(id) (request c01d)" have one shape. A path that was made absolute is a quote, too.
func errorShape(text, value string) string {
	text = text[:min(len(text), maxShape)]
	longest := ""
	for _, run := range plainRun.FindAllString(value[:min(len(value), maxShape)], 100) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	marker := Strip(value, value) // what Strip leaves in place of the value
	text = quoteParts.ReplaceAllStringFunc(Strip(text, value), func(part string) string {
		if marker != "" && strings.Contains(part, marker) || longest != "" && strings.Contains(part, longest) {
			return ""
		}
		return part
	})
	return strings.Join(slices.DeleteFunc(quoteParts.FindAllString(text, -1), func(part string) bool { return digitRun.MatchString(part) }), " ")
}

// maxShape bounds what errors are compared by, in bytes.
const maxShape = 4 << 10

// sameError reports whether two errors are equal although the values differ and neither is quoted: then nothing shows that the
// value was examined.
func sameError(text, payload string, ordinary Ordinary) bool {
	stripped := Strip(text, payload)
	return stripped == text && stripped == ordinary.Answer.Text && (len(ordinary.Value) < 4 || !strings.Contains(ordinary.Answer.Text, ordinary.Value))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return excerpt.Clip(line, 160)
}

// Excerpt returns the beginning of an answer without the payload, for a report.
func Excerpt(text, payload string) string {
	return strings.TrimSpace(excerpt.Clip(Strip(text, payload), 400))
}
