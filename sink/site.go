package sink

// A SiteKind says what a source does at a place outside its tools' handlers.
type SiteKind string

// The kinds of site.
const (
	OpenListener  SiteKind = "open_listener"  // an HTTP endpoint that checks neither Host nor Origin
	WideListener  SiteKind = "wide_listener"  // a listener reachable from the whole network
	OpenSharing   SiteKind = "open_sharing"   // CORS for every origin, with credentials
	HeaderAddress SiteKind = "header_address" // a request header determines the host that is contacted
	LoggedSecret  SiteKind = "logged_secret"  // a credential is logged
	TreeSecret    SiteKind = "tree_secret"    // a credential is in a file of the tree
	ReadOnlyLie   SiteKind = "read_only_lie"  // a tool is declared read-only, but its handler writes
	UnusedRoots   SiteKind = "unused_roots"   // the client's roots are mentioned but never requested
	PassedToken   SiteKind = "passed_token"   // a request's credential is forwarded to another server
	GuessableID   SiteKind = "guessable_id"   // a session id is derived from a clock, a counter or weak randomness
	ArchiveEntry  SiteKind = "archive_entry"  // the name of an archive entry becomes a path
	UnboundedRead SiteKind = "unbounded_read" // a request body is read without a limit
	HiddenCopy    SiteKind = "hidden_copy"    // traffic is copied to an address in the source
	FetchedCode   SiteKind = "fetched_code"   // code is downloaded and run
	SentEnv       SiteKind = "sent_env"       // the environment is sent away
	HiddenCode    SiteKind = "hidden_code"    // code is decoded before it runs, or obfuscated
	Conditional   SiteKind = "conditional"    // behaviour depends on the date, the machine or the client's name
)

// A Site is a place in a source that concerns the server as a whole, not one tool.
type Site struct {
	Kind SiteKind
	At   Place
	Tool string // of the registration or handler; "" for the server's
	Name string // called function, or header
	Why  string // what is wrong, as part of a sentence
}
