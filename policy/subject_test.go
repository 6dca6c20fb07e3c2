package policy

import (
	"testing"

	"gauntlet/finding"
)

func TestSubject(t *testing.T) {
	for _, tt := range []struct {
		l    finding.Location
		want string
	}{
		{finding.Location{Kind: finding.Tool, Item: "search", Server: "web"}, "tool search, server web"},
		{finding.Location{Kind: finding.Tool, Item: "search"}, "tool search"},
		{finding.Location{Server: "web"}, "server web"},
		{finding.Location{}, "server "},
	} {
		if got := subject(&tt.l); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.l, got, tt.want)
		}
	}
}
