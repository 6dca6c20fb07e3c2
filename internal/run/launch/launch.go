// Package launch is the one place where this program starts MCP servers and connects to them:
// whatever starts or connects does so with the same environment, proxy, transport and
// redaction.
package launch

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A Server is what to start, or what to connect to: Command or URL is set.
type Server struct {
	Command []string // starts a server on stdio, without a shell
	Env     []string // for that server, as NAME=VALUE
	Dir     string   // it is started there; "" for our own directory
	SetBy   string   // where the user sets its variables, see [wire.Command]; "" for the flag --env

	URL    string
	Header []string // for the origin of URL, as NAME=VALUE
	Bearer string   // a token for it, as NAME=TOKEN; "" for none
	SSE    bool     // it speaks HTTP+SSE of 2024-11-05, and nothing else is tried

	// Guard is what messages and reports hide beside Env, Header and Bearer, as NAME=VALUE. A
	// server of a configuration has it instead: it names what of the configuration is secret.
	Guard []string
	// Configured says that the server comes from a configuration: reports hide Guard alone,
	// since much of what a configuration sets is what they are about.
	Configured bool
}

// Program is the name of the program of a server on stdio, "" for one behind a URL.
func (s *Server) Program() string {
	if len(s.Command) == 0 {
		return ""
	}
	return filepath.Base(s.Command[0])
}

// A Dialer opens connections.
type Dialer struct {
	Environ []string // ours, of which a server gets HOME, PATH and the like
	Limits  wire.Limits
	// Logins has the login for a server behind a URL that is given neither a token nor a header of
	// the name Authorization; nil for none.
	Logins Logins
	// Agent is how we introduce ourselves over HTTP; default "gauntlet".
	Agent string
	// Sandbox says whether servers that are started are sealed off, and SandboxConfig how;
	// its Environ, Dir and Args are filled in here.
	Sandbox       sandbox.Level
	SandboxConfig sandbox.Config
	// SandboxName is the name of the server in events; "" for its program.
	SandboxName string
	// SandboxRecord is given each event at once, as a message of a trace; nil for nobody.
	SandboxRecord func(trace.Message)
	// Sandboxes, if not nil, keeps what happened in each.
	Sandboxes *Sandboxes
}

// Logins are what the user logged in to.
type Logins interface {
	// For returns the login at a server, nil for none.
	For(url string) wire.Login
	// Hide has f told of everything secret, as NAME=VALUE, now and whenever a login is renewed.
	Hide(f func(secrets []string))
}

// LoginFor returns the login that a connection uses, nil for none.
func (d *Dialer) LoginFor(s *Server) wire.Login {
	if d.Logins == nil || s.Bearer != "" || slices.ContainsFunc(s.Header, isAuthorization) {
		return nil
	}
	return d.Logins.For(s.URL)
}

func isAuthorization(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	return strings.EqualFold(strings.TrimSpace(name), "Authorization")
}

// A Tap returns what records a connection that is to be made to the server that messages call
// place: secrets are what no message may show, as NAME=VALUE, and credentials what the server
// knows us by. It may return nil.
type Tap func(place string, secrets, credentials []string) wire.Tap

// A Conn is a connection to a server, whichever way.
type Conn interface {
	wire.Conn
	// Kill ends the conversation without manners.
	Kill() error
	// Redact takes what the server was given out of a text.
	Redact(string) string
}

// An Opened connection, and what is known of it. It is not a Conn itself: clients ask a Conn
// what else its transport can do.
type Opened struct {
	Conn Conn
	// Place is how messages call the server: its program, or its URL without secrets.
	Place string
	// Secrets is what reports must hide of what the server was given, as NAME=VALUE.
	Secrets []string
	login   wire.Login // nil for none
	// Process is the server that was started, nil for one behind a URL.
	Process *wire.Process
	// Sandbox is the one that the server runs in, nil for none. It ends with the connection;
	// what happened in it can be asked for afterwards.
	Sandbox *sandbox.Sandbox
	// SandboxReport says which protections held. It is empty where no sandbox was wanted.
	SandboxReport sandbox.Report
}

// IntroducedAs is how a client introduces itself to the server, where it would as name and version: in a sandbox as an
// ordinary agent does.
func (o *Opened) IntroducedAs(name, version string) (string, string) {
	if o.Sandbox != nil {
		return sandbox.ClientName, sandbox.ClientVersion
	}
	return name, version
}

// SecretsByNow are Secrets and those of a login that was begun or renewed since.
func (o *Opened) SecretsByNow() []string {
	if o.login == nil {
		return o.Secrets
	}
	return slices.Concat(o.Secrets, o.login.Secrets())
}

// Connect is Open for those who want the connection alone.
func (d *Dialer) Connect(s Server, tap Tap) (wire.Conn, error) {
	o, err := d.Open(s, tap)
	if err != nil {
		return nil, err
	}
	return o.Conn, nil
}

// Open starts the server or connects to it. A nil tap records nothing. Errors show nothing of
// what the server would have been given.
func (d *Dialer) Open(s Server, tap Tap) (*Opened, error) {
	if tap == nil {
		tap = func(string, []string, []string) wire.Tap { return nil }
	}
	if s.URL != "" {
		return d.openHTTP(s, tap)
	}
	if err := checkRunner(s.Command); err != nil {
		return nil, err
	}
	command := wire.Command{
		Args: s.Command, Dir: s.Dir, Environ: d.Environ, Env: s.Env, SetBy: s.SetBy, Secret: s.Guard, Limits: d.Limits,
		Tap: tap(s.Program(), slices.Concat(s.Env, s.Guard), nil),
	}
	o := &Opened{Place: s.Program(), Secrets: s.Env}
	if s.Configured {
		o.Secrets = s.Guard
	}
	p, err := d.startProcess(&s, command, o)
	if err != nil {
		return nil, hiddenError{err, redact.New(s.Guard).Replace(err.Error())}
	}
	o.Conn, o.Process = p, p
	if o.Sandbox != nil {
		o.Conn, o.SandboxReport = &sealed{p, o.Sandbox}, o.Sandbox.Report()
	}
	if d.Sandbox.Wanted() {
		d.Sandboxes.add(cmp.Or(d.SandboxName, o.Place), o)
	}
	return o, nil
}

// runners are the programs that download and run a package, with the words that precede its name.
var runners = map[string][]string{
	"npx": {"-y"}, "bunx": nil, "pnpx": nil, "uvx": nil, "npm": {"exec", "--"}, "pnpm": {"dlx"}, "yarn": {"dlx"}, "bun": {"x"}, "pipx": {"run"},
}

// checkRunner refuses a command that only names such a program: it would wait for its user, and we for it.
func checkRunner(command []string) error {
	if len(command) == 0 {
		return nil
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(command[0]), ".exe"), ".cmd")
	words, known := runners[name]
	if !known {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(command[1:]), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		if len(rest) == 0 || rest[0] != words[0] {
			return nil // it does something else
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return nil
	}
	return fmt.Errorf("%s has no package to run: name one, as in %s", name, strings.Join(append(append([]string{name}, words...), "PACKAGE"), " "))
}

// hiddenError is an error whose text had secrets taken out.
type hiddenError struct {
	error
	text string
}

func (e hiddenError) Error() string { return e.text }
func (e hiddenError) Unwrap() error { return e.error }

// openHTTP makes a transport for each connection, so that two clients of ours share nothing that
// a server could tell them by, and closes it with the connection.
func (d *Dialer) openHTTP(s Server, tap Tap) (*Opened, error) {
	transport := wire.NewTransport()
	transport.Proxy = http.ProxyFromEnvironment
	login := d.LoginFor(&s)
	h, err := wire.Dial(wire.Endpoint{
		URL: s.URL, Login: login, Header: s.Header, Bearer: s.Bearer, Secret: s.Guard, SSE: s.SSE, Transport: transport, Limits: d.Limits, Agent: d.Agent,
	})
	if err != nil {
		return nil, err
	}
	var credentials []string
	if s.Bearer != "" || len(s.Header) > 0 {
		credentials = append([]string{s.Bearer}, s.Header...)
	} else if login != nil {
		credentials = login.Secrets()
	}
	h.Tap(tap(h.Place(), h.Secrets(), credentials)) // Guard is among them
	o := &Opened{Conn: &dialed{h, transport}, Place: h.Place(), Secrets: h.Secrets()}
	if s.Configured {
		o.Secrets = slices.Concat(s.Guard, redact.URLSecrets(s.URL))
	}
	o.login = login
	return o, nil
}

// dialed closes the transport that it was made with.
type dialed struct {
	*wire.HTTP
	transport *http.Transport
}

func (d *dialed) Close() error {
	defer d.transport.CloseIdleConnections()
	return d.HTTP.Close()
}

func (d *dialed) Kill() error {
	defer d.transport.CloseIdleConnections()
	return d.HTTP.Kill()
}
