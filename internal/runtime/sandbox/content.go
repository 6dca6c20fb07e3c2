package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// serverEnvironment is what the server gets: what it was given, credentials that are canaries
// where it was given none of that name, and where to find the certificates that it is to trust.
func (s *Sandbox) serverEnvironment(given []string) []string {
	env := lastOfEach(given)
	add := func(name, value string) {
		if valueOf(given, name) == "" {
			env = append(env, name+"="+value)
		}
	}
	env = slices.DeleteFunc(env, func(e string) bool { return len(e) > len(markVariable) && e[:len(markVariable)] == markVariable })
	for _, c := range s.canaries {
		if c.Env != "" {
			add(c.Env, c.Value)
		}
	}
	add("HOME", "/root")
	add("PATH", "/usr/local/bin:/usr/bin:/bin")
	for _, name := range certificateVariables {
		add(name, certificateFile)
	}
	return append(env, "TMPDIR=/tmp")
}

// certificateFile holds the certificates that the sandbox trusts: those of this machine, and that
// of the sinkhole.
const certificateFile = "/etc/ssl/certs/ca-certificates.crt"

// certificateVariables tell Node, Python, Go, curl, git, Deno and the tools of AWS where it is.
var certificateVariables = []string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "DENO_CERT", "AWS_CA_BUNDLE", "PIP_CERT"}

// machineBundles are where systems keep their certificates.
var machineBundles = []string{certificateFile, "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}

// maxBundle bounds what is read of the machine's certificates, in bytes.
const maxBundle = 8 << 20

// bundle joins the machine's certificates with one more.
func bundle(own []byte) []byte {
	for _, name := range machineBundles {
		if text, err := os.ReadFile(name); err == nil && len(text) <= maxBundle {
			return append(append(text, '\n'), own...)
		}
	}
	return own
}

// lastOfEach leaves out entries of a name that is set again later, as package exec does.
func lastOfEach(env []string) (out []string) {
	seen := map[string]bool{}
	for _, e := range slices.Backward(env) {
		name, _, ok := strings.Cut(e, "=")
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, e)
	}
	slices.Reverse(out)
	return out
}

// markVariable is what package wire marks servers with, so that it can find them. The sandbox
// needs no such mark, and it would tell the server who started it.
const markVariable = "GAUNTLET_SERVER="

// etcFiles are laid in front of what /etc holds.
func (s *Sandbox) etcFiles() []File {
	trusted := bundle(s.certificate())
	out := []File{
		{Path: "/etc/resolv.conf", Mode: 0o644, Data: []byte("nameserver 10.0.2.3\noptions timeout:2 attempts:2\n")},
		{Path: "/etc/hosts", Mode: 0o644, Data: []byte("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n10.0.2.15 workstation\n")},
		{Path: "/etc/hostname", Mode: 0o644, Data: []byte("workstation\n")},
		{Path: "/etc/nsswitch.conf", Mode: 0o644, Data: []byte("passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n")},
	}
	for _, name := range machineBundles {
		out = append(out, File{Path: name, Mode: 0o644, Data: trusted})
	}
	return out
}

// inHome turns "~/x" into a path below a home.
func inHome(home, path string) string {
	if len(path) > 2 && path[:2] == "~/" {
		return filepath.Join(home, path[2:])
	}
	return path
}
