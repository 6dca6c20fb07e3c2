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
	// mostSuspended bounds the suspended calls of all clients, and suspendedBytes their total size.
	mostSuspended  = 10_000
	suspendedBytes = 256 << 20
	mostRounds     = 32
)

// answerKey names the question in an input_required result.
const answerKey = "input"

// suspendedCalls holds calls of 2026-07-28 that asked something, by requestState. Each state is valid once.
type suspendedCalls struct {
	mu      sync.Mutex
	bytes   int
	byState map[string]*suspendedCall // nil until something is asked
}

// wasUsed reports whether any call was ever suspended: a server that never asks need not look for its own states.
func (s *suspendedCalls) wasUsed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byState != nil
}

// ownState prefixes our requestStates, to tell them from those of servers behind a Relay.
const ownState = "gauntlet."

// A suspendedCall is a call that waits to be repeated with an answer.
type suspendedCall struct {
	session *Session
	callDigest
	run    *runningRequest
	resume chan string // gets the answers, a JSON object; buffered
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

// takeSuspended removes and returns the call waiting for this state, if the same client repeats the same call.
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

// dropSuspended removes a state, and reports whether it existed.
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

// askByResult asks the client as in 2026-07-28: the request is answered with input_required, and the client repeats it with the
// answer.
func (r *runningRequest) askByResult(ctx context.Context, call callDigest, method, params string) (wire.Message, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	params, err := compactParams(params)
	if err != nil {
		return wire.Message{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.session.answerWait(), ErrNoAnswer)
	defer cancel()
	// params may be omitted, but official clients require them here.
	want := rawjson.Build(answerKey, rawjson.Build("method", rawjson.Quote(method), "params", cmp.Or(params, "{}")))
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

// suspendOnce suspends the call once and returns the client's answers.
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
		return <-x.resume, nil // it arrived at the last moment, and the request needs an answer
	}
	return "", context.Cause(ctx)
}

// resumeSuspended passes a repeated request to the suspended call, which then answers it.
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

// callDigest identifies a client's call.
type callDigest struct {
	call  string // hash of method and arguments, independent of member order
	bytes int    // size of the request
}

func (r *request) digestCall() callDigest {
	args := r.rawParam("arguments")
	if v := rawjson.Read(args); v.Exists() {
		args = v.Canonical()
	}
	name, uri := r.params["name"], r.params["uri"]
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Method, name, uri, args}, "\x00")))
	return callDigest{string(sum[:]), len(r.Raw)}
}
