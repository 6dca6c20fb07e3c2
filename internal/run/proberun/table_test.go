package proberun

import (
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
)

var update = flag.Bool("update", false, "write the goldens")

// note is the call of the peers' tool.
var note = Call{
	Tool: "note", Arguments: `{"text":"example"}`, OutputSchema: `{"type":"object","properties":{"length":{"type":"integer"}},"required":["length"]}`,
	Right: `{"text":"gauntletright"}`, Wrong: `{"text":["gauntletwrong"]}`, RightValue: "gauntletright", WrongValue: "gauntletwrong",
}

// patient waits as long as a busy machine may need. The peers answer in order, so that nothing comes
// after the answer to a later message.
var patient = waits{first: time.Minute, next: time.Minute, alive: time.Minute, grace: time.Millisecond}

// peersAsked are the conversations with the peers of the tests, by name.
func peersAsked(t *testing.T) map[string]*probe.Protocol {
	t.Helper()
	out := map[string]*probe.Protocol{}
	plan := Plan{Calls: []Call{note}, Burst: 6}
	for _, careful := range []bool{false, true} {
		name := "careless"
		if careful {
			name = "careful"
		}
		for _, token := range []string{"", "own"} {
			s := httptest.NewServer(&serialised{peer: &peer{careful: careful, token: token}})
			transport := wire.NewTransport()
			e := probeHTTP(t.Context(), protocolTarget{URL: s.URL, Place: "http://peer.example/mcp", Token: token, Plan: plan}, transport)
			transport.CloseIdleConnections()
			s.Close()
			e.Listening = nil // of this machine
			e.Burst.Seconds = 1
			kind := "http"
			if token != "" {
				kind = "http with a token"
			}
			out[name+" over "+kind] = e
		}
		var servers sync.WaitGroup
		e := probeStdio(t.Context(), func() (wire.Conn, error) {
			ourIn, theirOut := io.Pipe()
			theirIn, ourOut := io.Pipe()
			servers.Go(func() {
				(&peer{careful: careful}).speak(theirIn, theirOut)
				_ = theirOut.Close()
				_ = theirIn.Close()
			})
			return wire.NewStream(ourIn, ourOut, wire.Limits{}, nil), nil
		}, plan, patient)
		servers.Wait()
		out[name+" over stdio"] = e
	}
	return out
}

// Each probe with an analysis of its own says of a careless and of a careful server what its golden says.
func TestProbes(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	asked := peersAsked(t)
	states := map[probing.State]string{probing.Unprobed: "not probed", probing.Held: "seen", probing.Broken: "NOT SEEN"}
	got := map[string]string{}
	for _, p := range probing.Probes() {
		if p.Judge == nil {
			continue // a check of its own judges it
		}
		for _, peer := range []string{"careless over http", "careful over http", "careless over http with a token", "careful over http with a token", "careless over stdio", "careful over stdio"} {
			v := p.Read(asked[peer])
			got[p.ID] += fmt.Sprintf("%s: %s: %s\n", peer, states[v.State], v.Text)
			if v.State == probing.Broken && strings.HasPrefix(peer, "careful") {
				t.Errorf("%s, false alarm on the %s server: %s", p.ID, peer, v.Text)
			}
		}
	}
	for id, text := range got {
		file := filepath.Join("testdata", id+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != text {
			t.Errorf("%s: got\n%s, want\n%s (%v)", id, text, want, err)
		}
	}
}
