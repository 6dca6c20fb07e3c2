package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// readList reads one list to its end. All four are asked for whatever the server declares:
// servers that list tools without saying so exist, and agents' hosts differ in whether
// they ask. Only the answer "no such method" means that there is no list.
func (c *conversation) readList(ctx context.Context, i int) {
	l := mcp.Lists[i]
	if err := c.client.Err(); err != nil {
		c.addGap(l.Method, fmt.Sprintf("not asked: %s", err))
		return
	}
	if ctx.Err() != nil {
		c.addGap(l.Method, "not asked: the total time was over or the run was interrupted")
		return
	}
	seen := map[string]bool{}
	params := c.params("")
	var waiting []string // cursors that some client follows
	for page := 1; ; page++ {
		c.opt.Progress(l.Method, len(c.out.Lists[i].Items))
		m, err := c.callInTime(ctx, l.Method, params)
		if err != nil {
			c.noteFailedPage(i, page, err)
			return
		}
		cursors, err := c.takePage(i, m)
		if err != nil {
			c.addGap(l.Method, fmt.Sprintf("page %d: %s", page, err))
			return
		}
		for _, cursor := range cursors {
			if seen[cursor] {
				c.addGap(l.Method, fmt.Sprintf("page %d: the cursor %s came a second time; the list would never end", page, wire.Printable(c.clipRedacted(cursor, 60))))
				return
			}
			seen[cursor] = true
		}
		waiting = append(waiting, cursors...)
		switch {
		case len(waiting) == 0:
			c.opt.Progress(l.Method, len(c.out.Lists[i].Items))
			return
		case page >= c.opt.Pages:
			c.addGap(l.Method, fmt.Sprintf("more than %d pages; the rest was not read", c.opt.Pages))
			return
		}
		// The token goes back as it came, byte for byte: it is the server's own.
		params = c.params(`"cursor":` + waiting[0])
		waiting = waiting[1:]
	}
}

// noteFailedPage records why page of list i could not be had.
func (c *conversation) noteFailedPage(i, page int, err error) {
	l := mcp.Lists[i]
	var answer *wire.AnswerError
	if page == 1 && errors.As(err, &answer) && answer.Code == mcp.CodeMethodNotFound {
		switch {
		case !declared(c.out.Init, l.Capability):
			return // an answer: there is no such list
		case l.Optional:
			// The capability promises resources, of which templates are one form: many honest
			// servers have none. It is noted once, and nothing was left unread.
			c.out.Errors = append(c.out.Errors, Gap{l.Method, "Method not found", true})
			return
		}
		// A server that declares tools and refuses to list them hides them from us.
		c.addGap(l.Method, undeclaredGap+l.Capability)
		return
	}
	msg := err.Error()
	if page > 1 {
		msg = fmt.Sprintf("page %d: %s", page, msg)
	}
	c.addGap(l.Method, msg)
}

// undeclaredGap is why a list that a capability promises counts as unread.
const undeclaredGap = "the server has no such method (-32601), although it declares the capability "

// excuseResources turns a missing resources/list into an absence where the server lists
// resource templates: the one capability promises both forms, and a server that has only
// parameterised resources keeps its promise by the other list.
func (c *conversation) excuseResources() {
	templates := slices.IndexFunc(mcp.Lists[:], func(l mcp.List) bool { return l.Method == mcp.ResourceTemplatesList })
	if !c.out.Lists[templates].Present {
		return
	}
	for i, g := range c.out.Errors {
		if g.Method == mcp.ResourcesList && strings.HasPrefix(g.Message, undeclaredGap) {
			c.out.Errors[i] = Gap{g.Method, "Method not found", true}
		}
	}
}

// declared reports whether the capabilities in an initialize result have this member.
func declared(init, capability string) bool {
	caps := rawjson.LastMember(init, "capabilities")
	return caps != "" && caps[0] == '{' && rawjson.LastMember(caps, capability) != ""
}

// takePage takes the items of one answer and returns the raw tokens of the next pages'
// cursors, none at the end of the list. With an error the list ends too, keeping what the
// answer held. Whatever some client would read is read: see [rawjson.Readings].
func (c *conversation) takePage(i int, m wire.Message) (cursors []string, err error) {
	l := mcp.Lists[i]
	if m.Note != "" {
		c.addGap(l.Method, m.Note)
	}
	var errs []error
	for _, result := range c.resultReadings(l.Method, m) {
		next, err := c.takeResult(i, result)
		errs = append(errs, err)
		for _, cursor := range next {
			if !slices.Contains(cursors, cursor) {
				cursors = append(cursors, cursor)
			}
		}
	}
	return cursors, errors.Join(errs...)
}

// resultReadings returns every result that some client takes for that of the message.
func (c *conversation) resultReadings(method string, m wire.Message) (results []string) {
	if m.Note == "" { // the members of an ordinary message have one meaning
		return []string{m.Result}
	}
	readings := rawjson.Readings(strings.TrimLeft(m.Raw, " \t\r\n"), "result")
	c.noteAmbiguous(method, "result", readings)
	for _, r := range readings {
		results = append(results, r.Raw)
	}
	if results == nil {
		return []string{m.Result}
	}
	return results
}

// noteAmbiguous notes readings of a member that clients take differently.
func (c *conversation) noteAmbiguous(method, name string, readings []rawjson.Reading) {
	if len(readings) == 0 || len(readings) == 1 && readings[0].Name == name {
		return
	}
	spelled := make([]string, 0, 4)
	for _, r := range readings[:min(len(readings), 4)] {
		spelled = append(spelled, text(c.clipRedacted(r.Name, 60)))
	}
	note := fmt.Sprintf("%s: %d of %s: %s", method, len(readings), name, strings.Join(spelled, ", "))
	if !slices.Contains(c.out.Ambiguous, note) && len(c.out.Ambiguous) < maxAmbiguous {
		c.out.Ambiguous = append(c.out.Ambiguous, note)
	}
}

// maxAmbiguous is how many ambiguous members a snapshot names.
const maxAmbiguous = 100

// takeResult takes the items of one reading of an answer and returns its cursors.
func (c *conversation) takeResult(i int, result string) (cursors []string, err error) {
	l, out := mcp.Lists[i], &c.out.Lists[i]
	if result[0] != '{' {
		return nil, fmt.Errorf("the result is not an object but %s", jsonKind(result))
	}
	c.noteCacheHint(l.Method, result)
	values := rawjson.Readings(result, l.Member)
	if len(values) == 0 {
		return nil, fmt.Errorf("the answer has no %s", l.Member)
	}
	c.noteAmbiguous(l.Method, l.Member, values)
	if len(values) > 1 {
		// All are kept: some client takes the one that we would have dropped.
		c.addGap(l.Method, fmt.Sprintf("an answer has %d members %q; clients differ in which one they take", len(values), l.Member))
	}
	out.Present = true
	for _, v := range values {
		if err := c.takeItems(i, v.Raw); err != nil {
			return nil, err
		}
	}
	next := rawjson.Readings(result, "nextCursor")
	c.noteAmbiguous(l.Method, "nextCursor", next)
	if len(next) > 1 {
		c.addGap(l.Method, fmt.Sprintf("an answer has %d cursors; clients differ in which one they follow", len(next)))
	}
	for _, cursor := range next {
		switch raw := cursor.Raw; {
		case raw == "null", raw == `""`, slices.Contains(cursors, raw):
		case raw[0] != '"':
			return nil, fmt.Errorf("nextCursor is not a string but %s", jsonKind(raw))
		default:
			cursors = append(cursors, raw)
		}
	}
	return cursors, nil
}

// takeItems appends the elements of a raw list.
func (c *conversation) takeItems(i int, value string) error {
	l, out := mcp.Lists[i], &c.out.Lists[i]
	if value[0] != '[' {
		if value != "null" {
			// Malformation is no hiding place: what stands there is scanned as one item.
			out.Items = append(out.Items, value)
		}
		return fmt.Errorf("%s is not an array but %s", l.Member, jsonKind(value))
	}
	var err error
	_ = rawjson.EachElement(value, 0, func(_ int, s rawjson.Span) bool {
		if len(out.Items) >= c.opt.Items {
			err = fmt.Errorf("more than %d items; the rest was not read", c.opt.Items)
			return false
		}
		out.Items = append(out.Items, value[s.Start:s.End])
		return true
	})
	return err
}

// addGap records what could not be read, or not read with one meaning.
func (c *conversation) addGap(method, msg string) {
	g := Gap{method, c.opt.Redact(msg), false}
	// What every page of a list has is said once.
	if n := len(c.out.Errors); n == 0 || c.out.Errors[n-1] != g {
		c.out.Errors = append(c.out.Errors, g)
	}
}
