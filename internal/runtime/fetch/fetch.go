// Package fetch gets a package from where it is published, with the client of its ecosystem and the
// user's settings, and says how it would be started. The client runs in a sandbox whose only hosts are the
// registries, since what a package depends on, and what its client loads and builds for it, is chosen by its author.
// Where there is no sandbox, archives are read and nothing is resolved.
//
// What it gets lies in a cache, by the hash of its content. Archives are unpacked under limits; an archive
// that nothing honest has is not installed. What would have to be built or run for an installation is left
// to the sandbox that the server is started in.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/result"
)

// A Fetcher gets packages.
type Fetcher struct {
	Environ []string // ours: clients get all of it, with the user's registries and proxies
	Cache   string   // the directory of the cache
	Limits  unpackLimits
	Now     func() time.Time
	// Registry is the address of the MCP registry that registry: targets are looked up in.
	Registry string
	// Public restricts it to packages of public registries, for whoever asks in the name of a stranger: no address, no
	// file, no repository, no image of a registry on this machine or network, and modules of Go through a proxy alone.
	Public bool
	// Progress is told what is being done.
	Progress func(format string, args ...any)
	// Heard is told what a client, or what it built, sent out in its sandbox that it has no business with; nil for nobody.
	Heard func([]sandbox.Event)
	// Sandboxed says why clients cannot be run sealed off here, nil for nothing. The default asks the system.
	Sandboxed func() error
}

// DefaultRegistry is the official MCP registry.
const DefaultRegistry = "https://registry.modelcontextprotocol.io"

// A Fetched package: its archive is here and its files are unpacked, nothing is installed.
type Fetched struct {
	Kind    Kind
	Name    string
	Version string
	Label   string // what findings call it: name and version
	Facts   result.Package
	// Dir holds the files of the package, "" where none were unpacked.
	Dir string
	// Ecosystem is the word of OSV for where it comes from, "" for nowhere.
	Ecosystem string
	// Packages are those that were installed with it. It is filled in by Install.
	Packages []Dependency
	// URL is where the server is, for one that is reached and not started.
	URL string

	installed string // the SHA-256 of the archive that was installed, in hexadecimal; "" where nobody says
	install   func(context.Context) (*Start, error)
	temporary []string // directories that Close removes
	unchosen  []string // what its dependencies ask for and npm left out, as NAME@SPEC
	linked    []string // folders below Dir that npm links into a project, with slashes
}

// Close removes what is not kept in the cache.
func (p *Fetched) Close() {
	for _, dir := range p.temporary {
		removeTree(dir)
	}
}

// A Dependency is one package that another one asks for.
type Dependency struct{ Ecosystem, Name, Version string }

// A Start is how a server is started.
type Start struct {
	Command []string
	Env     []string // NAME=VALUE
	Dir     string   // the working directory
	Read    []string // what a sandbox has to show it beside the command
	// Needs are variables that the package says it needs.
	Needs []string
	// Notes are what there is to know about it, such as which of several programs was chosen.
	Notes []string
}

func (s *Start) noteOthers(program string, others int) {
	if others > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("of %d programs %s was started", others+1, program))
	}
}

// ErrCannotStart says that there is nothing to start; the error around it says why.
var ErrCannotStart = errors.New("cannot be started")

// errNotPublic says that a target is none that a stranger may have fetched.
var errNotPublic = errors.New("it is no package of a public registry: its user can vet it, with gauntlet vet")

// publicKinds are the kinds that are published in registries.
var publicKinds = []Kind{NPM, PyPI, Go, OCI, Registry}

// Fetch gets what a spec names. An error says that nothing was got.
func (f *Fetcher) Fetch(ctx context.Context, s Spec) (*Fetched, error) {
	if f.Public && !slices.Contains(publicKinds, s.Kind) {
		return nil, errNotPublic
	}
	switch s.Kind {
	case NPM:
		return f.fetchNPM(ctx, s)
	case PyPI:
		return f.fetchPyPI(ctx, s)
	case Go:
		return f.fetchGo(ctx, s)
	case Git:
		return f.fetchGit(ctx, s)
	case MCPB:
		return f.fetchMCPB(ctx, s)
	case OCI:
		return f.fetchImage(ctx, s)
	case Registry:
		return f.fetchRegistry(ctx, s)
	case Directory:
		return f.fetchDirectory(ctx, s)
	}
	return nil, errors.New("this kind of target is not known: want " + Forms)
}

// Install installs what the package depends on, and says how it is started.
func (p *Fetched) Install(ctx context.Context) (*Start, error) {
	if p.install == nil {
		return nil, ErrCannotStart
	}
	return p.install(ctx)
}

// Hostile reports whether the archive is one that nothing of should be installed or started.
func (p *Fetched) Hostile() bool {
	if p.Facts.Mismatch != "" {
		return true
	}
	for _, f := range p.Facts.Faults {
		if f.Hostile() {
			return true
		}
	}
	return false
}
