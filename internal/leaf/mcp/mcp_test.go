package mcp

import (
	"slices"
	"strings"
	"testing"
)

func TestRevisionsInOrder(t *testing.T) {
	all := Revisions()
	if !slices.IsSorted(all) || len(all) != 5 {
		t.Errorf("Revisions() = %q, want five dates in order", all)
	}
	for _, r := range HandshakeRevisions() {
		if r >= FirstStateless {
			t.Errorf("%s has a handshake and is not before %s", r, FirstStateless)
		}
	}
	for _, r := range StatelessRevisions() {
		if r < FirstStateless {
			t.Errorf("%s is stateless and before %s", r, FirstStateless)
		}
	}
	if old, now := HandshakeRevisions(), StatelessRevisions(); old[len(old)-1] != NewestHandshake || now[len(now)-1] != NewestStateless {
		t.Errorf("newest revisions %q and %q are not the ends of their lists", NewestHandshake, NewestStateless)
	}
}

func TestRevisionsReturnsCopies(t *testing.T) {
	HandshakeRevisions()[0] = "changed"
	StatelessRevisions()[0] = "changed"
	Revisions()[0] = "changed"
	if slices.Contains(Revisions(), "changed") {
		t.Error("a caller changed the list")
	}
}

func TestFeatureIn(t *testing.T) {
	for _, tt := range []struct {
		feature  Feature
		revision string
		want     bool
	}{
		{Batches, Revision2024Nov, true},
		{Batches, Revision2025Mar, true},
		{Batches, Revision2025Jun, false},
		{Batches, Revision2026Jul, false},
		{Batches, "1900-01-01", true},
		{VersionHeader, Revision2024Nov, false},
		{VersionHeader, Revision2025Mar, false},
		{VersionHeader, Revision2025Jun, true},
		{VersionHeader, Revision2026Jul, true},
		{VersionHeader, "2099-01-01", false},
		{ServerRequests, Revision2025Nov, true},
		{ServerRequests, Revision2026Jul, false},
	} {
		if got := tt.feature.In(tt.revision); got != tt.want {
			t.Errorf("%s in %s: %v, want %v", tt.feature, tt.revision, got, tt.want)
		}
	}
}

func TestMethods(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		if seen[m.Name] {
			t.Errorf("%s stands twice", m.Name)
		}
		seen[m.Name] = true
		if !m.ToServer && !m.ToClient {
			t.Errorf("nobody sends %s", m.Name)
		}
		if !slices.Contains(Revisions(), m.Since()) || m.Until() != "" && m.Until() < m.Since() {
			t.Errorf("%s: since %q until %q", m.Name, m.Since(), m.Until())
		}
		if ClientCapability(m.Name) != "" && !m.ToClient || SubjectParam(m.Name) != "" && !m.ToServer {
			t.Errorf("%s: sent by the wrong side", m.Name)
		}
	}
	for _, l := range Lists {
		if !seen[l.Method] || !seen[l.Changed] || !strings.HasPrefix(l.Method, l.Capability+"/") {
			t.Errorf("list %+v uses unknown words", l)
		}
	}
}

func TestMethodIn(t *testing.T) {
	for _, tt := range []struct {
		method string
		in     []string
	}{
		{Initialize, []string{Revision2024Nov, Revision2025Mar, Revision2025Jun, Revision2025Nov}},
		{Discover, []string{Revision2026Jul}},
		{ElicitationCreate, []string{Revision2025Jun, Revision2025Nov, Revision2026Jul}},
		{TasksList, []string{Revision2025Nov}},
		{ToolsCall, Revisions()},
	} {
		i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == tt.method })
		var got []string
		for _, r := range Revisions() {
			if within(r, methods[i].since, methods[i].until) {
				got = append(got, r)
			}
		}
		if !slices.Equal(got, tt.in) {
			t.Errorf("%s is in %q, want %q", tt.method, got, tt.in)
		}
	}
}

func TestSubjectParam(t *testing.T) {
	for method, want := range map[string]string{ToolsCall: "name", PromptsGet: "name", ResourcesRead: "uri", ResourcesSubscribe: "", ToolsList: "", "": ""} {
		if got := SubjectParam(method); got != want {
			t.Errorf("SubjectParam(%q) = %q, want %q", method, got, want)
		}
	}
}

func TestMetaKeys(t *testing.T) {
	keys := MetaKeys()
	for _, k := range keys {
		if !strings.HasPrefix(k, MetaPrefix) {
			t.Errorf("%s lacks the prefix", k)
		}
	}
	if slices.Sort(keys); len(slices.Compact(keys)) != 8 {
		t.Errorf("%d distinct keys, want 8", len(keys))
	}
}
