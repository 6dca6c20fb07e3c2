package proberun

import (
	"strings"
	"testing"

	"gauntlet/capability"
	"gauntlet/internal/leaf/probe"
)

// True and false conditions differ in nothing but what they say: an error that names an operator or a
// length must not tell them apart.
func TestConditionValues(t *testing.T) {
	mark := Mark{Token: "abcdefghijkl", A: 100_003, B: 100_019}
	for _, c := range append(append([]Condition{}, sqlConditions...), noSQLConditions...) {
		_, yes := c.Value(true, false, mark)
		_, no := c.Value(false, false, mark)
		if yes == no {
			t.Errorf("%s: the true and the false value are both %q", c.Variant, yes)
		}
		if len(yes) != len(no) {
			t.Errorf("%s: %q and %q differ in length", c.Variant, yes, no)
		}
		product := strings.Contains(yes, "10002200057") && strings.Contains(no, "10002200058")
		operator := strings.Count(yes, "$regex") == 1 && strings.Count(no, "$regex") == 1
		if !product && !operator {
			t.Errorf("%s: %q and %q compare nothing", c.Variant, yes, no)
		}
	}
}

// Who writes a whole query writes its conditions as well.
func TestConditionsOfTargets(t *testing.T) {
	for _, tt := range []struct {
		class probe.Class
		role  capability.Role
		want  bool
	}{
		{probe.SQLInjection, capability.Text, true},
		{probe.NoSQLInjection, capability.ID, true},
		{probe.SQLInjection, capability.Query, false},
		{probe.TemplateInjection, capability.Text, false},
	} {
		target := target{Class: tt.class, Role: tt.role}
		if got := len(target.Conditions()) > 0; got != tt.want {
			t.Errorf("%s on a %s: conditions %v, want %v", tt.class, tt.role, got, tt.want)
		}
	}
}
