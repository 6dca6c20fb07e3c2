package mcpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
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

// suspendedCalls are the calls of 2026-07-28 that asked something, by their requestState. Each
// state is good once.
type suspendedCalls struct {
	mu      sync.Mutex
	bytes   int
	byState map[string]*suspendedCall // nil as long as nothing was ever asked
}

// wasUsed reports whether any call was ever suspended: a server that never asks has no state
// of its own to look for.
func (s *suspendedCalls) wasUsed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byState != nil
}

// ownState is how the states of calls begin that wait here, by which they are told from those of servers behind a Relay.
const ownState = "gauntlet."

func isOwnState(raw string) bool { return strings.HasPrefix(raw, `"`+ownState) }

// A suspendedCall is a call that waits for being sent again with an answer.
type suspendedCall struct {
	session *Session
	callDigest
	run    *runningRequest
	resume chan string // gets the answers, a JSON object; has room for one
}

func (s *suspendedCalls) addSuspended(state string, x *suspendedCall) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byState) >= mostSuspended || s.bytes+x.bytes > suspendedBytes {
		return false
	}
	s.bytes += x.bytes
	if s.byState == nil {
		s.byState = map[string]*suspendedCall{}
	}
	s.byState[state] = x
	return true
}

// takeSuspended returns and forgets what waits for this state, if it is the same client that calls
// the same thing.
func (s *suspendedCalls) takeSuspended(state string, t *Session, call string) *suspendedCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byState[state]
	if x == nil || x.session != t || x.call != call {
		return nil
	}
	s.bytes -= x.bytes
	delete(s.byState, state)
	return x
}

// dropSuspended forgets a state, and reports whether it was there.
func (s *suspendedCalls) dropSuspended(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.byState[state]
	if ok {
		s.bytes -= x.bytes
		delete(s.byState, state)
	}
	return ok
}

// askByResult asks the client in the way of 2026-07-28: the request is answered with what it
// takes, and the client sends it again with that.
func (r *runningRequest) askByResult(ctx context.Context, call callDigest, method, params string) (wire.Message, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	params, err := compactParams(params)
	if err != nil {
		return wire.Message{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.session.answerWait(), ErrNoAnswer)
	defer cancel()
	// A request without params is well-formed, but official clients want some here.
	want := `{"` + answerKey + `":{"method":` + rawjson.Quote(method) + paramsMember(cmp.Or(params, "{}")) + `}}`
	for r.rounds < mostRounds {
		r.rounds++
		answers, err := r.suspendOnce(ctx, call, want)
		if err != nil {
			return wire.Message{}, err
		}
		for _, a := range memberValues(answers, answerKey) {
			return wire.Message{Raw: a, Kind: wire.Response, Method: method, Result: a}, nil
		}
	}
	return wire.Message{}, errors.New("the client sent the request again too often")
}

// suspendOnce suspends the call once and returns what the client brought.
func (r *runningRequest) suspendOnce(ctx context.Context, call callDigest, want string) (string, error) {
	state := ownState + rand.Text()
	x := &suspendedCall{session: r.session, callDigest: call, run: r, resume: make(chan string, 1)}
	held := &r.server.suspended
	if !held.addSuspended(state, x) {
		return "", errors.New("too many calls wait for their clients")
	}
	id := r.answeredID()
	c, silent := r.detachResponder()
	if c == nil || silent {
		held.dropSuspended(state)
		return "", ErrSessionEnded
	}
	c.sendAnswer(resultReply(id, `{"resultType":"input_required","inputRequests":`+want+`,"requestState":"`+state+`"}`))
	c.letOthersPass()
	select {
	case answers := <-x.resume:
		return answers, nil
	case <-r.session.over:
		held.dropSuspended(state)
		return "", ErrSessionEnded
	case <-ctx.Done():
	}
	if !held.dropSuspended(state) {
		return <-x.resume, nil // it came at the last moment, and the request wants its answer
	}
	return "", context.Cause(ctx)
}

// resumeSuspended hands a request that was sent again to the call that waits for it, which then
// answers it.
func (req *request) resumeSuspended() *Error {
	r := req.run
	state, _ := req.stringParam("requestState")
	x := r.server.suspended.takeSuspended(state, r.session, req.digestCall().call)
	if x == nil {
		return &Error{Code: mcp.CodeInvalidParams, Message: "Invalid params: requestState is unknown, was used before, or belongs to another request"}
	}
	answers := req.rawParam("inputResponses")
	c, silent := r.detachResponder()
	x.run.mu.Lock()
	x.run.responder, x.run.id, x.run.silent = c, req.ID, silent
	x.run.mu.Unlock()
	if c != nil {
		c.setRunning(x.run)
	}
	x.resume <- answers
	return nil
}

// callDigest is what a client calls.
type callDigest struct {
	call  string // with what arguments: equal for the same, whatever the order of members
	bytes int    // of the request
}

func (r *request) digestCall() callDigest {
	var tree rawjson.Tree
	args := r.rawParam("arguments")
	if args != "" && tree.Parse(args, 0) == nil {
		args = tree.Root().Canonical()
	}
	name, uri := r.params["name"], r.params["uri"]
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Method, name, uri, args}, "\x00")))
	return callDigest{string(sum[:]), len(r.Raw)}
}
