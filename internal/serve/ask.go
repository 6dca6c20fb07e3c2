package serve

import (
	"context"
	"errors"
	"slices"

	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

// ask answers the methods that both eras have. extra are members that every list result
// begins with; notFound is the code for a resource that there is not.
func (s *Server) ask(ctx context.Context, p *Prepared, r *request, extra string, notFound int) (string, *Error) {
	for l := range listed {
		if listed[l].method == r.Method {
			return s.list(p, l, r, extra)
		}
	}
	for _, c := range callable {
		if c.method == r.Method {
			return c.ask(ctx, p, r, notFound)
		}
	}
	return "", unknownMethod(r.Method)
}

// relay asks the state's Relay. ok is false where the rest of the state is to answer.
func (p *Prepared) relay(ctx context.Context, r *request) (result string, e *Error, ok bool) {
	if p.Relay == nil || slices.Contains(modernOnly, r.Method) {
		return "", nil, false
	}
	result, err := p.Relay(ctx, r.call(""))
	if errors.Is(err, ErrUnhandled) {
		return "", nil, false
	}
	result, e = answered(result, err)
	return result, e, true
}

// answered makes an answer of what a State's functions return.
func answered(result string, err error) (string, *Error) {
	var own *Error
	switch {
	case errors.As(err, &own):
		return "", own
	case err != nil:
		return "", &Error{Code: internalError, Message: "Internal error: " + err.Error()}
	}
	if result, err = Compact(result); err != nil || result[0] != '{' {
		return "", &Error{Code: internalError, Message: "Internal error: the result is no JSON object"}
	}
	return result, nil
}

// A call is a method for one thing out of a list.
type call struct {
	method string
	list   int    // in listed
	param  string // that names the thing
	what   string
}

var callable = []call{
	{"tools/call", 0, "name", "tool"},
	{"prompts/get", 1, "name", "prompt"},
	{"resources/read", 2, "uri", "resource"},
}

func (c call) ask(ctx context.Context, p *Prepared, r *request, notFound int) (string, *Error) {
	// Who has templates only still reads resources.
	if !p.Lists[c.list].Present && (c.list != 2 || !p.Lists[3].Present) {
		return "", unknownMethod(r.Method)
	}
	name, ok := r.text(c.param)
	if !ok {
		return "", &Error{Code: invalidParams, Message: "Invalid params: " + c.param + " is not a string"}
	}
	if args := r.param("arguments"); args != "" && args[0] != '{' && args != "null" {
		return "", &Error{Code: invalidParams, Message: "Invalid params: arguments is not an object"}
	}
	if _, ok := p.names[c.list][name]; !ok && !p.Unlisted {
		return "", c.unknown(r, name, notFound)
	}
	if p.Call == nil {
		return "", &Error{Code: internalError, Message: "Internal error: nothing answers this method"}
	}
	result, err := p.Call(ctx, r.call(name))
	if errors.Is(err, ErrUnknown) {
		return "", c.unknown(r, name, notFound)
	}
	return answered(result, err)
}

func (c call) unknown(r *request, name string, notFound int) *Error {
	if c.list == 2 {
		return &Error{Code: notFound, Message: "Resource not found", Data: `{"uri":` + r.param("uri") + `}`}
	}
	return &Error{Code: invalidParams, Message: "Unknown " + c.what + ": " + clip(name)}
}

// call returns what a State is asked.
func (r *request) call(name string) Call {
	c := Call{Method: r.Method, Name: name, Params: r.Params, ID: r.ID}
	run := r.run
	if run == nil {
		return c
	}
	c.Talk, c.Client, c.Notify, c.Ask = run.talk, run.talk.Client(), run.notify, run.ask
	if r.modern {
		c.Client = r.meta[metaCapabilities]
		c.Ask = func(ctx context.Context, method, params string) (wire.Message, error) {
			if !isCallable(r.Method) {
				return wire.Message{}, ErrUnheard // no other method may be answered that way
			}
			return run.suspend(ctx, r.asked(), method, params)
		}
	}
	return c
}

func isCallable(method string) bool {
	return slices.ContainsFunc(callable, func(c call) bool { return c.method == method })
}

// completion has no value to suggest, for whatever was begun.
func completion(r *request, declared bool) (string, *Error) {
	if !declared {
		return "", unknownMethod(r.Method)
	}
	for _, name := range []string{"ref", "argument"} {
		if v := r.param(name); v == "" || v[0] != '{' {
			return "", &Error{Code: invalidParams, Message: "Invalid params: " + name + " is not an object"}
		}
	}
	return `{"completion":{"values":[],"total":0,"hasMore":false}}`, nil
}

// with adds members to a JSON object unless it has them: first the names, then what to write.
func with(object string, extra ...[2]string) string {
	add := ""
	for _, e := range extra {
		if e[1] != "" && !has(object, e[0]) {
			add += e[1] + ","
		}
	}
	if add == "" {
		return object
	}
	if object == "{}" {
		return "{" + add[:len(add)-1] + "}"
	}
	return "{" + add + object[1:]
}

func has(object, name string) (found bool) {
	_ = rawjson.EachMember(object, 0, func(key, _ rawjson.Span) bool {
		found = rawjson.Unquote(object[key.Start:key.End]) == name
		return !found
	})
	return found
}
