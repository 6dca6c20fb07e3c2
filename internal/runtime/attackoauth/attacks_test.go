package attackoauth

import (
	"testing"

	"go.uber.org/goleak"
)

// The matrix: both clients come through where nobody attacks, the careless one falls for everything
// and ours for nothing.
func TestEveryAttackIsProvenBothWays(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	if err := Honest(t.Context(), Careless); err != nil {
		t.Fatalf("the careless client: %v", err)
	}
	for _, public := range []bool{false, true} {
		if err := Honest(t.Context(), Careful(public)); err != nil {
			t.Fatalf("the careful client: %v", err)
		}
	}
	for _, a := range Attacks() {
		t.Run(a.Name, func(t *testing.T) {
			fell, err := Play(t.Context(), &a, Careless)
			if err != nil {
				t.Fatal(err)
			}
			if !fell.Fell {
				t.Errorf("the careless client withstood: %+v", fell)
			}
			withstood, err := Play(t.Context(), &a, Careful(a.Public))
			if err != nil {
				t.Fatal(err)
			}
			if withstood.Fell || withstood.Why == "" {
				t.Errorf("our client: %+v, want that it withstands and says why", withstood)
			}
			t.Logf("careless: %s; careful: %s", fell.What, withstood.Why)
		})
	}
}
