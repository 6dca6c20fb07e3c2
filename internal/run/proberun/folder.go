package proberun

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/sandbox"
)

// plantBeside plants a sibling and a link in the sandbox's copy of the last folder in the start command, which is how servers
// without roots are told their folder.
func (g *testbed) plantBeside(server launch.Server) {
	folder := lastFolder(server)
	if folder == "" || g.folder != "" {
		return
	}
	sibling, link := folder+"-private", folder+"/shortcut"
	if taken(sibling) || taken(link) {
		return
	}
	g.place.Folder = folder
	g.files = append(g.files,
		sandbox.File{Path: sibling + "/canary.txt", Mode: 0o644, Data: []byte(g.content["sibling"] + "\n")},
		sandbox.File{Path: link, Link: g.base + "/elsewhere"})
}

// taken reports whether a path exists, or may exist.
func taken(path string) bool {
	_, err := os.Lstat(path)
	return !os.IsNotExist(err)
}

// readOnlyFolders are shown unchanged in the sandbox: nothing can be planted in them.
var readOnlyFolders = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "opt", "etc", "nix", "gnu", "snap", "proc", "sys", "dev"}

// lastFolder returns the last existing folder among a command's arguments, absolute, or "". The working directory does not count,
// since it holds the server itself; nor does a folder inside it or inside another one named by the command, since the server may be
// allowed to read its siblings.
func lastFolder(server launch.Server) string {
	if server.URL != "" || len(server.Command) < 2 {
		return ""
	}
	work, err := filepath.Abs(server.Dir)
	if err != nil {
		return ""
	}
	last, within := "", []string{work}
	for _, arg := range server.Command[1:] {
		if path := absoluteFolder(work, arg); path != "" {
			last, within = path, append(within, path)
		}
	}
	if slices.ContainsFunc(within, func(dir string) bool { return dir != last && strings.HasPrefix(last, dir+"/") }) {
		return ""
	}
	return last
}

// absoluteFolder returns the folder an argument names, or "" if nothing can be planted there.
func absoluteFolder(work, arg string) string {
	if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
		arg = value
	}
	path := filepath.Clean(arg)
	if !filepath.IsAbs(path) {
		path = filepath.Join(work, path)
	}
	first, _, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if arg == "" || !deeper || slices.Contains(readOnlyFolders, first) || strings.HasPrefix(work+"/", path+"/") {
		return ""
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeType != fs.ModeDir {
		return ""
	}
	return path
}
