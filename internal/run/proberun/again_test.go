package proberun

import (
	"io"
	"net/http/httptest"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

// sentAgain are the exchanges that the rule of a probe rests on.
func sentAgain(t *testing.T, p *probing.Probe, e *probe.Protocol) []probe.Exchange {
	t.Helper()
	rule, exchanges := probing.Recorded(finding.Fingerprint(string(p.Rule.ID), "s"), "s", e)
	if rule != p.Rule.ID {
		t.Fatalf("%s is found as %q", p.Rule.ID, rule)
	}
	return exchanges
}

// What a finding rests on, sent again, shows the same of the careless server, and nothing of the
// careful one.
func TestAgain(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	plan := Plan{Calls: []Call{note}}
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	careless, careful := httptest.NewServer(&serialised{peer: &peer{}}), httptest.NewServer(&serialised{peer: &peer{careful: true}})
	defer careless.Close()
	defer careful.Close()
	recorded := probeHTTP(t.Context(), protocolTarget{URL: careless.URL, Plan: plan}, transport)
	sent := 0
	for _, p := range probing.Probes() {
		if p.Rule.ID == "" || p.Effect == probe.Load {
			continue
		}
		exchanges := sentAgain(t, &p, recorded)
		if exchanges == nil || p.Read(recorded).State != probing.Broken {
			continue
		}
		sent++
		if v := p.Read(againHTTP(t.Context(), protocolTarget{URL: careless.URL}, transport, recorded, exchanges)); v.State != probing.Broken {
			t.Errorf("%s, sent again to the careless server: %+v", p.ID, v)
		}
		resists := againHTTP(t.Context(), protocolTarget{URL: careful.URL}, transport, recorded, exchanges)
		if why := resists.Unsent[Again]; why != "" {
			t.Errorf("%s, sent to the careful server: %s", p.ID, why)
		}
		if v := p.Read(resists); v.State == probing.Broken {
			t.Errorf("%s, sent to the careful server: %s", p.ID, v.Text)
		}
	}
	if sent < 9 {
		t.Errorf("%d probes were sent again", sent)
	}
}

func TestAgainOverStdio(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var servers sync.WaitGroup
	open := func(careful bool) Opener {
		return func() (wire.Conn, error) {
			ourIn, theirOut := io.Pipe()
			theirIn, ourOut := io.Pipe()
			servers.Go(func() {
				(&peer{careful: careful}).speak(theirIn, theirOut)
				_ = theirOut.Close()
				_ = theirIn.Close()
			})
			return wire.NewStream(ourIn, ourOut, wire.Limits{}), nil
		}
	}
	recorded := probeStdio(t.Context(), open(false), Plan{Calls: []Call{note}}, patient)
	sent := 0
	for _, p := range probing.Probes() {
		if p.Rule.ID == "" || p.Read(recorded).State != probing.Broken {
			continue
		}
		exchanges := sentAgain(t, &p, recorded)
		if exchanges == nil {
			continue
		}
		sent++
		if v := p.Read(againStdio(t.Context(), open(false), recorded, exchanges, patient)); v.State != probing.Broken {
			t.Errorf("%s, sent again to the careless server: %+v", p.ID, v)
		}
		resists := againStdio(t.Context(), open(true), recorded, exchanges, patient)
		if why := resists.Unsent[Again]; why != "" {
			t.Errorf("%s, sent to the careful server: %s", p.ID, why)
		}
		if v := p.Read(resists); v.State == probing.Broken {
			t.Errorf("%s, sent to the careful server: %s", p.ID, v.Text)
		}
	}
	if sent < 8 {
		t.Errorf("%d probes were sent again", sent)
	}
	servers.Wait()
}

// A server that is not there shows nothing: not that it resists, and not that it ended at a message.
func TestAgainWithoutAServer(t *testing.T) {
	ends := []probe.Exchange{{ID: "P18", Step: "x", Effect: probe.Reads, Sent: "{}", Era: probe.Handshake, Gone: true}}
	closed := httptest.NewServer(nil)
	closed.Close()
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	none := func() (wire.Conn, error) { return nil, io.EOF }
	for _, e := range []*probe.Protocol{
		againHTTP(t.Context(), protocolTarget{URL: closed.URL}, transport, &probe.Protocol{Transport: "http"}, ends),
		againStdio(t.Context(), none, &probe.Protocol{Transport: "stdio"}, ends, patient),
	} {
		if e.Unsent[Again] != notOpened || len(e.Exchanges) != 0 {
			t.Errorf("%s: %+v", e.Transport, e)
		}
	}
}

// One end over stdio, without a second, is neither an answer nor a proof; a ping answered is enough
// where the recorded run had no answer.
func TestIsMissing(t *testing.T) {
	ended := &probe.Exchange{Era: probe.Handshake, Gone: true}
	if !isMissing("stdio", ended, ended) || isMissing("http", ended, ended) || isMissing("stdio", ended, &probe.Exchange{Gone: true, Again: true}) {
		t.Error("an end is taken wrongly")
	}
	if isMissing("stdio", ended, &probe.Exchange{Alive: true}) || !isMissing("stdio", &probe.Exchange{Era: probe.Stateless}, &probe.Exchange{Alive: true}) {
		t.Error("silence is taken wrongly")
	}
}
