package proberun

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// probePeer probes a server of the tests over HTTP, and returns the findings; trouble says that the run is incomplete.
func probePeer(t *testing.T, p *peer, change func(*Options)) (found []finding.Finding, trouble bool, err error) {
	t.Helper()
	s := httptest.NewServer(&serialised{peer: p})
	defer s.Close()
	o := Options{
		Server: launch.Server{URL: s.URL}, Dialer: launch.Dialer{Environ: append(os.Environ(), "HOME="+t.TempDir()), Sandbox: sandbox.Off},
		AllowCalls: true, Budget: Budget{Calls: 40, Time: time.Minute}, Call: time.Minute,
	}
	change(&o)
	got, err := Run(t.Context(), o)
	if err != nil {
		return nil, false, err
	}
	rep, err := got.Report("test", catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Findings, rep.ExitCode(finding.Critical, false) == result.ExitTrouble, nil
}

// What the protocol probes found is found again by its fingerprint, alone, at a careless server, and not at a careful one.
func TestAgain(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	first, _, err := probePeer(t, &peer{}, func(o *Options) { o.Protocol = true })
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, f := range first {
		if len(f.Related) > 0 || f.Rule == "SEC-021" {
			continue // SEC-021 tells how clients are authenticated, of any server
		}
		tried++
		again := func(o *Options) { o.Fingerprint = f.Fingerprint }
		if got, _, err := probePeer(t, &peer{}, again); err != nil || len(got) != 1 || got[0].Rule != f.Rule || got[0].Fingerprint != f.Fingerprint {
			t.Errorf("%s at the careless server: %v, %v", f.Rule, got, err)
		}
		got, trouble, err := probePeer(t, &peer{careful: true}, again)
		switch f.Rule {
		case "SEC-018", "GNT-410", "GNT-411": // it does not look at hosts, and ends no session
		case "GNT-451", "GNT-452":
			if err == nil { // it refuses the call, and asks for nothing
				t.Errorf("%s at the careful server: %v", f.Rule, got)
			}
		default:
			if err != nil || len(got) != 0 || trouble {
				t.Errorf("%s at the careful server: %v, trouble %t, %v", f.Rule, got, trouble, err)
			}
		}
	}
	if tried < 9 {
		t.Errorf("%d findings were tried again: %v", tried, first)
	}
}

// What a run has no bearing on is an error, and a server that does not answer is no clean result.
func TestAgainWithoutAnswer(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, tt := range []struct {
		name, url, server string
		rules             []finding.Rule
	}{
		{"what was not given", "", "peer", []finding.Rule{"SEC-024", "GNT-446", "GNT-447"}},
		{"no server", closed.URL, "peer", []finding.Rule{"SEC-018"}},
		{"another server", "", "other", []finding.Rule{"SEC-018"}},
	} {
		for _, rule := range tt.rules {
			_, _, err := probePeer(t, &peer{careful: true}, func(o *Options) {
				o.Fingerprint = finding.Fingerprint(string(rule), tt.server)
				if tt.url != "" {
					o.Server.URL = tt.url
				}
			})
			if err == nil {
				t.Errorf("%s, %s: no error", tt.name, rule)
			}
		}
	}
}

// A server that lets nobody in is tried again as well.
func TestAgainRefused(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer s.Close()
	o := Options{Server: launch.Server{URL: s.URL}, Dialer: launch.Dialer{Environ: append(os.Environ(), "HOME="+t.TempDir()), Sandbox: sandbox.Off}, Call: time.Minute}
	first := o
	first.Protocol = true
	got, err := Run(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	o.Fingerprint = finding.Fingerprint("GNT-430", got.Evidence.Server)
	if got, err = Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	rep, err := got.Report("test", catalog.Limits{})
	if err != nil || len(rep.Findings) != 1 || rep.Findings[0].Rule != "GNT-430" {
		t.Errorf("%+v, %v", rep, err)
	}
}
