package probe

import (
	"reflect"
	"testing"
)

// A trial is the same after it was written and read.
func TestTrialRecord(t *testing.T) {
	for _, o := range []Outcome{
		Prove(&Proof{Kind: Content, Observed: "seen", Variant: "../", Payload: "p", Method: "tools/call", Arguments: "{}"}),
		Resist(3, 2, ""), ByDesign.Because("it is for that"), Inconclusive.Because("as any value"), NotDelivered.Because("refused"),
	} {
		want := Trial{Tool: "read", Parameter: "files[].path", Class: PathTraversal, Basis: "role path", Planned: true, Outcome: o}
		got, err := ParseTrial(want.Encode())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
	}
}

// A record cannot claim what a run could not.
func TestTrialRecordClaims(t *testing.T) {
	for _, raw := range []string{
		`{"outcome":"proved"}`, `{"outcome":"resisted"}`, `{"outcome":"resisted","delivered":-1}`, `{"outcome":""}`, `{}`, `null`, `7`,
	} {
		if got, err := ParseTrial(raw); err == nil {
			t.Errorf("%s was taken for %+v", raw, got)
		}
	}
}

func TestEvidenceRecord(t *testing.T) {
	want := Evidence{Server: "s", None: []Class{CRLF}, Cut: "time", Calls: 7, Ground: "sandbox", Supplied: []string{"API_KEY"}, Protocol: &Protocol{Transport: "stdio", Exchanges: []Exchange{{ID: "P18"}}, Unsent: map[string]string{"P23": "load"}}}
	got, snapshot, err := ParseEvidence(want.Encode(`{"tools":[]}`))
	if err != nil || snapshot != `{"tools":[]}` || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %q, %v", got, snapshot, err)
	}
}

// FuzzParseTrial: what is read and written again is read the same.
func FuzzParseTrial(f *testing.F) {
	f.Add(`{"outcome":"resisted","delivered":2,"answered":9}`)
	f.Fuzz(func(t *testing.T, raw string) {
		first, err := ParseTrial(raw)
		if err != nil {
			return
		}
		again, err := ParseTrial(first.Encode())
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("%+v came back as %+v, %v", first, again, err)
		}
	})
}
