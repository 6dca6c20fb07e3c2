package cli

import (
	"context"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/login"
	"gauntlet/internal/runtime/oauth"
)

// keptLogins returns the user's stored logins, in use by this run.
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

// logins returns the logins for a dialer; ask permits asking the user to log in.
func (a *app) logins(ask bool) launch.Logins {
	s := a.keptLogins()
	if ask {
		s.Interactive = a.askToLogIn("")
	}
	return s
}

// askToLogIn shows pages of authorization servers in the user's browser; how "print" only prints their addresses.
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
