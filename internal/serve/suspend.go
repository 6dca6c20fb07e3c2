package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"

	"gauntlet/internal/wire"
	"gauntlet/rawjson"
)

const (
	// mostSuspended is how many calls of all clients may wait for being sent again, and
	// suspendedBytes how long all of them may be together.
	mostSuspended  = 10_000
	suspendedBytes = 256 << 20
	// mostRounds is how often one call may ask.
	mostRounds = 32
)

// answerKey names the one question of an input_required result.
const answerKey = "input"

// suspended are the calls of 2026-07-28 that asked something, by their requestState. Each
// state is good once.
type suspended struct {
	mu    sync.Mutex
	bytes int
	of    map[string]*suspension // nil as long as nothing was ever asked
}

// used reports whether any call was ever suspended: a server that never asks has no state
// of its own to look for.
func (s *suspended) used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of != nil
}

// A suspension is a call that waits for being sent again with an answer.
type suspension struct {
	talk *Talk
	asked
	run    *running
	resume chan string // gets the answers, a JSON object; has room for one
}

func (s *suspended) add(state string, x *suspension) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.of) >= mostSuspended || s.bytes+x.bytes > suspendedBytes {
		return false
	}
	s.bytes += x.bytes
	if s.of == nil {
		s.of = map[string]*suspension{}
	}
	s.of[state] = x
	return true
}

// take returns and forgets what waits for this state, if it is the same client that calls
// the same thing.
func (s *suspended) take(state string, t *Talk, call string) *suspension {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[state]
	if x == nil || x.talk != t || x.call != call {
		return nil
	}
	s.bytes -= x.bytes
	delete(s.of, state)
	return x
}

// drop forgets a state, and reports whether it was there.
func (s *suspended) drop(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.of[state]
	if ok {
		s.bytes -= x.bytes
		delete(s.of, state)
	}
	return ok
}

// suspend asks the client in the way of 2026-07-28: the request is answered with what it
// takes, and the client sends it again with that.
func (r *running) suspend(ctx context.Context, call asked, method, params string) (wire.Message, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	params, err := compactParams(params)
	if err != nil {
		return wire.Message{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.talk.wait(), ErrNoAnswer)
	defer cancel()
	// A request without params is well-formed, but official clients want some here.
	want := `{"` + answerKey + `":{"method":` + quote(method) + paramsMember(orElse(params, "{}")) + `}}`
	for r.rounds < mostRounds {
		r.rounds++
		answers, err := r.input(ctx, call, want)
		if err != nil {
			return wire.Message{}, err
		}
		for _, a := range values(answers, answerKey) {
			return wire.Message{Raw: a, Kind: wire.Response, Method: method, Result: a}, nil
		}
	}
	return wire.Message{}, errors.New("the client sent the request again too often")
}

// input suspends the call once and returns what the client brought.
func (r *running) input(ctx context.Context, call asked, want string) (string, error) {
	state := rand.Text()
	x := &suspension{talk: r.talk, asked: call, run: r, resume: make(chan string, 1)}
	held := &r.server.suspended
	if !held.add(state, x) {
		return "", errors.New("too many calls wait for their clients")
	}
	id := r.answers()
	c, silent := r.leave()
	if c == nil || silent {
		held.drop(state)
		return "", ErrOver
	}
	c.say(succeed(id, `{"resultType":"input_required","inputRequests":`+want+`,"requestState":"`+state+`"}`))
	c.free()
	select {
	case answers := <-x.resume:
		return answers, nil
	case <-r.talk.over:
		held.drop(state)
		return "", ErrOver
	case <-ctx.Done():
	}
	if !held.drop(state) {
		return <-x.resume, nil // it came at the last moment, and the request wants its answer
	}
	return "", context.Cause(ctx)
}

// resume hands a request that was sent again to the call that waits for it, which then
// answers it.
func (req *request) resume() *Error {
	r := req.run
	state, _ := req.text("requestState")
	x := r.server.suspended.take(state, r.talk, req.asked().call)
	if x == nil {
		return &Error{Code: invalidParams, Message: "Invalid params: requestState is unknown, was used before, or belongs to another request"}
	}
	answers := req.param("inputResponses")
	c, silent := r.leave()
	x.run.mu.Lock()
	x.run.carrier, x.run.id, x.run.silent = c, req.ID, silent
	x.run.mu.Unlock()
	if c != nil {
		c.owner(x.run)
	}
	x.resume <- answers
	return nil
}

// asked is what a client calls.
type asked struct {
	call  string // with what arguments: equal for the same, whatever the order of members
	bytes int    // of the request
}

func (r *request) asked() asked {
	var tree rawjson.Tree
	args := r.param("arguments")
	if args != "" && tree.Parse(args, 0) == nil {
		args = tree.Root().Canonical()
	}
	name, uri := r.params["name"], r.params["uri"]
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Method, name, uri, args}, "\x00")))
	return asked{string(sum[:]), len(r.Raw)}
}
