// Package launch is the only place where this program starts MCP servers and connects to them, so that all use the same
// environment, proxy, transport and redaction.
package launch

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A Server is a server to start or connect to: Command or URL is set.
type Server struct {
	Command []string // stdio server, started without a shell
	Env     []string // its variables, as NAME=VALUE
	Dir     string   // its working directory; "" for ours
	SetBy   string   // where the user sets its variables, see [wire.Command]; "" for the flag --env

	URL    string
	Header []string // headers for URL's origin, as NAME=VALUE
	Bearer string   // token, as NAME=TOKEN; "" for none
	SSE    bool     // it speaks HTTP+SSE of 2024-11-05; nothing else is tried

	// Guard holds values that messages and reports hide in addition to Env, Header and Bearer, as NAME=VALUE. For a configured
	// server it names the secret parts of the configuration.
	Guard []string
	// Configured says that the server comes from a configuration: reports then hide only Guard, since most of a configuration is
	// what they are about.
	Configured bool
}

// Program returns the name of a stdio server's program, "" for a URL.
func (s *Server) Program() string {
	if len(s.Command) == 0 {
		return ""
	}
	return filepath.Base(s.Command[0])
}

// A Dialer opens connections.
type Dialer struct {
	Environ []string // our environment, of which a server gets HOME, PATH and the like
	Limits  wire.Limits
	// Logins supplies logins for URLs without a token or an Authorization header; may be nil.
	Logins Logins
	// Agent is our User-Agent; default "gauntlet".
	Agent string
	// Sandbox says whether started servers are sandboxed, SandboxConfig how; its Environ, Dir and Args are set here.
	Sandbox       sandbox.Level
	SandboxConfig sandbox.Config
	// SandboxName is the server's name in events; "" for its program.
	SandboxName string
	// SandboxRecord, if not nil, receives each event at once as a trace message.
	SandboxRecord func(trace.Message)
	// Sandboxes, if not nil, keeps each sandbox's events.
	Sandboxes *Sandboxes
}

// Logins are the user's logins.
type Logins interface {
	// For returns the login at a server, or nil.
	For(url string) wire.Login
	// Hide calls f with all secrets, as NAME=VALUE, now and whenever a login is renewed.
	Hide(f func(secrets []string))
}

// LoginFor returns the login that a connection uses, or nil.
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

// A Tap returns the recorder of a new connection to the server named place in messages: secrets, as NAME=VALUE, must not appear in
// messages, and credentials is what the server knows us by. It may return nil.
type Tap func(place string, secrets, credentials []string) wire.Tap

// A Conn is a connection to a server over any transport.
type Conn interface {
	wire.Conn
	// Kill ends the connection at once.
	Kill() error
	// Redact removes what the server was given from a text.
	Redact(string) string
}

// An Opened is an open connection and what is known of it. It is not itself a Conn: clients check a Conn for its transport's
// further abilities.
type Opened struct {
	Conn Conn
	// Place is the server's name in messages: its program, or its URL without secrets.
	Place string
	// Secrets are the values given to the server that reports must hide, as NAME=VALUE.
	Secrets []string
	login   wire.Login // may be nil
	// Process is the started server, nil for a URL.
	Process *wire.Process
	// Sandbox is the server's sandbox, or nil. It ends with the connection; its events remain available.
	Sandbox *sandbox.Sandbox
	// SandboxReport says which protections held; empty if no sandbox was requested.
	SandboxReport sandbox.Report
}

// listenEvery is how often a server that does not answer yet is looked at.
const listenEvery = time.Second

// WhileSilent runs open, which waits for the server's first answer, and tells meanwhile what stands on its standard error: a server
// that lacks a variable may say so at once and stay, and then nobody need wait for the end of the time. A line is told once, when
// it still stands at the next look: what goes by, as in "downloading 41%", is not what the server waits for.
func (o *Opened) WhileSilent(tell func(format string, args ...any), open func()) {
	if o.Process == nil {
		open()
		return
	}
	answered := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() { // ends with open
		for stood, told := "", ""; ; {
			select {
			case <-answered:
				return
			case <-time.After(listenEvery):
			}
			text, _ := o.Process.Stderr()
			line := strings.Join(wire.TellingLines(text, 1), "")
			if line == stood && line != told {
				told = line
				tell("%s has not answered yet; it says: %s", o.Place, excerpt.Clip(line, longestSaid))
			}
			stood = line
		}
	})
	open()
	close(answered)
	telling.Wait()
}

// longestSaid bounds what is told of a line, in bytes.
const longestSaid = 200

// IntroducedAs returns the client name and version to send: in a sandbox those of an ordinary agent.
func (o *Opened) IntroducedAs(name, version string) (string, string) {
	if o.Sandbox != nil {
		return sandbox.ClientName, sandbox.ClientVersion
	}
	return name, version
}

// SecretsByNow returns Secrets and those of a login begun or renewed since.
func (o *Opened) SecretsByNow() []string {
	if o.login == nil {
		return o.Secrets
	}
	return slices.Concat(o.Secrets, o.login.Secrets())
}

// Connect is Open for callers who need only the connection.
func (d *Dialer) Connect(s Server, tap Tap) (wire.Conn, error) {
	o, err := d.Open(s, tap)
	if err != nil {
		return nil, err
	}
	return o.Conn, nil
}

// Open starts the server or connects to it. A nil tap records nothing. Errors do not contain what the server would have been given.
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
		d.Sandboxes.add(cmp.Or(d.SandboxName, o.Place), o.Sandbox, o.SandboxReport.Missing)
	}
	return o, nil
}

// runners are programs that download and run a package, with the words that precede its name.
var runners = map[string][]string{
	"npx": {"-y"}, "bunx": nil, "pnpx": nil, "uvx": nil, "npm": {"exec", "--"}, "pnpm": {"dlx"}, "yarn": {"dlx"}, "bun": {"x"}, "pipx": {"run"},
}

// checkRunner rejects a command that names only such a program: it would wait for its user, and we for it.
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

// hiddenError is an error with secrets removed from its text.
type hiddenError struct {
	error
	text string
}

func (e hiddenError) Error() string { return e.text }
func (e hiddenError) Unwrap() error { return e.error }

// openHTTP creates a transport for each connection, so that a server cannot link two of our clients, and closes it with the
// connection.
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
	h.Tap(tap(h.Place(), h.Secrets(), credentials)) // Guard is included
	o := &Opened{Conn: &dialed{h, transport}, Place: h.Place(), Secrets: h.Secrets()}
	if s.Configured {
		o.Secrets = slices.Concat(s.Guard, redact.URLSecrets(s.URL))
	}
	o.login = login
	return o, nil
}

// dialed closes its transport with the connection.
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

// ExplainMadeUp adds to a server's start error how to set real values for the variables that were given made-up ones, if it still
// complains about them. It returns nil for nil.
func ExplainMadeUp(err error, madeUp []string) error {
	if err == nil {
		return nil
	}
	names := slices.DeleteFunc(wire.NamedVariables(err.Error()), func(name string) bool { return !slices.Contains(madeUp, name) })
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("%w; its %s was made up: pass on a real one with --env %s", err, strings.Join(names, ", "), strings.Join(names, " --env "))
}
