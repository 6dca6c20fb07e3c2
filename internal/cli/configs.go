package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/check/config"
	"gauntlet/finding"
	"gauntlet/internal/discover"
)

// configFlags say which configurations of MCP clients to read, and whether what stands in
// them may be started.
type configFlags struct {
	files    []string
	discover bool
	noLaunch bool
	yes      bool

	often  string   // how often a server is started, where that is more than once
	writes []string // files that the run will write, none of which may be a configuration
}

func (c *configFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&c.files, "config", nil, "judge the configuration of an MCP client in this `FILE`, and scan the servers in it; repeatable (default none)")
	cmd.Flags().BoolVar(&c.discover, "discover", false, "do so with the configurations of all known clients of this user and of the current directory (default off)")
	cmd.Flags().BoolVar(&c.noLaunch, "no-launch", false, "start nothing and connect to nothing that stands in a configuration (default off)")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "start and connect to what stands in configurations without asking (default off)")
	_ = cmd.MarkFlagFilename("config") // fails only for a flag that is not there
}

// asked reports whether any configuration is to be read.
func (c *configFlags) asked() bool { return c.discover || len(c.files) > 0 }

// wrong returns what is wrong with the flags together, "" if nothing is.
func (c *configFlags) wrong() string {
	switch {
	case c.yes && c.noLaunch:
		return "--yes and --no-launch are opposites: want one of them"
	case c.yes && !c.asked():
		return "--yes is for servers in configurations: name one with --config, or --discover"
	case c.noLaunch && !c.asked():
		return "--no-launch is for servers in configurations: name one with --config, or --discover"
	}
	for _, f := range c.files {
		if f == "" || f == "-" {
			return "--config wants the name of a file"
		}
	}
	return ""
}

// machine is this machine and its user as the clients see them.
func (a *app) machine() discover.Host {
	h := discover.Host{FS: discover.Disk{}, OS: runtime.GOOS, Home: a.getenv("HOME"), Env: a.lookupEnv}
	if h.OS == "windows" {
		h.Home = a.getenv("USERPROFILE")
	}
	if dir, err := os.Getwd(); err == nil {
		h.Cwd = dir
	}
	return h
}

// spared returns an error if a configuration would be overwritten.
func (c *configFlags) spared(files []config.File) error {
	for i := range files {
		for _, w := range c.writes {
			if w != "-" && sameFile(files[i].Path, w) {
				return fmt.Errorf("%s would be read and overwritten", w)
			}
		}
	}
	return nil
}

// readConfigs reads the configurations: those that were named, then those that are found.
// What cannot be read is in their problems. A file that a client has under two names is read
// once. Nothing is started.
func (a *app) readConfigs(ctx context.Context, c *configFlags) ([]config.File, []finding.Problem, error) {
	host := a.machine()
	type read struct {
		files    []config.File
		problems []finding.Problem
	}
	got, err := interruptible(ctx, func() read {
		var out read
		for _, name := range c.files {
			if f := named(host, name); !among(out.files, f.Path) {
				out.files = append(out.files, f)
			}
		}
		own := len(out.files)
		if !c.discover {
			return out
		}
		if host.Home == "" {
			out.problems = append(out.problems, finding.Problem{Kind: finding.Failed, Input: -1, Message: "the home directory is not known: HOME (on Windows USERPROFILE) is not set"})
			return out
		}
		found := discover.All(host)
		for _, f := range found {
			// Clients that share a file by a link are two agents, each with its own manners.
			same := slices.DeleteFunc(slices.Clone(out.files[own:]), func(o config.File) bool { return o.Client != f.Client })
			if !among(out.files[:own], f.Path) && !among(same, f.Path) {
				out.files = append(out.files, f)
			}
		}
		if len(found) == 0 {
			out.problems = append(out.problems, finding.Problem{Kind: finding.Unread, Input: -1, Message: "nothing was found: no known client has a configuration here"})
		}
		return out
	})
	return got.files, got.problems, err
}

// named reads a configuration that the user named, and calls it what the user did.
func named(host discover.Host, name string) config.File {
	path, err := filepath.Abs(name)
	if err != nil {
		path = name
	}
	f := host.ReadFile(path, discover.Hint{})
	f.Path = name
	for i := range f.Entries {
		f.Entries[i].File = name
	}
	for i := range f.Problems {
		f.Problems[i].Location.File = name
	}
	return f
}

func among(files []config.File, path string) bool {
	for i := range files {
		if sameFile(files[i].Path, path) {
			return true
		}
	}
	return false
}

// entryName is what messages call a server of a configuration: two clients may have one
// of the same name.
func entryName(e *config.Entry) string {
	name := e.Name
	if strings.TrimSpace(name) == "" {
		name = "a server without a name"
	}
	return name + " (" + string(e.Client) + ")"
}
