package proberun

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
)

// learnSeed records the required beginning of a value, with its example in the tool's description.
func (r *run) learnSeed(t *target, c schemafill.Complaint) {
	if c.Start == "" || t.seed != "" || c.Others(t.Parameter.Path) {
		return
	}
	t.seed = c.Start
	if example := exampleWith(t.tool.description, c.Start); example != "" {
		t.seed = example
	}
}

// endingWord matches a file extension in an error.
var endingWord = lazyregexp.New(`(?:^|[\s'"\x60(,])\.([a-z][a-z0-9]{1,4})\b`)

// learnEnding gives a payload that leads to a planted file the extension that an error asks for. It reports whether repeating the
// call is worthwhile.
func (r *run) learnEnding(a *attempt) bool {
	t := a.target
	if !a.answer.Failed || t.ending != "" || a.payload.Leads != "outside" {
		return false
	}
	for _, m := range endingWord.FindAllStringSubmatch(a.answer.Text[:min(len(a.answer.Text), 4<<10)], 10) {
		if slices.Contains(plantedEndings, m[1]) {
			t.ending = "." + m[1]
			return t.asksFor(&a.payload)
		}
	}
	return false
}

// asksFor changes a payload to the planted file of the type that the tool accepts. It reports whether it changed anything.
func (t *target) asksFor(p *Payload) bool {
	text, isText := p.Value.(string)
	if !isText || t.ending == "" || p.Leads != "outside" || !strings.HasSuffix(text, "/canary.txt") {
		return false
	}
	p.set(strings.TrimSuffix(text, ".txt") + t.ending)
	return true
}

// exampleWith returns the first part of a description that begins with a word: a quoted one, or the rest of a line.
func exampleWith(description, start string) string {
	for line := range strings.SplitSeq(description, "\n") {
		at := strings.Index(line, start+" ")
		if at < 0 || at > 0 && (line[at-1] == '/' || line[at-1] == '-') {
			continue
		}
		example := line[at:]
		if end := strings.IndexAny(example, "\"'`|;()"); end > 0 {
			example = example[:end]
		}
		if example = strings.TrimSpace(example); len(example) < 120 {
			return example
		}
	}
	return ""
}

// seedsOf returns the ordinary values that a target's payloads are appended to, best first.
func seedsOf(t *target, g *testbed) []string {
	out := []string{}
	if t.seed != "" {
		out = append(out, t.seed)
	}
	if example := t.Parameter.Example(); example != "" {
		out = append(out, example)
	}
	switch t.Role {
	case capability.URL:
		out = append(out, fmt.Sprintf("http://127.0.0.1:%d/", g.port))
	case capability.Path:
		out = append(out, "x", g.place.Root+"/notes.txt")
	case capability.Host:
		out = append(out, "localhost")
	default:
		out = append(out, "x")
	}
	// Payloads that stand alone are the same for every seed.
	if t.Class != probe.CommandInjection {
		return out[:1]
	}
	out = out[:min(len(out), 2)]
	if t.tool.started != "" { // some tools accept only what begins like the commands they run
		out = append(out, t.tool.started)
	}
	return out
}
