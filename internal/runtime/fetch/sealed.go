package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/runtime/sandbox"
)

// ErrUnsealed says that there is no sandbox to run the client of an ecosystem in: what a package depends on is
// chosen by its author, and so is what a client loads, asks and builds for it.
var ErrUnsealed = errors.New("what it depends on is resolved only in a sandbox, and this machine offers none")

// workDir is where clients write in their sandbox: a folder of its own there.
const workDir = "/tmp"

// clientLimits are the bounds on what a client uses in its sandbox.
var clientLimits = sandbox.Limits{Memory: 16 << 30, Disk: maxTree, FileSize: 1 << 30, Files: 500_000}

// A seal says what a client finds in its sandbox, and what of it is kept.
type seal struct {
	hosts []string       // HOST:PORT of the registries, the only ones there are
	files []sandbox.File // settings of the user
	read  []string       // directories that it sees a copy of
	take  []taken
	led   []string // hosts beside the registries that it was led to, when it has ended
}

// taken is a folder that is taken out when the client has ended.
type taken struct{ from, to string }

// taking returns a copy of the seal that takes folders out.
func (s *seal) taking(t ...taken) *seal {
	out := *s
	out.take = t
	return &out
}

// newSandbox makes the sandbox of one run of a client; nil where the run needs none.
func (f *Fetcher) newSandbox(c *client) (*sandbox.Sandbox, error) {
	if c.seal == nil {
		return nil, nil
	}
	if f.Sandboxed != nil {
		if err := f.Sandboxed(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnsealed, err)
		}
	}
	box, err := sandbox.New(sandbox.Config{Environ: f.Environ, Dir: c.dir, OwnFiles: true, Scratch: true, Read: c.seal.read, Allow: c.seal.hosts, Files: c.seal.files, Limits: clientLimits})
	if errors.Is(err, sandbox.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", ErrUnsealed, err)
	}
	return box, err
}

// outside lists the hosts beside the registries that a client was led to, each once, and says why a registry could not be
// reached; "" where each could.
func outside(events []sandbox.Event) (out []string, unreached string) {
	for i := range events {
		e := &events[i]
		if e.Kind == sandbox.Limit && e.Allowed {
			unreached = "the registry " + e.Host + " could not be reached:" + e.Text[strings.LastIndex(e.Text, "reached:")+len("reached:"):]
		}
		if !e.Outgoing() || e.Allowed || e.Host == "" || e.Kind == sandbox.Lookup {
			continue
		}
		if what := e.Host; !slices.Contains(out, what) && len(out) < maxOdd {
			out = append(out, what)
		}
	}
	return out, unreached
}

// sealedEnviron is the environment of a client in its sandbox: what every program needs, and what of ours has one of these
// beginnings. Nothing else of the user's is for code that a package brings.
func (f *Fetcher) sealedEnviron(prefixes ...string) (out []string) {
	for _, e := range f.Environ {
		name, _, _ := strings.Cut(e, "=")
		lower := strings.ToLower(name)
		if slices.Contains([]string{"HOME", "PATH", "LANG", "LC_ALL"}, name) || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(lower, p) }) {
			out = append(out, e)
		}
	}
	return out
}

// hostsOf are the hosts of registries, each once as HOST:PORT.
func hostsOf(addresses []string) (out []string, err error) {
	for _, a := range addresses {
		u, err := url.Parse(strings.TrimSpace(a))
		if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
			continue // a directory of this machine, which stays unseen
		}
		port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
		if at := net.JoinHostPort(u.Hostname(), port); !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the settings of the client name no registry on the web")
	}
	return out, nil
}

// settings has a client tell its settings, outside of the sandbox: they are the user's.
func (f *Fetcher) settings(ctx context.Context, args ...string) ([]byte, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(dir)
	return f.run(ctx, client{dir: dir, env: []string{"npm_config_loglevel=error", "PYTHONSAFEPATH=1"}, args: args})
}

// npmSeal is what npm finds in its sandbox: the user's registries, also those of scopes, and logins at them. npm runs nothing of a
// package, so that these are for npm alone.
func (f *Fetcher) npmSeal(ctx context.Context) (*seal, []string, error) {
	out, err := f.settings(ctx, "npm", "config", "ls", "--json")
	if err != nil {
		return nil, nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, nil, fmt.Errorf("the settings of npm: %w", err)
	}
	addresses := []string{"https://registry.npmjs.org/"}
	for name, value := range all {
		text, ok := value.(string)
		switch {
		case ok && name == "registry":
			addresses[0] = text
		case ok && strings.HasSuffix(name, ":registry"):
			addresses = append(addresses, text)
		}
	}
	hosts, err := hostsOf(addresses)
	if err != nil {
		return nil, nil, err
	}
	s := &seal{hosts: hosts, files: []sandbox.File{{Path: "~/.npmrc"}}} // empty, where a canary would be: npm would send it
	user := filepath.Join(f.variable("HOME"), ".npmrc")
	if named, ok := all["userconfig"].(string); ok {
		user = named
	}
	if text, err := readSmall(user); err == nil {
		s.files[0].Data = text
	}
	return s, addresses, nil
}

func (f *Fetcher) npmSealed() []string {
	env := slices.DeleteFunc(f.sealedEnviron("npm_config_"), func(e string) bool {
		name, _, _ := strings.Cut(strings.ToLower(e), "=")
		return slices.Contains([]string{"npm_config_userconfig", "npm_config_cache", "npm_config_prefix", "npm_config_proxy", "npm_config_https_proxy", "npm_config_cafile"}, name)
	})
	return slices.Concat(env, npmSafe)
}

// pipSeal is what pip finds in its sandbox: the user's indexes. Building a package from its source runs its code, so
// that this code sees what is among them.
func (f *Fetcher) pipSeal(ctx context.Context) (*seal, []string, error) {
	out, err := f.settings(ctx, "python3", "-m", "pip", "config", "list")
	if err != nil {
		return nil, nil, pipError(err)
	}
	index, more := "https://pypi.org/simple", ""
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.ReplaceAll(strings.Trim(value, `'"`), `\n`, " ")
		switch name[strings.LastIndexByte(name, '.')+1:] {
		case "index-url":
			index = value
		case "extra-index-url":
			more += " " + value
		}
	}
	addresses := append([]string{index}, strings.Fields(more)...)
	hosts, err := hostsOf(addresses)
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(hosts, "pypi.org:443") {
		hosts = append(hosts, "files.pythonhosted.org:443") // where its files are
	}
	return &seal{hosts: hosts}, addresses, nil
}

func (f *Fetcher) pipSealed(addresses []string) []string {
	env := slices.DeleteFunc(f.sealedEnviron("pip_"), func(e string) bool {
		return slices.ContainsFunc([]string{"PIP_CONFIG_FILE=", "PIP_PROXY=", "PIP_CERT=", "PIP_CACHE_DIR=", "PIP_FIND_LINKS="}, func(n string) bool { return strings.HasPrefix(e, n) })
	})
	return append(env, "PIP_CONFIG_FILE="+os.DevNull, "PIP_INDEX_URL="+addresses[0], "PIP_EXTRA_INDEX_URL="+strings.Join(addresses[1:], " "), "PYTHONSAFEPATH=1", "PIP_NO_CACHE_DIR=1")
}

// goSeal is what the go command finds in its sandbox: the user's proxies, and the database of checksums.
func (f *Fetcher) goSeal(ctx context.Context) (*seal, []string, error) {
	out, err := f.settings(ctx, "go", "env", "-json", "GOPROXY", "GOSUMDB", "GOCACHE")
	if err != nil {
		return nil, nil, err
	}
	var set struct{ GOPROXY, GOSUMDB, GOCACHE string }
	if err := json.Unmarshal(out, &set); err != nil {
		return nil, nil, fmt.Errorf("the settings of go: %w", err)
	}
	proxies := withoutDirect(set.GOPROXY)
	addresses := strings.FieldsFunc(proxies, func(r rune) bool { return r == ',' || r == '|' })
	sums := addresses
	switch name, address, _ := strings.Cut(set.GOSUMDB, " "); {
	case address != "":
		sums = append(sums, address)
	case name != "" && name != "off":
		sums = append(sums, "https://"+name)
	}
	hosts, err := hostsOf(sums)
	if err != nil {
		return nil, nil, err
	}
	s := &seal{hosts: hosts}
	if isDir(set.GOCACHE) { // what the user has built of the standard library is not built again
		s.read = []string{set.GOCACHE}
	}
	return s, append(f.sealedEnviron("gosumdb", "gonosumdb", "goprivate", "gonosumcheck"), "GOCACHE="+set.GOCACHE, "GOPROXY="+proxies, "GONOPROXY=none", "GOVCS=*:off"), nil
}
