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
)

// A Site is a place of a source that says something about the server and not about one of its tools.
type Site struct {
	Kind SiteKind
	At   Place
	Name string // what is called there, or the header
	Why  string // what is wrong with it, as part of a sentence
}
