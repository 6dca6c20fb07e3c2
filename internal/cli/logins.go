package cli

import (
	"context"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/login"
	"gauntlet/internal/runtime/oauth"
)

// keptLogins are the logins that the user keeps, in use by this run.
func (a *app) keptLogins() *login.Sessions {
	if a.sessions == nil {
		a.sessions = &login.Sessions{
			Store: &login.Store{Path: login.FileName(a.getenv), Place: login.UsualPlace(a.getenv)},
			Wanted: func(server string) {
				a.note("%s wants a token: log in with gauntlet login %s, or name the variable that holds one with --bearer-env", server, server)
			},
		}
	}
	return a.sessions
}

// logins are those for a dialer; ask says that the user may be asked to log in.
func (a *app) logins(ask bool) launch.Logins {
	s := a.keptLogins()
	if ask {
		s.Interactive = a.askToLogIn("")
	}
	return login.Dialing{Sessions: s}
}

// askToLogIn has the browser of the user shown the pages of authorization servers; how "print" only
// says which they are.
func (a *app) askToLogIn(how string) func(*oauth.Authorizer) {
	return func(z *oauth.Authorizer) {
		z.Open = func(_ context.Context, address string) error {
			if how != "print" && oauth.OpenBrowser(a.getenv("BROWSER"), address) == nil {
				a.say("log in on the page of %s that your browser shows", login.Shown(address))
				return nil
			}
			a.say("log in on this page: %s", address)
			return nil
		}
		z.ShowDevice = func(address, code string) { a.say("open %s on any device and enter the code %s", address, code) }
	}
}
