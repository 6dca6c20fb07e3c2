package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/login"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/oauth"
	"gauntlet/report"
)

type loginCommand struct {
	*app
	scopes                  []string
	clientID, document      string
	secretEnv, keyFile      string
	issuer, redirect, store string
	origins                 []string
	device, credentials     bool
	print, revoke           bool
	wait                    time.Duration
}

func (a *app) newLoginCommand() *cobra.Command {
	l := &loginCommand{app: a, store: string(login.Automatic)}
	cmd := newCommand("login [flags] URL", "Log in at a protected MCP server, for all commands that connect to it, and out", l.logIn)
	cmd.Aliases, cmd.Args = []string{"logout"}, cobra.ArbitraryArgs
	f := cmd.Flags()
	f.BoolVar(&l.revoke, "revoke", false, "log out: revoke and delete the login (default off)")
	f.StringArrayVar(&l.scopes, "scope", nil, "ask for this `SCOPE`, or several separated by spaces; repeatable (default those that the server names)")
	f.StringVar(&l.clientID, "client-id", "", "`ID` of a client that you registered (default none)")
	f.StringVar(&l.secretEnv, "secret-env", "", "the secret of that client is in our variable `NAME` (default none)")
	f.StringVar(&l.keyFile, "key-file", "", "that client signs with the private key in this `FILE`, PEM in PKCS #8 (default none)")
	f.StringVar(&l.document, "client-metadata", "", "`URL` of your own client id metadata document (default none)")
	f.BoolVar(&l.credentials, "client-credentials", false, "log in the client itself, without a user (default off)")
	f.BoolVar(&l.device, "device", false, "log in by a code that you enter on any device (default off)")
	f.BoolVar(&l.print, "no-browser", false, "print the address of the page instead of opening it (default off)")
	f.StringVar(&l.issuer, "issuer", "", "log in at this `ISSUER` of those that the server names, and show --client-id to no other (default the first)")
	f.StringVar(&l.redirect, "redirect-uri", "", "`URL` on this machine that the browser comes back to (default one with a free port)")
	f.StringArrayVar(&l.origins, "allow-origin", nil, "further `ORIGIN` to accept: one that may be asked, as https://login.example; repeatable (default none)")
	f.Var(durationFlag(&l.wait, 5*time.Minute), "wait", "how long to wait for you")
	f.Var(nameFlag(&l.store, "PLACE", login.Places()), "store", "where to keep the login: "+strings.Join(login.Places(), ", "))
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "store", login.Places())
	cmd.AddCommand(a.newLoginListCommand())
	return cmd
}

func (l *loginCommand) logIn(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) != 1 || !target.IsURL(args[0]):
		return usage(cmd, "want the URL of one server, which begins with https:// or http://")
	case l.revoke || cmd.CalledAs() == "logout":
		return l.logOut(cmd.Context(), args[0])
	case l.device && l.credentials:
		return usage(cmd, "--device and --client-credentials are two ways to log in: want one of them")
	case l.credentials && (l.clientID == "" || (l.secretEnv == "") == (l.keyFile == "")):
		return usage(cmd, "--client-credentials wants --client-id, and --secret-env or --key-file")
	case l.clientID == "" && (l.secretEnv != "" || l.keyFile != ""):
		return usage(cmd, "--secret-env and --key-file are for --client-id")
	}
	s := l.keptLogins()
	if place := login.Place(l.store); place != login.Automatic {
		s.Store.Place = place
	}
	s.Issuer, s.Redirect, s.Origins = l.issuer, l.redirect, l.origins
	if l.scopes != nil {
		s.Scopes = strings.Fields(strings.Join(l.scopes, " "))
	}
	if err := l.readIdentity(&s.Identity); err != nil {
		return usage(cmd, "%s", err)
	}
	ask := l.askToLogIn(l.print)
	s.Interactive = func(z *oauth.Authorizer) { ask(z); z.Wait = l.wait }
	done, err := s.LogIn(cmd.Context(), args[0], l.grant())
	if err != nil {
		return fmt.Errorf("%s: %w", login.Shown(args[0]), err)
	}
	l.tellDone(done)
	return nil
}

func (l *loginCommand) grant() oauth.Grant {
	switch {
	case l.device:
		return oauth.Device
	case l.credentials:
		return oauth.ClientCredentials
	}
	return oauth.Code
}

// readIdentity reads the client's identity. Its errors quote no secret.
func (l *loginCommand) readIdentity(who *oauth.Identity) error {
	who.ID, who.Document, who.Issuer = l.clientID, l.document, l.issuer
	var err error
	if who.Secret, err = l.secretIn("secret-env", l.secretEnv); err != nil {
		return err
	}
	if l.keyFile != "" {
		text, err := userfile.ReadText(l.keyFile, nil, 64<<10)
		if err != nil {
			return fmt.Errorf("--key-file: %w", userfile.Reason(err))
		}
		who.Key = text
	}
	return nil
}

func (l *loginCommand) tellDone(done *login.Done) {
	got := done.Login
	l.note("logged in at %s by %s, as a client by %s", login.Shown(got.Server), report.Visible(got.Client.Issuer), got.Client.Way)
	if len(got.Scopes) > 0 {
		l.note("scopes: %s", report.Visible(strings.Join(got.Scopes, " ")))
	}
	where := map[login.Place]string{login.Keyring: "the keyring of this system", login.File: login.FileName(l.getenv)}[done.Place]
	l.note("kept in %s; gauntlet login --revoke %s revokes and forgets it", where, login.Shown(got.Server))
}

func (a *app) newLoginListCommand() *cobra.Command {
	format := "text"
	cmd := withoutArguments(newCommand("list", "List the stored logins, without secrets", func(*cobra.Command, []string) error {
		lines, err := a.keptLogins().Store.List()
		if err != nil {
			return err
		}
		return a.writeTo("-", func(w io.Writer) error {
			if format == "json" {
				return report.WriteJSON(w, lines)
			}
			return login.WriteLines(w, lines)
		})
	}))
	textFormat(cmd, &format, "text", "json")
	return cmd
}

func (l *loginCommand) logOut(ctx context.Context, url string) error {
	revoked, err := l.keptLogins().LogOut(ctx, url)
	switch {
	case err != nil:
		return err
	case revoked:
		l.note("the login at %s is revoked and deleted", login.Shown(url))
	default:
		l.note("the login at %s is deleted here; its authorization server supports no revocation, so the token is valid until it expires", login.Shown(url))
	}
	return nil
}

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
		s.Interactive = a.askToLogIn(false)
	}
	return s
}

// askToLogIn shows pages of authorization servers in the user's browser, or only prints their addresses.
func (a *app) askToLogIn(print bool) func(*oauth.Authorizer) {
	return func(z *oauth.Authorizer) {
		z.Open = func(_ context.Context, address string) error {
			if !print && oauth.OpenBrowser(a.getenv("BROWSER"), address) == nil {
				a.say("log in on the page of %s that your browser shows", login.Shown(address))
				return nil
			}
			a.say("log in on this page: %s", address)
			return nil
		}
		z.ShowDevice = func(address, code string) { a.say("open %s on any device and enter the code %s", address, code) }
	}
}
