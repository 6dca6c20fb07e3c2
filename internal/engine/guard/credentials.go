package guard

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/engine/acts"
)

// credentialPaths are the ends of paths where credentials are kept, by their parts.
var credentialPaths = append(splitPaths(acts.CredentialPaths), []string{"login data"}, []string{"default", "cookies"})

// credentialKinds are endings of files that hold credentials, or often do.
var credentialKinds = map[string]Decision{".kdbx": Deny, ".ppk": Deny, ".tfstate": Ask, ".p12": Ask, ".pfx": Ask, ".jks": Ask}

func splitPaths(list string) (out [][]string) {
	for p := range strings.FieldsSeq(list) {
		out = append(out, strings.Split(p, "/"))
	}
	return out
}

// harmless are files in folders of credentials that hold none.
var harmless = []string{"config", "known_hosts", "known_hosts.old", "authorized_keys", "allowed_signers"}

// credentialFile says what a path deserves: Deny for one that holds credentials, Ask for one that may, Pass for another. The
// path may have wildcards.
func credentialFile(p string) Decision {
	parts := strings.Split(plainPath(p), "/")
	name := parts[len(parts)-1]
	switch ext := path.Ext(strings.TrimSuffix(name, ".backup")); {
	case ext == ".pub" || ext == ".example" || ext == ".sample":
		return Pass
	case name == ".env" || strings.HasPrefix(name, ".env.") && !slices.Contains([]string{".test", ".template", ".dist", ".defaults", ".schema"}, ext):
		return Ask
	case credentialKinds[ext] != "":
		return credentialKinds[ext]
	}
	for _, want := range credentialPaths {
		folder := want[len(want)-1] == ""
		if folder {
			want = want[:len(want)-1]
		}
		for at := range parts {
			n := at + len(want)
			if n > len(parts) || !folder && n != len(parts) || !matches(parts[at:n], want) {
				continue
			}
			if n < len(parts) && slices.Contains(harmless, parts[n]) {
				continue
			}
			return Deny
		}
	}
	return Pass
}

// credentialName reports whether files of a name, which may have wildcards, hold credentials somewhere: "credentials" does in ~/.aws.
func credentialName(name string) bool {
	name = path.Base(strings.ToLower(name))
	if credentialFile(name) != Pass || name == "credentials" {
		return true
	}
	return slices.ContainsFunc(credentialPaths, func(want []string) bool {
		last := want[len(want)-1:]
		return last[0] != "" && last[0] != "config" && matches([]string{name}, last)
	})
}

// matches reports whether parts of a path, which may have wildcards, can be those wanted. A wildcard alone is no name.
func matches(parts, want []string) bool {
	for i, w := range want {
		p := parts[i]
		switch {
		case p == w || w == "*":
			continue
		case !strings.ContainsAny(p, "*?["), w[0] == '.' && p[0] != '.', len(strings.Trim(p, "*?[]")) < 2:
			return false
		}
		if ok, _ := path.Match(p, w); !ok {
			return false
		}
	}
	return true
}

// plainPath spells a path in small letters, with slashes and ~ for anybody's home.
func plainPath(p string) string {
	p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	p = strings.TrimPrefix(p, "file://")
	for _, home := range []string{"$home", "${home}", "%userprofile%"} {
		p = strings.Replace(p, home, "~", 1)
	}
	p = path.Clean(p)
	for strings.HasPrefix(p, "/proc/") && strings.Contains(p, "/root/") { // another name of /
		p = p[strings.Index(p, "/root/")+len("/root"):]
	}
	if len(p) > 2 && p[1] == ':' {
		p = p[2:]
	}
	parts := strings.Split(p, "/")
	switch {
	case strings.HasPrefix(p, "~"):
		parts[0] = "~"
	case strings.HasPrefix(p, "/root/") || p == "/root":
		parts = append([]string{"~"}, parts[2:]...)
	case len(parts) > 2 && (strings.HasPrefix(p, "/home/") || strings.HasPrefix(p, "/users/")):
		parts = append([]string{"~"}, parts[3:]...)
	}
	return strings.Join(parts, "/")
}
