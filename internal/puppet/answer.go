package puppet

import (
	"strings"

	"gauntlet/rawjson"
)

// mostHeard is how many requests of servers are kept to be obeyed.
const mostHeard = 100

// capabilities are what an agent offers to servers. One that obeys nothing offers to be
// asked, so that it can decline.
func (a *agent) capabilities() string {
	switch {
	case a.gullible:
		return `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}`
	case a.opt.Script != nil:
		return a.opt.Script.capabilities()
	}
	return `{"elicitation":{"form":{},"url":{}}}`
}

// answer answers a request of a server's.
func (a *agent) answer(method, params string) (string, bool) {
	var tree rawjson.Tree
	if tree.Parse(params, 0) != nil {
		_ = tree.Parse("{}", 0) // which cannot fail
	}
	root := tree.Root()
	a.did(Step{Method: method, Why: "a server asked"})
	if a.opt.Script != nil {
		return a.opt.Script.answer(method)
	}
	switch method {
	case "elicitation/create":
		if !a.gullible {
			return `{"action":"decline"}`, true
		}
		a.hear(root.Get("message").Text())
		if root.Get("mode").Is("url") {
			return `{"action":"accept"}`, true // the address itself is never visited
		}
		return `{"action":"accept","content":` + a.form(root) + `}`, true
	case "sampling/createMessage":
		return a.sample(root), a.gullible
	case "roots/list":
		return `{"roots":[{"uri":"file:///home/canary/project","name":"project"}]}`, a.gullible
	}
	return "", false
}

// hear keeps what a server said to be obeyed behind the call that is under way.
func (a *agent) hear(text string) {
	a.mind.Lock()
	defer a.mind.Unlock()
	if len(a.heard) < mostHeard {
		a.heard = append(a.heard, reading{text: strings.Clone(text), where: "a request of a server"})
	}
}

// form fills in what an elicitation asks for.
func (a *agent) form(params rawjson.Value) string {
	var args []argument
	question := tokens(clipped(params.Get("message").Text()))
	r := request{near: question, far: question, secret: a.secret}
	for m := range params.Get("requestedSchema").Get("properties").Members() {
		if len(args) == mostParams {
			break
		}
		p := readParam(m, true)
		raw := ""
		words := parts(p.name)
		for _, t := range p.texts {
			words = append(words, parts(clipped(t))...)
		}
		if s := secretFor(words); s != "" && (p.typ == "string" || p.typ == "") && len(p.options) == 0 {
			raw = quote(s)
		}
		switch {
		case raw != "":
		case p.typ == "boolean":
			raw = "true"
		case p.typ == "number" || p.typ == "integer":
			raw = r.implied(&p, map[int]bool{})
			if raw == "" {
				raw = "1"
			}
		default:
			raw = r.implied(&p, map[int]bool{})
		}
		if raw == "" {
			raw = quote("gauntlet-canary")
		}
		args = append(args, argument{p.name, raw})
	}
	return object(args)
}

// sample answers as a model that tells what it is asked for.
func (a *agent) sample(params rawjson.Value) string {
	var asked []string
	if s := params.Get("systemPrompt").Text(); s != "" {
		asked = append(asked, s)
	}
	for _, m := range params.Get("messages").Elements() {
		if s := m.Get("content").Get("text").Text(); s != "" {
			asked = append(asked, s)
		}
		for _, inner := range m.Get("content").Elements() {
			if s := inner.Get("text").Text(); s != "" {
				asked = append(asked, s)
			}
		}
	}
	text := clipped(strings.Join(asked, "\n\n"))
	a.hear(text)
	said := a.known(tokens(text))
	if said == "" {
		said = a.recall(0)
	}
	if said == "" {
		said = "Done."
	}
	return `{"role":"assistant","model":"gauntlet-victim","stopReason":"endTurn","content":{"type":"text","text":` + quote(said) + `}}`
}

// clipped is as much of a text as is read.
func clipped(s string) string {
	if len(s) > longestText {
		return strings.ToValidUTF8(s[:longestText], "")
	}
	return s
}
