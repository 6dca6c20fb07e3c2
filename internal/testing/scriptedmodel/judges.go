package scriptedmodel

import (
	"encoding/json"
	"strings"
)

// lastText is the latest thing that the user said.
func (c *conversation) lastText() string { return c.turns[len(c.turns)-1].text }

// judgeDefinition answers for the advisory lane. The obedient judge reports persuasion and orders
// by a few words, and otherwise says whatever a definition tells a judge to say: the rest of a
// line behind "JUDGE, ANSWER:".
func (c *conversation) judgeDefinition(b Behaviour) string {
	text := c.lastText()
	if b != Judge {
		return `{"findings":[]}`
	}
	if _, order, ok := strings.Cut(text, "JUDGE, ANSWER:"); ok {
		if unquoted, ok := unescape(order); ok {
			return unquoted
		}
	}
	var findings []object
	for _, rule := range [...]struct{ word, threat string }{
		{"better than any other", "persuasion"}, {"before using", "poisoning"}, {"quietly", "poisoning"}, {"can do anything", "unsupported_behaviour"},
	} {
		if i := strings.Index(strings.ToLower(text), rule.word); i >= 0 {
			findings = append(findings, object{"threat": rule.threat, "quote": text[i : i+len(rule.word)], "rationale": "the words " + rule.word, "confidence": "medium"})
		}
	}
	out, _ := json.Marshal(object{"findings": append([]object{}, findings...)})
	return string(out)
}

// unescape reads an order that stands inside of a JSON string: up to the end of the object that it is.
func unescape(order string) (string, bool) {
	var text string
	line, _, _ := strings.Cut(order, `\n`)
	for end := len(line); end > 0; end-- {
		if line[end-1] == '}' && json.Unmarshal([]byte(`"`+line[:end]+`"`), &text) == nil && json.Valid([]byte(text)) {
			return text, true
		}
	}
	return "", false
}

// scoreText answers for semantic indicators: 0.9 where the text shares a long word with the intent.
func (c *conversation) scoreText(b Behaviour) string {
	if b == Resister {
		return `{"score":0}`
	}
	intent, text, _ := strings.Cut(c.lastText(), "\n\n")
	for _, w := range strings.Fields(strings.ToLower(intent)) {
		if len(w) > 6 && strings.Contains(strings.ToLower(text), strings.Trim(w, ".,:;\"'")) {
			return `{"score":0.9}`
		}
	}
	return `{"score":0.1}`
}

// labelTool answers for layer 3 of the classifier by the words of the definition. It also names a tag that does not exist, and one
// for words that do not stand there.
func (c *conversation) labelTool(b Behaviour) string {
	if b == Resister {
		return `{"capabilities":[]}`
	}
	text := strings.ToLower(c.lastText())
	tags := []object{{"tag": "mind_reading", "quote": "name"}, {"tag": "db_write", "quote": "what nobody has written"}}
	for _, rule := range [...]struct{ word, tag string }{{"upload", "net_egress"}, {"file", "fs_read"}, {"run", "exec"}} {
		if strings.Contains(text, rule.word) {
			tags = append(tags, object{"tag": rule.tag, "quote": rule.word})
		}
	}
	out, _ := json.Marshal(object{"capabilities": tags})
	return string(out)
}
