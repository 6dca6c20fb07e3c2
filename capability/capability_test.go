package capability

import "testing"

// TestConfidenceOrder: every pair compares one way at least, and inferred filters like medium.
func TestConfidenceOrder(t *testing.T) {
	order := []Confidence{Low, Medium, High}
	for i, a := range order {
		for j, b := range order {
			if got, want := a.AtLeast(b), i >= j; got != want {
				t.Errorf("%s at least %s: %v, want %v", a, b, got, want)
			}
		}
	}
	if !Inferred.AtLeast(Medium) || !Medium.AtLeast(Inferred) || Inferred.AtLeast(High) {
		t.Error("inferred does not filter like medium")
	}
	if Confidence("").AtLeast(Low) {
		t.Error("no confidence is at least low")
	}
}

func TestParse(t *testing.T) {
	if tag, err := ParseTag("fs_read"); tag != FSRead || err != nil {
		t.Errorf("fs_read: %q, %v", tag, err)
	}
	for _, s := range []string{"", "fs", "FS_READ"} {
		if _, err := ParseTag(s); err == nil {
			t.Errorf("%q is a tag", s)
		}
		if _, err := ParseRole(s); err == nil {
			t.Errorf("%q is a role", s)
		}
	}
}

// TestRisksAreOfTheVocabulary also holds that no two rows say the same.
func TestRisksAreOfTheVocabulary(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Risks() {
		for _, tag := range r.Tags {
			if _, err := ParseTag(string(tag)); err != nil {
				t.Error(err)
			}
		}
		if seen[r.Rationale] || r.Rationale == "" || r.Says == "" {
			t.Errorf("row %+v", r)
		}
		seen[r.Rationale] = true
	}
}
