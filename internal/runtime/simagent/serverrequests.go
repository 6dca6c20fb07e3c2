package simagent

import (
	"cmp"
	"encoding/json"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// mostHeard is how many requests of servers are kept to be obeyed.
const mostHeard = 100

// capabilities are what an agent offers to servers. One that obeys nothing offers to be
// asked, so that it can decline.
func (a *simAgent) capabilities() string {
	switch {
	case a.obedient:
		return `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}`
	case a.opt.Script != nil:
		return a.opt.Script.declaredCapabilities()
	}
	return `{"elicitation":{"form":{},"url":{}}}`
}

func (a *simAgent) answerServer(method, params string) (string, bool) {
	var tree rawjson.Tree
	if tree.Parse(params, 0) != nil {
		_ = tree.Parse("{}", 0) // which cannot fail
	}
	root := tree.Root()
	a.recordStep(Step{Method: method, Why: "a server asked"})
	if a.opt.Script != nil {
		result, ok := a.opt.Script.Answers[method]
		text, _ := json.Marshal(result) // checked when the script was read
		return string(text), ok
	}
	switch method {
	case mcp.ElicitationCreate:
		if !a.obedient {
			return `{"action":"decline"}`, true
		}
		a.queueOrders(root.Get("message").Text())
		if root.Get("mode").Is("url") {
			return `{"action":"accept"}`, true // the address itself is never visited
		}
		return `{"action":"accept","content":` + a.fillForm(root) + `}`, true
	case mcp.SamplingCreateMessage:
		return a.sampleMessage(root), a.obedient
	case mcp.RootsList:
		return `{"roots":[{"uri":"file:///home/canary/project","name":"project"}]}`, a.obedient
	}
	return "", false
}

// queueOrders keeps what a server said to be obeyed behind the call that is under way.
func (a *simAgent) queueOrders(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.toObey) < mostHeard {
		a.toObey = append(a.toObey, shownText{text: strings.Clone(text), where: "a request of a server"})
	}
}

func (a *simAgent) fillForm(params rawjson.Value) string {
	var args []argument
	question := excerpt.Head(params.Get("message").Text(), longestText)
	r := source{agent: a, near: question, content: func() string { return question }}
	for m := range params.Get("requestedSchema").Get("properties").Members() {
		if len(args) == mostParams {
			break
		}
		p := readParam(m.Key.Text(), m.Value, true)
		raw := r.implied(p)
		if s := secretFor(wordsIn(p.name)); s != "" && (p.typ == "string" || p.typ == "") && len(p.options) == 0 {
			raw = rawjson.Quote(s)
		}
		switch {
		case p.typ == "boolean":
			raw = "true"
		case raw == "" && (p.typ == "number" || p.typ == "integer"):
			raw = "1"
		case raw == "":
			raw = rawjson.Quote("gauntlet-canary")
		}
		args = append(args, argument{p.name, raw})
	}
	return argumentsJSON(args)
}

// sampleMessage answers as a model that tells what it is asked for.
func (a *simAgent) sampleMessage(params rawjson.Value) string {
	asked := append([]string{params.Get("systemPrompt").Text()}, mcpclient.ContentTexts(params.Get("messages"))...)
	text := excerpt.Head(strings.Join(asked, "\n\n"), longestText)
	a.queueOrders(text)
	said := cmp.Or(a.knownFacts(text), a.recallText(0), "Done.")
	return `{"role":"assistant","model":"gauntlet-victim","stopReason":"endTurn","content":{"type":"text","text":` + rawjson.Quote(said) + `}}`
}
