package mcp

import "slices"

// Revisions of the specification. They are dates and compare as strings with each other; the order of any other string means
// nothing.
const (
	Revision2024Nov = "2024-11-05"
	Revision2025Mar = "2025-03-26"
	Revision2025Jun = "2025-06-18"
	Revision2025Nov = "2025-11-25"
	Revision2026Jul = "2026-07-28"
)

// FirstStateless is the first revision without a handshake: every request states its revision and the client's capabilities.
const FirstStateless = Revision2026Jul

var (
	handshakeRevisions = []string{Revision2024Nov, Revision2025Mar, Revision2025Jun, Revision2025Nov}
	statelessRevisions = []string{Revision2026Jul}
)

// Revisions returns all revisions, oldest first.
func Revisions() []string { return slices.Concat(handshakeRevisions, statelessRevisions) }

// HandshakeRevisions returns the revisions whose sessions begin with initialize, oldest first.
func HandshakeRevisions() []string { return slices.Clone(handshakeRevisions) }

// StatelessRevisions returns the revisions without a handshake, oldest first.
func StatelessRevisions() []string { return slices.Clone(statelessRevisions) }

// HasHandshake reports whether a string is a revision whose sessions begin with initialize.
func HasHandshake(revision string) bool { return slices.Contains(handshakeRevisions, revision) }

// IsStateless reports whether a string is a revision without a handshake.
func IsStateless(revision string) bool { return slices.Contains(statelessRevisions, revision) }

// NewestHandshake is the revision that a client offers in initialize.
const NewestHandshake = Revision2025Nov

// NewestStateless is the revision that a client asks for first in server/discover.
const NewestStateless = Revision2026Jul

// A Feature is a part of the protocol that only some revisions have.
type Feature struct {
	name         string
	since, until string // first and last revision with it; "" for no bound
}

// The features that the program depends on.
var (
	// Batches are arrays of JSON-RPC messages (SPEC 2025-03-26/basic, removed in the changelog of 2025-06-18). JSON-RPC itself
	// allows them, so 2024-11-05 has them too.
	Batches = Feature{"batches", "", Revision2025Mar}
	// VersionHeader is the header that repeats the negotiated revision.
	VersionHeader = Feature{"MCP-Protocol-Version", Revision2025Jun, ""}
	// ElicitationIDs identify a URL elicitation from the question to its completion (SPEC 2025-11-25/client/elicitation, removed in
	// the changelog of 2026-07-28).
	ElicitationIDs = Feature{"elicitation ids", Revision2025Nov, Revision2025Nov}
	// CompletionsCapability is the server capability for completion/complete, which 2024-11-05 has without a capability.
	CompletionsCapability = Feature{"completions capability", Revision2025Mar, ""}
	// ServerRequests are requests a server sends at any time (SPEC 2026-07-28 puts them into an input_required result).
	ServerRequests = Feature{"server requests", "", Revision2025Nov}
)

// In reports whether a revision has the feature. An unknown revision has every feature without a lower bound: unknown peers get the
// oldest rules.
func (f Feature) In(revision string) bool {
	if !HasHandshake(revision) && !IsStateless(revision) {
		return f.since == ""
	}
	return within(revision, f.since, f.until)
}

// String returns the feature's name.
func (f Feature) String() string { return f.name }

func within(revision, since, until string) bool {
	return revision >= since && (until == "" || revision <= until)
}
