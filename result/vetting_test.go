package result

import "testing"

func TestHostileFaults(t *testing.T) {
	for kind, want := range map[string]bool{
		FaultOutside: true, FaultLink: true, FaultSpecial: true, FaultBomb: true,
		FaultLimit: false, FaultBroken: false, "": false,
	} {
		if got := (ArchiveFault{Kind: kind}).Hostile(); got != want {
			t.Errorf("%q: hostile %v, want %v", kind, got, want)
		}
	}
}
