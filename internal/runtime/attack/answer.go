package attack

import (
	"context"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// SelectEntry returns the entry of a dispatch list for a request, absent if there is no list or none fits.
func (a *Actor) SelectEntry(list, request rawjson.Value) (rawjson.Value, error) {
	if !list.Exists() {
		return list, nil
	}
	d, err := match.ParseDispatch(list)
	if err != nil {
		return rawjson.Value{}, err
	}
	limited, cancel := a.MatchContext()
	defer cancel()
	return d.Select(limited, request)
}

// ReadAction returns the message that an entry of a state's actions sends. It reports false, with a notice, if that is none.
func (a *Actor) ReadAction(phase int, action rawjson.Value, latest Exchange) (method, params string, ok bool) {
	x := a.ExpanderUpon(latest)
	method, err := x.ExpandText(action.Get("method").Text())
	params = "{}"
	if v := Member(action, "params"); err == nil && v.Exists() {
		params, err = x.ExpandValue(v)
	}
	a.NoteMissing(phase, x)
	switch {
	case err != nil:
		a.Notice(Unplayed, phase, "the action %q is left out: %v", action.Get("method").Text(), err)
	case method == "":
		a.Notice(Unplayed, phase, "an action has no method and is left out; the form is {method, params}")
	default:
		ok = true
	}
	return method, params, ok
}

// WithRequest returns an answer's content together with its request's params, in a member that SDK §4.1 requires without naming
// it. The judge of traces uses the same.
func WithRequest(content rawjson.Value, params string) rawjson.Value {
	if content.Kind() != rawjson.Object {
		return content
	}
	return rawjson.Read(rawjson.Join(content.Raw(), rawjson.Build("_request", params)))
}

// Content returns what an entry answers with: a model's text if the entry asks for one, else its content with templates expanded, ""
// if it has none. take returns the answer in what the model wrote.
func (a *Actor) Content(ctx context.Context, phase int, entry rawjson.Value, x *Expander, f Form, take func(written rawjson.Value) rawjson.Value) (string, error) {
	content := Member(entry, "content")
	if Member(entry, "synthesize").Exists() {
		written, err := a.Synthesize(ctx, phase, entry, x, f)
		if err == nil {
			return take(written).Raw(), nil
		}
		if !content.Exists() {
			return "", err
		}
	}
	if !content.Exists() {
		return "", nil
	}
	return x.ExpandValue(content)
}
