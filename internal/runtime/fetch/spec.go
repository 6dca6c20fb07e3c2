package fetch

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A Kind is the sort of a target.
type Kind string

// The kinds.
const (
	NPM       Kind = "npm"
	PyPI      Kind = "pypi"
	Go        Kind = "go"
	Git       Kind = "git"
	MCPB      Kind = "mcpb"
	OCI       Kind = "oci"
	Registry  Kind = "registry"
	Directory Kind = "directory"
	URL       Kind = "url"
)

// A Spec is a target as a user names it.
type Spec struct {
	Kind    Kind
	Text    string // as it was named, without credentials
	Name    string // of the package or image, the URL or path of others
	Version string // "" for the newest; of git the ref
}

// Forms are the forms that Parse takes, for messages.
const Forms = "npm:NAME@VERSION, pypi:NAME==VERSION, go:MODULE@VERSION, git:URL#REF, mcpb:FILE, oci:IMAGE, registry:NAME, the URL of a server or a directory"

// What may stand in names and versions. Nothing begins with "-", since clients would take it for an
// option, and nothing names a file, an address or a repository where a name is wanted.
var (
	npmName    = lazyregexp.New(`^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*$`)
	version    = lazyregexp.New(`^[0-9A-Za-z^~<>=*][0-9A-Za-z.^~<>=|* +!,_-]*$`)
	pypiName   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]+\])?$`)
	modulePath = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._~/-]*\.[A-Za-z0-9._~/-]+$`)
	imageName  = lazyregexp.New(`^[a-z0-9][A-Za-z0-9._/:@-]*$`)
	serverName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)?$`)
	gitRef     = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._/+-]*$`)
)

// Parse reads a target.
func Parse(text string) (Spec, error) {
	kind, rest, prefixed := strings.Cut(text, ":")
	switch {
	case IsWeb(text):
		return Spec{Kind: URL, Text: WithoutCredentials(text), Name: text}, nil
	case !prefixed || rest == "":
		return parsePath(text)
	}
	switch Kind(kind) {
	case NPM:
		name, v := cutVersion(rest, "@")
		return checked(Spec{NPM, text, name, v}, npmName, version)
	case PyPI:
		name, v := cutVersion(strings.Replace(rest, "==", "@", 1), "@")
		return checked(Spec{PyPI, text, name, v}, pypiName, version)
	case Go:
		name, v := cutVersion(rest, "@")
		return checked(Spec{Go, text, name, v}, modulePath, version)
	case OCI:
		return checked(Spec{OCI, text, rest, ""}, imageName, version)
	case Registry:
		name, v := cutVersion(rest, "@")
		return checked(Spec{Registry, text, name, v}, serverName, version)
	case Git:
		return parseGit(text, rest)
	case MCPB:
		return Spec{Kind: MCPB, Text: text, Name: rest}, nil
	}
	return parsePath(text)
}

// IsWeb reports whether a text is an address of HTTP.
func IsWeb(text string) bool {
	lower := strings.ToLower(text)
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// cutVersion cuts at the last separator that is not the first character, which begins a scope.
func cutVersion(text, separator string) (name, version string) {
	if i := strings.LastIndex(text, separator); i > 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

func checked(s Spec, name, version *lazyregexp.Regexp) (Spec, error) {
	if !name.MatchString(s.Name) {
		return Spec{}, fmt.Errorf("%q is no name of the kind %s", s.Name, s.Kind)
	}
	if s.Version != "" && !version.MatchString(s.Version) {
		return Spec{}, fmt.Errorf("%q is no version of %s", s.Version, s.Name)
	}
	return s, nil
}

// scpLike is the short form of SSH addresses, user@host:path.
var scpLike = lazyregexp.New(`^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[A-Za-z0-9._~/-]+$`)

func parseGit(text, rest string) (Spec, error) {
	address, ref, _ := strings.Cut(strings.TrimPrefix(rest, "+"), "#")
	s := Spec{Kind: Git, Text: "git:" + WithoutCredentials(address), Name: address, Version: ref}
	if ref != "" {
		s.Text += "#" + ref
	}
	u, err := url.Parse(address)
	known := err == nil && (u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "ssh" || u.Scheme == "git" || u.Scheme == "file")
	if !known && !scpLike.MatchString(address) {
		return Spec{}, fmt.Errorf("%q is no address of a repository: want https, ssh, git or file", WithoutCredentials(address))
	}
	if ref != "" && !gitRef.MatchString(ref) {
		return Spec{}, fmt.Errorf("%q is no branch, tag or commit", ref)
	}
	return s, nil
}

// parsePath takes a bundle or a directory by its path.
func parsePath(text string) (Spec, error) {
	info, err := os.Stat(text)
	switch {
	case err == nil && info.IsDir():
		return Spec{Kind: Directory, Text: text, Name: text}, nil
	case err == nil && (strings.HasSuffix(text, ".mcpb") || strings.HasSuffix(text, ".dxt")):
		return Spec{Kind: MCPB, Text: text, Name: text}, nil
	case err == nil:
		return Spec{}, fmt.Errorf("%q is a file and no bundle: want %s", text, Forms)
	}
	return Spec{}, fmt.Errorf("%q is no target: want %s", text, Forms)
}

// WithoutCredentials takes user, password, query and fragment out of an address.
func WithoutCredentials(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
