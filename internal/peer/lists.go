package peer

import (
	"context"
	"errors"
	"fmt"

	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// lists are what a server can be asked to enumerate, in the order of catalog.Kinds.
var lists = [4]struct{ member, method, capability string }{
	{"tools", "tools/list", "tools"},
	{"prompts", "prompts/list", "prompts"},
	{"resources", "resources/list", "resources"},
	{"resourceTemplates", "resources/templates/list", "resources"},
}

const methodNotFound = -32601

// list reads one list to its end. All four are asked for whatever the server declares:
// servers that list tools without saying so exist, and agents' hosts differ in whether
// they ask. Only the answer "no such method" means that there is no list.
func (c *capturer) list(ctx context.Context, i int) {
	l := lists[i]
	if err := c.client.Err(); err != nil {
		c.gap(l.method, fmt.Sprintf("not asked: %s", err))
		return
	}
	if ctx.Err() != nil {
		c.gap(l.method, "not asked: the total time was over or the run was interrupted")
		return
	}
	seen := map[string]bool{}
	params := c.params("")
	for page := 1; ; page++ {
		c.opt.Progress(l.method, len(c.out.Lists[i].Items))
		m, err := c.call(ctx, l.method, params)
		if err != nil {
			c.failed(i, page, err)
			return
		}
		cursor, err := c.page(i, m)
		switch {
		case err != nil:
			c.gap(l.method, fmt.Sprintf("page %d: %s", page, err))
			return
		case cursor == "":
			c.opt.Progress(l.method, len(c.out.Lists[i].Items))
			return
		case seen[cursor]:
			c.gap(l.method, fmt.Sprintf("page %d: the cursor %s came a second time; the list would never end", page, wire.Printable(c.clip(cursor, 60))))
			return
		case page >= c.opt.Pages:
			c.gap(l.method, fmt.Sprintf("more than %d pages; the rest was not read", c.opt.Pages))
			return
		}
		seen[cursor] = true
		// The token goes back as it came, byte for byte: it is the server's own.
		params = c.params(`"cursor":` + cursor)
	}
}

// failed records why page of list i could not be had.
func (c *capturer) failed(i, page int, err error) {
	l := lists[i]
	var answer *wire.AnswerError
	if page == 1 && errors.As(err, &answer) && answer.Code == methodNotFound {
		// An answer, not a gap. Where the list was promised it is worth a note.
		if declared(c.out.Init, l.capability) {
			c.out.Errors = append(c.out.Errors, Gap{l.method, "the server has no such method (-32601), although it declares the capability " + l.capability, true})
		}
		return
	}
	msg := err.Error()
	if page > 1 {
		msg = fmt.Sprintf("page %d: %s", page, msg)
	}
	c.gap(l.method, msg)
}

// declared reports whether the capabilities in an initialize result have this member.
func declared(init, capability string) bool {
	caps := rawjson.LastMember(init, "capabilities")
	return caps != "" && caps[0] == '{' && rawjson.LastMember(caps, capability) != ""
}

// page takes the items of one answer and returns the raw token of the next page's cursor,
// "" at the end of the list. With an error the list ends too, keeping what the answer held.
func (c *capturer) page(i int, m wire.Message) (cursor string, err error) {
	l, out := lists[i], &c.out.Lists[i]
	if m.Result[0] != '{' {
		return "", fmt.Errorf("the result is not an object but %s", kindOf(m.Result))
	}
	if m.Note != "" {
		c.gap(l.method, m.Note)
	}
	c.stamp(l.method, m.Result)
	values := all(m.Result, l.member)
	if len(values) == 0 {
		return "", fmt.Errorf("the answer has no %s", l.member)
	}
	if len(values) > 1 {
		// All are kept: some client takes the one that we would have dropped.
		c.gap(l.method, fmt.Sprintf("an answer has %d members %q; clients differ in which one they take", len(values), l.member))
	}
	out.Present = true
	for _, v := range values {
		if err := c.items(i, v); err != nil {
			return "", err
		}
	}
	if n := len(all(m.Result, "nextCursor")); n > 1 {
		c.gap(l.method, fmt.Sprintf("an answer has %d cursors; clients differ in which one they follow", n))
	}
	switch next := rawjson.LastMember(m.Result, "nextCursor"); {
	case next == "", next == "null", next == `""`:
		return "", nil
	case next[0] != '"':
		return "", fmt.Errorf("nextCursor is not a string but %s", kindOf(next))
	default:
		return next, nil
	}
}

// items appends the elements of a raw list.
func (c *capturer) items(i int, value string) error {
	l, out := lists[i], &c.out.Lists[i]
	if value[0] != '[' {
		if value != "null" {
			// Malformation is no hiding place: what stands there is scanned as one item.
			out.Items = append(out.Items, value)
		}
		return fmt.Errorf("%s is not an array but %s", l.member, kindOf(value))
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

// gap records what could not be read, or not read with one meaning.
func (c *capturer) gap(method, msg string) {
	g := Gap{method, c.opt.Redact(msg), false}
	// What every page of a list has is said once.
	if n := len(c.out.Errors); n == 0 || c.out.Errors[n-1] != g {
		c.out.Errors = append(c.out.Errors, g)
	}
}
