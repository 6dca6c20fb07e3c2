package fetch

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"gauntlet/internal/runtime/unpack"
)

// gitSafe keeps git from running anything that a repository or an address names, and from asking on the
// terminal.
var gitSafe = []string{"git", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false", "-c", "filter.lfs.required=false", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process="}

var gitEnv = []string{"GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_SSH_COMMAND=ssh -oBatchMode=yes"}

// fetchGit gets one state of a repository. No work tree is checked out: the files come as an archive.
func (f *Fetcher) fetchGit(ctx context.Context, s Spec) (*Fetched, error) {
	dir, err := f.scratch()
	if err != nil {
		return nil, err
	}
	defer removeTree(dir)
	git := func(args ...string) (string, error) {
		out, err := f.run(ctx, client{dir: dir, grows: dir, env: gitEnv, args: append(gitSafe[:len(gitSafe):len(gitSafe)], args...)})
		return strings.TrimSpace(string(out)), err
	}
	f.Progress("%s: loading the repository", s.Text)
	if _, err := git("init", "--quiet", "--bare", "."); err != nil {
		return nil, err
	}
	ref := s.Version
	if ref == "" {
		ref = "HEAD"
	}
	if _, err := git("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", s.Name, ref); err != nil {
		return nil, err
	}
	commit, err := git("rev-parse", "FETCH_HEAD^{commit}")
	if err != nil {
		return nil, err
	}
	if _, err := git("archive", "--format=tar", "--output="+filepath.Join(dir, "archive.tar"), commit); err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(path.Base(strings.TrimRight(s.Name, "/")), ".git")
	p := &Fetched{Kind: Git, Name: name, Version: commit, Label: name + "@" + commit[:min(len(commit), 12)]}
	if _, err := f.unpackArchive(ctx, p, filepath.Join(dir, "archive.tar"), unpack.Options{}); err != nil {
		return nil, err
	}
	p.Facts.Origin = WithoutCredentials(s.Name)
	if ref == commit {
		p.Facts.Integrity = "commit that was named"
	}
	if when, err := git("show", "--no-patch", "--format=%cI", commit); err == nil {
		p.Facts.Published = when
		p.Facts.AgeDays = ageDays(when, f.Now())
	}
	name, version, label := p.Name, p.Version, p.Label
	if err := f.recognise(p); err != nil {
		return nil, err
	}
	p.Name, p.Version, p.Label = name, version, label
	p.Ecosystem = "" // what lies in a repository is no release that an advisory names
	return p, nil
}

// fetchMCPB takes a bundle that lies on this machine.
func (f *Fetcher) fetchMCPB(ctx context.Context, s Spec) (*Fetched, error) {
	name := filepath.Base(s.Name)
	p := &Fetched{Kind: MCPB, Name: name, Label: name}
	if _, err := os.Stat(s.Name); err != nil {
		return nil, err
	}
	if _, err := f.unpackArchive(ctx, p, s.Name, unpack.Options{}); err != nil {
		return nil, err
	}
	return p, f.recogniseBundle(p)
}

// downloadedAt is the time limit for what is loaded without a client.
const downloadedAt = 2 * time.Minute
