package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// UnpromisedWait is how long a server may take to answer for lists that it does not declare. Many handwritten ones ignore unknown
// methods.
const UnpromisedWait = 3 * time.Second

// readLists reads all four lists, whatever the server declares: some servers list tools without declaring them, and hosts differ in
// whether they ask. Undeclared lists are requested last and together, so that a server that ignores them costs one short wait.
func (c *conversation) readLists(ctx context.Context) {
	var unpromised []int
	for i, l := range mcp.Lists {
		if l.Optional || !declared(c.out.Init, l.Capability) {
			unpromised = append(unpromised, i)
		} else if c.mayAsk(ctx, l.Method) {
			c.readList(ctx, i, nil)
		}
	}
	unpromised = slices.DeleteFunc(unpromised, func(i int) bool { return !c.mayAsk(ctx, mcp.Lists[i].Method) })
	asked := make([]wire.Asked, len(unpromised))
	for k, i := range unpromised {
		asked[k] = wire.Asked{Method: mcp.Lists[i].Method, Params: c.params("")}
	}
	c.callTogether(ctx, min(UnpromisedWait, c.opt.Timeout), asked)
	for k, i := range unpromised {
		if !c.notOffered(ctx, i, &asked[k]) {
			c.readList(ctx, i, &asked[k])
		}
	}
}

// mayAsk reports whether the server is there and time is left, and records what is not asked.
func (c *conversation) mayAsk(ctx context.Context, method string) bool {
	if err := c.client.Err(); err != nil {
		c.addGap(method, fmt.Sprintf("not asked: %s", err))
		return false
	}
	if ctx.Err() != nil {
		c.addGap(method, "not asked: the total time was over or the run was interrupted")
		return false
	}
	return true
}

// notOffered reports whether the outcome of requesting an undeclared list means that there is none: a refusal, an answer without a
// list, or silence.
func (c *conversation) notOffered(ctx context.Context, i int, a *wire.Asked) bool {
	l := mcp.Lists[i]
	var silent *wire.NoAnswerError
	switch {
	case a.Err == nil:
		switch result := a.Answer.Result; {
		case a.Answer.Note != "":
			return false
		case result[0] != '{':
			return result[0] != '[' || result == "[]" // in PHP also the empty object
		default:
			list := rawjson.Readings(result, l.Member)
			return rawjson.LastMember(result, "nextCursor") == "" && (len(list) == 0 || len(list) == 1 && list[0].Raw == "null")
		}
	case errors.As(a.Err, &silent):
		return ctx.Err() == nil && !silent.Begun
	case !isRefusal(a.Err) && !refusedOverHTTP(a):
		return false
	}
	if l.Optional && declared(c.out.Init, l.Capability) {
		// The capability covers resources and templates, and many honest servers have no templates. The gap is recorded as absent,
		// since nothing was left unread.
		c.out.Errors = append(c.out.Errors, Gap{l.Method, "Method not found", true})
	}
	return true
}

// refusedOverHTTP recognises other forms of refusing an undeclared list: an error that is no object, a status that denies access,
// or a request accepted without an answer.
func refusedOverHTTP(a *wire.Asked) bool {
	if failed, ok := errors.AsType[*wire.RequestError](a.Err); ok {
		return failed.Empty && failed.Ignored == "" || failed.HTTP != nil && slices.Contains([]int{401, 403}, failed.HTTP.Status)
	}
	raw := a.Answer.Raw
	return raw != "" && raw[0] == '{' && rawjson.LastMember(raw, "error") != "" && rawjson.LastMember(raw, "result") == ""
}

// readList reads one list to its end. first is the outcome of requesting its first page, nil to request it.
func (c *conversation) readList(ctx context.Context, i int, first *wire.Asked) {
	l, out := mcp.Lists[i], &c.out.Lists[i]
	w := &Walk{List: l, Pages: c.opt.Pages, Items: c.opt.Items, Redact: c.opt.Redact, Ambiguous: c.out.Ambiguous,
		Note:   func(gap string) { c.addGap(l.Method, gap) },
		Taken:  func(w *Walk) { c.opt.Progress(l.Method, len(w.Found)) },
		Result: func(raw string) { c.noteCacheHint(l.Method, raw) },
		Ask: func(ctx context.Context, members string) (wire.Message, error) {
			if members == "" && first != nil {
				return first.Answer, first.Err
			}
			return c.callInTime(ctx, l.Method, c.params(members))
		}}
	err := w.Read(ctx)
	out.Present, out.Items, c.out.Ambiguous = w.Present, append(w.Found, w.Malformed...), w.Ambiguous
	var failed *PageError
	var answer *wire.AnswerError
	switch {
	case err == nil:
	case errors.As(err, &failed) && failed.Page == 1 && errors.As(err, &answer) && answer.Code == mcp.CodeMethodNotFound:
		// A server that declares tools and refuses to list them hides them from us.
		c.addGap(l.Method, undeclaredGap+l.Capability)
	default:
		c.addGap(l.Method, err.Error())
	}
}

// undeclaredGap is why a list that a capability declares counts as unread.
const undeclaredGap = "the server has no such method (-32601), although it declares the capability "

// excuseResources turns a missing resources/list into an absent list if the server lists resource templates: one capability covers
// both, and a server with only parameterised resources keeps its promise.
func (c *conversation) excuseResources() {
	templates := slices.IndexFunc(mcp.Lists[:], func(l mcp.List) bool { return l.Method == mcp.ResourceTemplatesList })
	if !c.out.Lists[templates].Present {
		return
	}
	for i, g := range c.out.Errors {
		if g.Method == mcp.ResourcesList && g.Message == undeclaredGap+"resources" {
			c.out.Errors[i] = Gap{g.Method, "Method not found", true}
		}
	}
}

// declared reports whether the capabilities in an initialize result have this member.
func declared(init, capability string) bool {
	caps := rawjson.LastMember(init, "capabilities")
	return caps != "" && caps[0] == '{' && rawjson.LastMember(caps, capability) != ""
}

// addGap records what could not be read, or could be read in several ways.
func (c *conversation) addGap(method, msg string) {
	g := Gap{method, c.opt.Redact(msg), false}
	// What applies to every page of a list is recorded once.
	if n := len(c.out.Errors); n == 0 || c.out.Errors[n-1] != g {
		c.out.Errors = append(c.out.Errors, g)
	}
}
