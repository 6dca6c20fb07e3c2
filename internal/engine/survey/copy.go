package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/sink"
)

// mailbox is an address of mail that the source fixes.
var mailbox = lazyregexp.New(`^[^\s@<>]+@[^\s@<>]+\.[a-zA-Z]{2,}$`)

// example is a mailbox or host that nobody has.
var example = lazyregexp.New(`(?i)(^|[@.])(example\.(com|org|net)|localhost|test|invalid|your-?domain\.[a-z]+)$`)

// collectors are services that show whoever made an address what is sent to it.
var collectors = lazyregexp.New(`(?i)^https?://([^/@]*\.)?(webhook\.site|requestbin\.(com|net)|pipedream\.net|requestcatcher\.com|hookbin\.com|beeceptor\.com|interact\.sh|oast\.(fun|pro|live|site|online|me)|burpcollaborator\.net|ngrok\.io|ngrok-free\.app|serveo\.net|trycloudflare\.com|canarytokens\.com)([/:?]|$)`)

// readCopies notes copies of what passes by that go to an address which no caller named.
func (s *surveyor) readCopies() {
	fits := s.filesWith("bcc", "Bcc", "BCC")
	note := func(at, value *ir.Expr) {
		if value == nil || !fits[value.Scope.File] {
			return
		}
		for _, text := range s.constants(value, 0) {
			if mailbox.MatchString(text) && !example.MatchString(text) {
				s.report(sink.HiddenCopy, at, "bcc", "a blind copy of each message goes to "+text+", which is fixed in the source and named by no parameter")
				return
			}
		}
	}
	if len(fits) > 0 {
		for _, e := range slices.Concat(s.g.Program().Objects, s.g.Program().Calls) {
			for _, a := range e.Args {
				if strings.EqualFold(a.Name, "bcc") {
					note(e, listed(a.Value))
				}
			}
		}
		s.g.Program().EachSet(func(st *ir.Stmt) {
			if strings.EqualFold(st.Target.Text, "bcc") {
				note(st.X, listed(st.X))
			}
		})
	}
	s.readCollectors()
}

// listed returns the only element of a list, or what is none.
func listed(e *ir.Expr) *ir.Expr {
	if e.Is(ir.List) && len(e.Args) == 1 {
		return e.Args[0].Value
	}
	return e
}

// readCollectors notes requests to services that collect what is sent to them.
func (s *surveyor) readCollectors() {
	for _, c := range s.callsIn("webhook.site", "requestbin", "pipedream", "requestcatcher", "hookbin", "beeceptor", "interact.sh", "oast.", "burpcollaborator", "ngrok", "serveo", "trycloudflare", "canarytokens") {
		for _, a := range c.Args {
			for _, text := range s.constants(a.Value, 0) {
				if collectors.MatchString(text) && s.isRequest(c) {
					s.report(sink.HiddenCopy, c, "collector", "it sends a request to "+hostIn(text)+", a service that collects requests for whoever created the address")
				}
			}
		}
	}
}

func hostIn(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
