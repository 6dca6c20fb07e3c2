package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A Walk reads one list of a server page by page. Every reader of lists uses it, so that a scan sees what the gateway passes on:
// both follow a server that hides a poisoned tool behind `"nextCursor": ""`. Everything that some client would read is read, see
// [rawjson.Readings], and every cursor is followed once, even an empty one.
type Walk struct {
	List mcp.List
	// Ask requests a page. members are the raw members of its params; "" requests the first page.
	Ask func(ctx context.Context, members string) (wire.Message, error)
	// Pages, Items and Bytes bound what is read; 0 means the default, for Bytes unlimited.
	Pages, Items, Bytes int
	Redact              func(string) string // applied to the server's text in messages; may be nil
	Note                func(gap string)    // called with what has several readings; may be nil
	Taken               func(w *Walk)       // called before each page is requested; may be nil
	Result              func(raw string)    // called with every reading of an answer; may be nil

	Present   bool     // the server answered with the list, possibly empty
	Found     []string // the items so far, each as received
	Malformed []string // other values in place of a list of items
	Ambiguous []string // members that clients read differently, one per line
	page      int      // number of the latest page requested
	size      int
}

// A PageError says that a requested page did not arrive.
type PageError struct {
	Page int // counted from 1
	Err  error
}

func (e *PageError) Error() string {
	if e.Page == 1 {
		return e.Err.Error()
	}
	return fmt.Sprintf("page %d: %s", e.Page, e.Err)
}

func (e *PageError) Unwrap() error { return e.Err }

func (w *Walk) setDefaults() {
	w.Pages = cmp.Or(w.Pages, DefaultPages)
	w.Items = cmp.Or(w.Items, catalog.DefaultItems)
	if w.Redact == nil {
		w.Redact = func(s string) string { return s }
	}
	if w.Note == nil {
		w.Note = func(string) {}
	}
	if w.Taken == nil {
		w.Taken = func(*Walk) {}
	}
	if w.Result == nil {
		w.Result = func(string) {}
	}
}

// Read reads the list to its end. The error says why it may be incomplete: a [PageError] if a page did not arrive.
func (w *Walk) Read(ctx context.Context) error {
	w.setDefaults()
	seen := map[string]bool{}
	members, waiting := "", []string(nil) // cursors that some client follows
	for w.page = 1; ; w.page++ {
		w.Taken(w)
		before := len(w.Found)
		var cursors []string
		m, err := w.Ask(ctx, members)
		switch {
		case err == nil:
			if cursors, err = w.takePage(m); err != nil {
				return fmt.Errorf("page %d: %s", w.page, err)
			}
		case members != emptyCursor || !badCursor(err):
			return &PageError{w.page, err}
		}
		again := slices.ContainsFunc(cursors, func(c string) bool { return seen[c] })
		if members == emptyCursor && again && w.repeats(before) {
			// Servers that always write the member, as in Go without omitempty, mean the end by "" and answer it with their first
			// page again.
			w.Found, cursors = w.Found[:before], nil
		}
		for _, cursor := range cursors {
			if seen[cursor] {
				return fmt.Errorf("page %d: the cursor %s came a second time; the list would never end", w.page, wire.Printable(clip(w.Redact(cursor), 60)))
			}
			seen[cursor] = true
		}
		waiting = append(waiting, cursors...)
		switch {
		case len(waiting) == 0:
			w.Taken(w)
			return nil
		case w.page >= w.Pages:
			return fmt.Errorf("more than %d pages; the rest was not read", w.Pages)
		case len(w.Found) >= w.Items:
			return w.tooMany()
		case w.Bytes > 0 && w.size >= w.Bytes:
			return fmt.Errorf("more than %d bytes; the rest was not read", w.Bytes)
		}
		// The cursor goes back byte for byte: it is the server's own.
		members = `"cursor":` + waiting[0]
		waiting = waiting[1:]
	}
}

// Page returns the items of one answer that somebody else requested, and notes what is wrong with it.
func (w *Walk) Page(result string) []string {
	w.setDefaults()
	if _, err := w.takePage(wire.Message{Result: result}); err != nil {
		w.Note(err.Error())
	}
	return w.Found
}

const emptyCursor = `"cursor":""`

// repeats reports whether the items from before on equal the list's first ones.
func (w *Walk) repeats(before int) bool {
	n := len(w.Found) - before
	return n <= before && slices.Equal(w.Found[before:], w.Found[:n])
}

// badCursor reports whether the server rejected the cursor. After an empty cursor that means the end; any other error leaves open
// whether there is a page.
func badCursor(err error) bool {
	answer, ok := errors.AsType[*wire.AnswerError](err)
	return ok && answer.Code == mcp.CodeInvalidParams
}

// isRefusal reports whether the server refused the request itself: by a JSON-RPC error, or over HTTP by a status that is not about
// authorization or retrying later.
func isRefusal(err error) bool {
	if answer, ok := errors.AsType[*wire.AnswerError](err); ok {
		return answer.HTTP == nil || !passing(answer.HTTP.Status)
	}
	failed, ok := errors.AsType[*wire.RequestError](err)
	return ok && failed.HTTP != nil && failed.HTTP.Status >= 400 && !passing(failed.HTTP.Status)
}

// passing reports whether a status is about the caller's rights or temporary.
func passing(status int) bool {
	return slices.Contains([]int{401, 403, 407, 408, 425, 429, 502, 503, 504}, status)
}

// takePage reads the items of one answer and returns the raw cursors of the next pages, none at the end of the list. Malformed
// parts are recorded and the rest is read, as some clients do.
func (w *Walk) takePage(m wire.Message) (cursors []string, err error) {
	if m.Note != "" {
		w.Note(m.Note)
	}
	for _, result := range resultReadings(m, func(r []rawjson.Reading) { w.noteAmbiguous("result", r) }) {
		w.size += len(result)
		if result[0] != '{' {
			w.notePage("the result is not an object but %s", jsonKind(result))
			continue
		}
		w.Result(result)
		if err = w.takeItems(result); err != nil {
			return nil, err
		}
		for _, cursor := range w.cursorsIn(result) {
			if !slices.Contains(cursors, cursor) {
				cursors = append(cursors, cursor)
			}
		}
	}
	return cursors, nil
}

// notePage records what is wrong with the latest page.
func (w *Walk) notePage(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.page > 0 {
		text = fmt.Sprintf("page %d: %s", w.page, text)
	}
	w.Note(text)
}

// takeItems reads the items of one reading of an answer. The error is the limit on items.
func (w *Walk) takeItems(result string) error {
	member := w.List.Member
	values := rawjson.Readings(result, member)
	if len(values) == 0 {
		w.notePage("the answer has no %s", member)
		return nil
	}
	w.noteAmbiguous(member, values)
	if len(values) > 1 {
		// All are kept: some client uses the one we would drop.
		w.Note(fmt.Sprintf("an answer has %d members %q; clients differ in which one they take", len(values), member))
	}
	w.Present = true
	for _, v := range values {
		if v.Raw[0] != '[' {
			if v.Raw != "null" {
				// Malformed content is no hiding place: it is scanned as one item.
				w.Malformed = append(w.Malformed, v.Raw)
			}
			w.notePage("%s is not an array but %s", member, jsonKind(v.Raw))
			continue
		}
		for item := range rawjson.Items(v.Raw) {
			if len(w.Found) >= w.Items {
				return w.tooMany()
			}
			w.Found = append(w.Found, item)
		}
	}
	return nil
}

func (w *Walk) tooMany() error {
	return fmt.Errorf("more than %d items; the rest was not read", w.Items)
}

func (w *Walk) cursorsIn(result string) (cursors []string) {
	next := rawjson.Readings(result, "nextCursor")
	w.noteAmbiguous("nextCursor", next)
	if len(next) > 1 {
		w.Note(fmt.Sprintf("an answer has %d cursors; clients differ in which one they follow", len(next)))
	}
	for _, cursor := range next {
		switch raw := cursor.Raw; {
		case raw == "null":
		case raw[0] != '"':
			w.notePage("nextCursor is not a string but %s", jsonKind(raw))
		default:
			cursors = append(cursors, raw)
		}
	}
	return cursors
}

func (w *Walk) noteAmbiguous(name string, readings []rawjson.Reading) {
	w.Ambiguous = appendAmbiguous(w.Ambiguous, w.Redact, w.List.Method, name, readings)
}

// resultReadings returns every result that some client would read from the message, and passes the readings to several if there is
// more than one.
func resultReadings(m wire.Message, several func([]rawjson.Reading)) (results []string) {
	if m.Note == "" { // the members of an ordinary message are unambiguous
		return []string{m.Result}
	}
	readings := rawjson.Readings(strings.TrimLeft(m.Raw, " \t\r\n"), "result")
	several(readings)
	for _, r := range readings {
		results = append(results, r.Raw)
	}
	if results == nil {
		return []string{m.Result}
	}
	return results
}

// appendAmbiguous appends a note about a member that clients read differently.
func appendAmbiguous(notes []string, redact func(string) string, method, name string, readings []rawjson.Reading) []string {
	if len(readings) == 0 || len(readings) == 1 && readings[0].Name == name {
		return notes
	}
	spelled := make([]string, 0, 4)
	for _, r := range readings[:min(len(readings), 4)] {
		spelled = append(spelled, rawjson.Quote(clip(redact(r.Name), 60)))
	}
	note := fmt.Sprintf("%s: %d of %s: %s", method, len(readings), name, strings.Join(spelled, ", "))
	if slices.Contains(notes, note) || len(notes) >= maxAmbiguous {
		return notes
	}
	return append(notes, note)
}

// maxAmbiguous bounds the ambiguous members in a snapshot.
const maxAmbiguous = 100
