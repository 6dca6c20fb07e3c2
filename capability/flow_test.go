package capability

import "testing"

// A label counts where it is of the tag and at or above the floor; it is the tool's own.
func TestHas(t *testing.T) {
	tool := Tool{Capabilities: []Label{{Tag: FSRead, Confidence: Low}, {Tag: NetEgress, Confidence: Inferred}, {Tag: Exec, Confidence: High}, {Tag: NetEgress, Confidence: Low}}}
	for _, tt := range []struct {
		tag   Tag
		floor Confidence
		want  *Label
	}{
		{FSRead, Low, &tool.Capabilities[0]},
		{FSRead, Medium, nil},
		{NetEgress, Medium, &tool.Capabilities[1]},
		{NetEgress, Low, &tool.Capabilities[1]},
		{NetEgress, High, nil},
		{Exec, High, &tool.Capabilities[2]},
		{DBQuery, Low, nil},
	} {
		if got := tool.Has(tt.tag, tt.floor); got != tt.want {
			t.Errorf("%s at %s: %v, want %v", tt.tag, tt.floor, got, tt.want)
		}
	}
}

// Any way is worse than none, none than any, and within a group the order of the constants decides.
func TestWorse(t *testing.T) {
	for _, group := range [][]Way{
		{ReturnsMail, OpensPages, ReturnsPages, ReturnsPublic},
		{ReadsSecrets, ReadsFiles, ReadsDatabase, ReadsAccount},
		{SendsByCommand, SendsMessages, SendsRequests, Publishes},
		{RunsCommands, RunsStatements, Deletes, OverwritesFile},
	} {
		for i, a := range group {
			if !a.Worse("") || Way("").Worse(a) {
				t.Errorf("%q and none: %v, %v", a, a.Worse(""), Way("").Worse(a))
			}
			for j, b := range group {
				if got := a.Worse(b); got != (i < j) {
					t.Errorf("%q worse than %q: %v", a, b, got)
				}
			}
		}
	}
	if Way("").Worse("") {
		t.Error("none is worse than none")
	}
}

// Every member of a set is read back from its name, and no other text is one.
func TestParseReadsEveryName(t *testing.T) {
	for _, tag := range Tags() {
		if got, err := ParseTag(string(tag)); got != tag || err != nil {
			t.Errorf("tag %s: %s, %v", tag, got, err)
		}
	}
	for _, role := range Roles() {
		if got, err := ParseRole(string(role)); got != role || err != nil {
			t.Errorf("role %s: %s, %v", role, got, err)
		}
	}
	all := Confidences()
	for i, c := range all {
		if got, err := ParseConfidence(c.String()); got != c || err != nil {
			t.Errorf("confidence %s: %s, %v", c, got, err)
		}
		if i > 0 && !all[i-1].AtLeast(c) {
			t.Errorf("%s stands before %s", all[i-1], c)
		}
	}
	if got, err := ParseConfidence("none"); err == nil || got != "" {
		t.Errorf("none is the confidence %q", got)
	}
}
