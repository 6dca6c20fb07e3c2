package probe

import (
	"encoding/json"
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
		got, err := ParseTrial(encode(want))
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

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestEvidenceRecord(t *testing.T) {
	want := Evidence{Server: "s", None: []Class{CRLF}, Cut: "time", Calls: 7, Ground: "sandbox", Supplied: []string{"API_KEY"}, Protocol: &Protocol{Transport: "stdio", Exchanges: []Exchange{{ID: "P18"}}, Unsent: map[string]string{"P23": "load"}}, Snapshot: `{"tools":[]}`}
	var got Evidence
	if err := json.Unmarshal([]byte(encode(want)), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
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
		again, err := ParseTrial(encode(first))
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("%+v came back as %+v, %v", first, again, err)
		}
	})
}
