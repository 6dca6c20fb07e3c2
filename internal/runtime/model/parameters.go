package model

import (
	"regexp"
	"strings"
	"sync"
)

// A parameter is one that some models refuse.
type parameter uint8

const (
	paramTemperature parameter = 1 << iota
	paramMaxTokens             // of which max_completion_tokens takes the place
	paramSchema                // enforced answers: the request says in words what is wanted anyway
)

// omitted is a set of parameters to leave out.
type omitted parameter

func (o omitted) has(p parameter) bool { return o&omitted(p) != 0 }

// reasoning are models that are known to take neither a temperature nor max_tokens.
var reasoning = regexp.MustCompile(`^(o\d|gpt-[5-9])`)

// refusals are the words by which endpoints say that they do not take a parameter.
var refusals = []struct {
	parameter parameter
	words     []string
}{
	{paramMaxTokens, []string{"max_completion_tokens"}},
	{paramTemperature, []string{"temperature"}},
	{paramSchema, []string{"response_format", "json_schema", "tool_choice"}},
}

// An adaptation is what was learnt about the parameters that one model takes.
type adaptation struct {
	mu   sync.Mutex
	omit omitted
}

func newAdaptation(id string) *adaptation {
	a := &adaptation{}
	if reasoning.MatchString(id) {
		a.omit = omitted(paramTemperature | paramMaxTokens)
	}
	return a
}

func (a *adaptation) current() omitted {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.omit
}

// learn reads from the body of an HTTP 400 which parameter was refused, and reports whether a
// request without it is worth a try.
func (a *adaptation) learn(sent omitted, body string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	body = strings.ToLower(body)
	for _, r := range refusals {
		for _, w := range r.words {
			if !sent.has(r.parameter) && strings.Contains(body, w) {
				a.omit |= omitted(r.parameter)
				return true
			}
		}
	}
	return a.omit != sent // another request learnt it meanwhile
}
