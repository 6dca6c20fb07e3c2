package agent

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// sealedLimits are those of a sandboxed agent. Engines of JavaScript reserve far more address space than they use.
var sealedLimits = sandbox.Limits{Memory: 1 << 40, Processes: 2048, Disk: 2 << 30, FileSize: 1 << 30, Files: 200_000}

// seal has the command start in a sandbox that shows these directories of the run, and leads nowhere but to the agent's servers and
// its model. What the user wrote of the command is visible; the prompt comes from a document and opens nothing.
func (opt *Options) seal(command *wire.Command, shown []string) (*sandbox.Sandbox, error) {
	box, err := opt.Seal(opt.program(), sandbox.Config{
		Dir: command.Dir, Args: slices.DeleteFunc(slices.Clone(opt.Command), func(word string) bool { return strings.Contains(word, "{") }),
		Read: append(shown, opt.bridges()...), OwnFiles: true, Allow: opt.hosts(), Limits: sealedLimits,
	})
	if err != nil {
		return nil, err
	}
	// The sandbox reaches what is open by the user's proxy, which does not listen inside.
	command.Environ = slices.DeleteFunc(slices.Clone(command.Environ), func(e string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(e), "=")
		return name == "HTTP_PROXY" || name == "HTTPS_PROXY" || name == "ALL_PROXY"
	})
	command.Wrap = box.Wrap
	return box, nil
}

func (opt *Options) program() string {
	if opt.Preset != nil {
		return opt.Preset.Name
	}
	return opt.Command[0]
}

// bridges are the programs that the agent starts for its servers.
func (opt *Options) bridges() (out []string) {
	for _, s := range opt.Servers {
		out = append(out, s.Command[:min(len(s.Command), 1)]...)
	}
	return out
}

// hosts are where a sandboxed agent gets: its servers, and its model.
func (opt *Options) hosts() (out []string) {
	for _, s := range slices.Concat(opt.Servers, opt.Agents) {
		out = append(out, cmp.Or(s.Env[EnvAddress], hostPort(s.URL)))
	}
	switch {
	case opt.ModelURL != "":
		out = append(out, hostPort(opt.ModelURL))
	case opt.Preset != nil:
		out = append(out, opt.Preset.hosts...)
	}
	return out
}

// hostPort is the address in a URL. The name localhost stands for an address at which the sandbox can listen.
func hostPort(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	host, port := u.Hostname(), "443"
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if u.Scheme == "http" {
		port = "80"
	}
	return net.JoinHostPort(host, cmp.Or(u.Port(), port))
}
