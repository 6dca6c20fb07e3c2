package model

import (
	"strings"
	"sync"

	"gauntlet/internal/leaf/lazyregexp"
)

// A parameter is a request parameter that some models reject.
type parameter uint8

const (
	paramTemperature parameter = 1 << iota
	paramMaxTokens             // replaced by max_completion_tokens
	paramSchema                // enforced structure: the request also describes it in words
)

type omitted parameter

func (o omitted) has(p parameter) bool { return o&omitted(p) != 0 }

// reasoning matches models known to reject temperature and max_tokens.
var reasoning = lazyregexp.New(`^(o\d|gpt-[5-9])`)

// refusals match the messages by which endpoints reject a parameter.
var refusals = []struct {
	parameter parameter
	words     []string
}{
	{paramMaxTokens, []string{"max_completion_tokens"}},
	{paramTemperature, []string{"temperature"}},
	{paramSchema, []string{"response_format", "json_schema", "tool_choice"}},
}

// An adaptation records which parameters a model accepts.
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

// learn reads the rejected parameter from the body of an HTTP 400, and reports whether a request without it is worth a try.
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
	return a.omit != sent // another request learnt it in the meantime
}
