package vet

import (
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	for _, tt := range []struct {
		names   []string
		compare bool
		want    []string
		older   string
	}{
		{[]string{"npm:a@1.0.0", "npm:b@2.0.0"}, false, []string{"npm:a@1.0.0", "npm:b@2.0.0"}, ""},
		{[]string{"npm:a@1.0.0", "npm:a@2.0.0"}, true, []string{"npm:a@2.0.0"}, "npm:a@1.0.0"},
	} {
		got, err := Named(tt.names, tt.compare)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range got {
			names = append(names, got[i].text())
		}
		if !slices.Equal(names, tt.want) {
			t.Errorf("Named(%q, %v) = %q, want %q", tt.names, tt.compare, names, tt.want)
		}
		if older := got[0].Older; (older != nil) != tt.compare || older != nil && *older != spec(t, tt.older) {
			t.Errorf("%q is compared with %v, want %q", names, older, tt.older)
		}
	}
	if got, err := Named([]string{"npm:a", "paper:b"}, false); err == nil {
		t.Errorf("no error for a name of no form: %v", got)
	}
}

func TestAddStart(t *testing.T) {
	one := Target{Args: []string{"--a"}, Env: []string{"A=1"}, Guard: []string{"A=1"}}
	one.AddStart([]string{"--b"}, []string{"B=2"})
	if !slices.Equal(one.Args, []string{"--a", "--b"}) || !slices.Equal(one.Env, []string{"A=1", "B=2"}) || !slices.Equal(one.Guard, []string{"A=1", "B=2"}) {
		t.Errorf("%+v", one)
	}
}
