package clientplan

import (
	"path/filepath"
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/discover"
)

// ReadFiles reads configurations: the named ones, then with found all that are found on this
// machine. What cannot be read is in their problems. A file that a client has under two names
// is read once. Nothing is started.
func ReadFiles(host discover.Host, names []string, found bool) (files []config.File, problems []finding.Problem) {
	for _, name := range names {
		if f := readNamed(host, name); !containsFile(files, f.Path) {
			files = append(files, f)
		}
	}
	if !found {
		return files, nil
	}
	own := len(files)
	if host.Home == "" {
		return files, []finding.Problem{{Kind: finding.Failed, Input: -1, Message: "the home directory is not known: HOME (on Windows USERPROFILE) is not set"}}
	}
	all := discover.All(host)
	for _, f := range all {
		// Clients that share a file by a link are two agents, each with its own manners.
		same := slices.DeleteFunc(slices.Clone(files[own:]), func(o config.File) bool { return o.Client != f.Client })
		if !containsFile(files[:own], f.Path) && !containsFile(same, f.Path) {
			files = append(files, f)
		}
	}
	if len(all) == 0 {
		problems = append(problems, finding.Problem{Kind: finding.Unread, Input: -1, Message: "nothing was found: no known client has a configuration here"})
	}
	return files, problems
}

// readNamed reads a configuration that the user named, and calls it what the user did.
func readNamed(host discover.Host, name string) config.File {
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

func containsFile(files []config.File, path string) bool {
	return slices.ContainsFunc(files, func(f config.File) bool { return userfile.Same(f.Path, path) })
}
