package sink

// A SiteKind says what a source does at a place, apart from the handlers of its tools.
type SiteKind string

// The kinds of site.
const (
	OpenListener  SiteKind = "open_listener"  // an HTTP endpoint that compares neither Host nor Origin
	WideListener  SiteKind = "wide_listener"  // a listener that every machine of the network reaches
	OpenSharing   SiteKind = "open_sharing"   // CORS for every origin, with credentials
	HeaderAddress SiteKind = "header_address" // a header of a request names the host that is asked
	LoggedSecret  SiteKind = "logged_secret"  // a credential is written into a log
	TreeSecret    SiteKind = "tree_secret"    // a credential stands in a file of the tree
	ReadOnlyLie   SiteKind = "read_only_lie"  // a tool is declared read-only, and its handler writes
	UnusedRoots   SiteKind = "unused_roots"   // the client's roots are spoken of and never asked for
	PassedToken   SiteKind = "passed_token"   // the credential of a request is handed on to another server
	GuessableID   SiteKind = "guessable_id"   // the id of a session is made of a clock, a counter or weak chance
	ArchiveEntry  SiteKind = "archive_entry"  // the name of an archive's entry becomes a path
	UnboundedRead SiteKind = "unbounded_read" // a request's body is read whole, however long it is
	HiddenCopy    SiteKind = "hidden_copy"    // what passes is copied to an address of the source
	FetchedCode   SiteKind = "fetched_code"   // code is fetched and run
	SentEnv       SiteKind = "sent_env"       // the environment is sent away
	HiddenCode    SiteKind = "hidden_code"    // code that is decoded before it runs, or written to be unreadable
	Conditional   SiteKind = "conditional"    // what is done depends on the date, the machine or the client's name
)

// A Site is a place in a source that matters for the server as a whole and not for one of its
// tools.
type Site struct {
	Kind SiteKind
	At   Place
	Tool string // whose registration or handler it is; "" for the server's
	Name string // what is called there, or the header
	Why  string // what is wrong with it, as part of a sentence
}
