package sandbox

import (
	"crypto/rand"
	"strings"
)

// A Callback is an address that only the sandbox knows.
type Callback struct {
	Label string
	Token string // stands in the host name and in the path; nowhere else in the sandbox
	Host  string // a name that leads to the sinkhole
	URL   string // http://HOST/TOKEN
}

func newCallback(label string) Callback {
	token := strings.ToLower(rand.Text())
	host := token + ".example.net"
	return Callback{Label: label, Token: token, Host: host, URL: "http://" + host + "/" + token}
}

// Hit returns the first event that shows that somebody asked for the callback, nil for none. A
// lookup alone counts as well: whoever asks for the name was given it.
func (c *Callback) Hit(events []Event) *Event {
	for i := range events {
		e := &events[i]
		if e.Outgoing() && (strings.Contains(strings.ToLower(e.Host), c.Token) || strings.Contains(e.URL, c.Token) || strings.Contains(e.Text, c.Token)) {
			return e
		}
	}
	return nil
}
