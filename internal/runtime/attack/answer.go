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
	limited, cancel := a.run.matchContext()
	defer cancel()
	return d.Select(limited, request)
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
