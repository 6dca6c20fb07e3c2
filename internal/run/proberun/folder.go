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

// plantBeside puts a sibling and a link into the sandbox's copy of the last folder that the start command
// names: servers that know no roots are told their folder so.
func (g *ground) plantBeside(server launch.Server) {
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

// taken reports whether something stands at a path, or may.
func taken(path string) bool {
	_, err := os.Lstat(path)
	return !os.IsNotExist(err)
}

// readOnlyFolders are shown in the sandbox as they are: nothing can be planted in them.
var readOnlyFolders = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "opt", "etc", "nix", "gnu", "snap", "proc", "sys", "dev"}

// lastFolder is the last existing folder among the arguments of a command, absolute, "" for none. The
// working directory is none: it holds the server itself. Nor is a folder in it or in another one that the command names,
// since what stands beside it may be the server's to read.
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

// absoluteFolder is the folder that an argument names, "" where it names none that can be planted in.
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
