package proberun

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
)

// openSession opens a session with the started server: over stdio, or where it is found to listen in its sandbox.
func (r *run) openSession(ctx context.Context) (err error) {
	inTime, cancel := context.WithTimeout(ctx, listenTime)
	defer cancel()
	sealed := r.opened.Sandbox != nil
	switch {
	case r.inside.URL != "":
		at, found := launch.FindEndpoint(inTime, r.opened, launch.Clue{At: r.At, Last: r.inside})
		if !found {
			return fmt.Errorf("%s: it does not listen again", r.opened.Place)
		}
		r.inside = at
	case sealed:
		if r.inside, err = r.shakeHands(ctx); r.inside.URL == "" {
			return err
		}
	}
	if r.inside.URL != "" {
		if err := r.Dialer.SpeakAt(&r.Server, r.opened, r.inside, r.tap); err != nil {
			return err
		}
		r.out.Place = r.opened.Place
	}
	return r.begin(ctx)
}

// listenTime bounds the time from a server's start until it listens.
const listenTime = 60 * time.Second

func (r *run) begin(ctx context.Context) (err error) {
	name, version := r.opened.IntroducedAs("gauntlet", r.Version)
	r.session, err = mcpclient.Open(ctx, r.opened.Conn, mcpclient.Options{
		Name: name, Version: version, Timeout: handshakeTime, Items: r.Limits.Items, Redact: r.opened.Conn.Redact,
		Capabilities: `{"roots":{}}`, Answer: r.answerServer,
	})
	if err != nil {
		return r.explainSilence(err)
	}
	return nil
}

// shakeHands opens the session with a sealed stdio server. If it does not answer there but listens somewhere, the address is
// returned without waiting further.
func (r *run) shakeHands(ctx context.Context) (at launch.Endpoint, err error) {
	inTime, cancel := context.WithCancel(ctx)
	defer cancel()
	var watching sync.WaitGroup
	watching.Go(func() { // ends with the handshake
		if found, ok := launch.FindEndpoint(inTime, r.opened, launch.Clue{At: r.At}); ok {
			at = found
			cancel()
		}
	})
	err = r.begin(inTime)
	cancel()
	watching.Wait()
	if err == nil {
		return launch.Endpoint{}, nil
	}
	return at, err
}

// handshakeTime bounds the wait for the first answer.
const handshakeTime = 30 * time.Second

// explainSilence adds where a server that could not be opened listens.
func (r *run) explainSilence(err error) error {
	err = fmt.Errorf("%s: %w", r.opened.Place, err)
	if r.opened.Sandbox == nil || gone(err) {
		return err
	}
	if sockets, _ := r.opened.Sandbox.Listening(); len(sockets) > 0 { // none if unreadable
		return fmt.Errorf("%w; it listens at %s, and nothing there was recognised as MCP: --at names its address", err, sockets[0])
	}
	return err
}

// ended reports whether the server has ended, by a request's error or its process.
func (r *run) ended(err error) bool {
	if gone(err) || r.session.Err() != nil {
		return true
	}
	if r.inside.URL == "" || r.opened.Process == nil {
		return false
	}
	select {
	case <-r.opened.Process.Exited():
		return true
	default:
		return false
	}
}
