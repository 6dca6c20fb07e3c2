package fetch

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// gitSafe keeps git from running anything that a repository or an address names, and from asking on the
// terminal.
var gitSafe = []string{"git", "--git-dir=.", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false", "-c", "filter.lfs.required=false", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process="}

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
	if err := showAllFiles(dir); err != nil {
		return nil, err
	}
	ref := cmp.Or(s.Version, "HEAD")
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
	if _, err := f.unpackArchive(ctx, p, filepath.Join(dir, "archive.tar"), unpackOptions{}); err != nil {
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

// showAllFiles has git write every file of the tree as it is: by its own attributes a tree could leave files out of
// an archive (export-ignore) that a clone has, or change them. These attributes come before those of the tree.
func showAllFiles(dir string) error {
	info := filepath.Join(dir, "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(info, "attributes"), []byte("* -export-ignore -export-subst -filter -ident -text -working-tree-encoding\n"), 0o600)
}

// withoutGit leaves out the variables by which a hook of git names the user's own repository.
func withoutGit(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"}, name)
	})
}

// fetchMCPB takes a bundle that lies on this machine.
func (f *Fetcher) fetchMCPB(ctx context.Context, s Spec) (*Fetched, error) {
	name := filepath.Base(s.Name)
	p := &Fetched{Kind: MCPB, Name: name, Label: name}
	if _, err := os.Stat(s.Name); err != nil {
		return nil, err
	}
	if _, err := f.unpackArchive(ctx, p, s.Name, unpackOptions{}); err != nil {
		return nil, err
	}
	return p, f.recogniseBundle(p)
}

// downloadedAt is the time limit for what is loaded without a client.
const downloadedAt = 2 * time.Minute
