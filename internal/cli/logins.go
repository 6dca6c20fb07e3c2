package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/login"
	"gauntlet/internal/runtime/oauth"
)

// keptLogins are the logins that the user keeps, in use by this run.
func (a *app) keptLogins() *login.Sessions {
	if a.sessions == nil {
		a.sessions = &login.Sessions{
			Store: &login.Store{Path: a.loginFile(), Place: a.usualPlace()},
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

// usualPlace is where logins are kept unless the user says where: in a file that the user names, and on
// a system whose keyring is a service of the desktop, which must not be started for us, where none
// runs.
func (a *app) usualPlace() login.Place {
	desktop := runtime.GOOS != "darwin" && runtime.GOOS != "windows"
	if a.getenv("GAUNTLET_LOGINS") != "" || desktop && a.getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return login.File
	}
	return login.Automatic
}

// loginFile is where logins are kept: GAUNTLET_LOGINS, or in the folder for configurations.
func (a *app) loginFile() string {
	if named := a.getenv("GAUNTLET_LOGINS"); named != "" {
		return named
	}
	home := a.getenv("HOME")
	folder := cmp.Or(a.getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	if home == "" && a.getenv("XDG_CONFIG_HOME") == "" && a.getenv("APPDATA") == "" {
		return "" // not in the current directory, which may be anybody's
	}
	switch runtime.GOOS {
	case "darwin":
		folder = filepath.Join(home, "Library", "Application Support")
	case "windows":
		folder = a.getenv("APPDATA")
	}
	return filepath.Join(folder, "gauntlet", "logins.json")
}
