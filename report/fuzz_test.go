package report

import (
	"encoding/json"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// stranger returns a report whose every server-controlled string is s.
func stranger(s string, offset int) *result.Report {
	r := clean()
	loc := finding.Location{Server: s, Kind: finding.Tool, Item: s, Pointer: "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s), File: s}
	r.Findings = []finding.Finding{{Rule: "SEC-001", Name: "n", Severity: finding.High, Message: s, Advice: s, Location: loc,
		Evidence: finding.Evidence{Raw: s, Normalized: s + "x", Start: offset & 0xFFFF, End: offset&0xFFFF + len(s)}, Fingerprint: "f"}}
	r.Problems = []finding.Problem{{Kind: finding.Unread, Message: s, Location: loc}}
	r.Skipped = []result.Skip{{Rule: "SEC-002", Name: "n", Needs: s}}
	r.Posture = []result.Signal{{ID: "P", Layer: s, Name: s, State: result.Seen, Detail: s}}
	r.Coverage.Servers = []result.ServerCoverage{{Server: s, File: s}}
	r.Coverage.Checks = []result.CheckCoverage{{Rule: "SEC-001", Name: "n", State: "failed", Reason: s}}
	return r
}

func seed(f *testing.F) {
	f.Add(hostile, 0)
	f.Add("plain", 3)
	f.Add("a\nb\nc\nd\ne", 1)
	f.Add("../..", 0)
	f.Add("", 0)
}

func FuzzJSON(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string, offset int) {
		out := render(t, "json", stranger(s, offset), Options{})
		mustMatch(t, reportSchema, out)
		mustBeCalm(t, out, false)
		var back result.Report
		if err := json.Unmarshal([]byte(out), &back); err != nil {
			t.Fatal(err)
		}
		if got, want := back.Findings[0].Evidence.Raw, decoded(s); got != want {
			t.Errorf("evidence %q, want %q", got, want)
		}
	})
}

func FuzzSARIF(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string, offset int) {
		out := render(t, "sarif", stranger(s, offset), Options{})
		mustMatch(t, sarifLogSchema, out)
		mustBeCalm(t, out, false)
		var back struct {
			Runs []struct {
				Results []struct {
					Properties struct{ Evidence finding.Evidence }
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &back); err != nil {
			t.Fatal(err)
		}
		if got, want := back.Runs[0].Results[0].Properties.Evidence.Raw, decoded(s); got != want {
			t.Errorf("evidence %q, want %q", got, want)
		}
	})
}

func FuzzPretty(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string, offset int) {
		for _, opt := range []Options{{}, {Color: true, Width: offset & 0xFF}} {
			page := render(t, "pretty", stranger(s, offset), opt)
			mustBeCalm(t, page, opt.Color)
			mustFit(t, page, opt.Width)
		}
	})
}

// decoded is what JSON makes of ill-formed text: one U+FFFD for each bad byte.
func decoded(s string) string { return string([]rune(s)) }
