package proberun

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // git's object ids
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"gauntlet/internal/runtime/sandbox"
)

// addRepository turns a folder into a git repository with one commit of these files, a tag, and a remote: a bare repository with
// the same commit.
func (l *layout) addRepository(root, remote string, content map[string]string) {
	objects := map[string][]byte{}
	var tree bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(content)) {
		id := addGitObject(objects, "blob", []byte(content[name]))
		fmt.Fprintf(&tree, "100644 %s\x00", name)
		tree.Write(id)
	}
	top := addGitObject(objects, "tree", tree.Bytes())
	const who = "Ada Example <ada@example.com> 1760000000 +0000"
	commit := addGitObject(objects, "commit", fmt.Appendf(nil, "tree %x\nauthor %s\ncommitter %s\n\nFirst commit\n", top, who, who))
	for _, at := range []string{root + "/.git", remote} {
		l.addFile(at+"/HEAD", "ref: refs/heads/main\n")
		l.addFile(at+"/refs/heads/main", hex.EncodeToString(commit)+"\n")
		l.addFile(at+"/refs/tags/v1.0.0", hex.EncodeToString(commit)+"\n")
		for name, data := range objects {
			l.files = append(l.files, sandbox.File{Path: at + "/objects/" + name[:2] + "/" + name[2:], Mode: 0o644, Data: data})
		}
	}
	l.addFile(root+"/.git/refs/remotes/origin/main", hex.EncodeToString(commit)+"\n")
	l.addFile(root+"/.git/config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[user]\n\tname = Ada Example\n\temail = ada@example.com\n"+
		"[remote \"origin\"]\n\turl = "+remote+"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n")
	l.addFile(remote+"/config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
}

// addGitObject adds an object and returns its id.
func addGitObject(objects map[string][]byte, kind string, data []byte) []byte {
	whole := append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...)
	id := sha1.Sum(whole)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(whole) // a buffer accepts everything
	_ = z.Close()
	objects[hex.EncodeToString(id[:])] = packed.Bytes()
	return id[:]
}
