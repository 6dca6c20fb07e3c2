package config

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// A spec is a package specifier of a package runner.
type spec struct {
	runner string
	kind   ecosystem
	text   string
	at     Place
	from   int // offset of text in the string at the place
}

type ecosystem uint8

const (
	npm ecosystem = iota
	pypi
	image
	golang
)

// A packageRunner is a program, with its subcommands, that fetches a package and starts it.
type packageRunner struct {
	command string // its words
	kind    ecosystem
	valued  map[string]bool // options with a separate value
	named   []string        // options whose value is a package; a final "" says that the plain word is none
}

var packageRunners = []packageRunner{
	{"npx", npm, npmOptions, npmNamed}, {"pnpx", npm, npmOptions, npmNamed}, {"bunx", npm, npmOptions, npmNamed}, {"npm exec", npm, npmOptions, npmNamed}, {"npm x", npm, npmOptions, npmNamed},
	{"bun x", npm, npmOptions, npmNamed}, {"pnpm dlx", npm, npmOptions, npmNamed}, {"yarn dlx", npm, npmOptions, npmNamed},
	{"uvx", pypi, uvOptions, uvNamed}, {"uv tool run", pypi, uvOptions, uvNamed}, {"pipx run", pypi, uvOptions, []string{"--spec"}},
	{"go run", golang, nil, nil},
	{"uv run", pypi, uvOptions, []string{"--with", ""}}, // the plain word is a program of the project, or of a --with package
}

func specs(l launch) []spec {
	command := func(words ...string) bool {
		return l.program == words[0] && len(l.args) >= len(words)-1 && slices.EqualFunc(l.args[:len(words)-1], words[1:], func(a word, w string) bool { return a.text == w })
	}
	for _, r := range packageRunners {
		if words := strings.Fields(r.command); command(words...) {
			return r.specs(strings.Replace(r.command, "npm x", "npm exec", 1), l.args[len(words)-1:])
		}
	}
	switch {
	case l.program == "deno":
		return deno(l.args)
	case containers[l.program] && command(l.program, "container", "run"):
		return imageOf(l.program+" run", l.args[2:])
	case containers[l.program] && command(l.program, "run"):
		return imageOf(l.program+" run", l.args[1:])
	}
	return nil
}

// Options with a separate value, and those whose value is a package.
var (
	npmNamed   = []string{"-p", "--package"}
	uvNamed    = []string{"--from", "--with"}
	npmOptions = options("-p --package -c --call --registry --cache --userconfig -w --workspace --prefix --loglevel --node-options --shell")
	uvOptions  = options("--from --with --with-editable --with-requirements --python -p --index-url --index --default-index -i --extra-index-url --find-links -f --cache-dir --directory --project --env-file --refresh-package --constraints --constraint -c --overrides --build-constraints -b --exclude-newer --color --config-file --python-platform --index-strategy --keyring-provider --resolution --prerelease --link-mode --reinstall-package --upgrade-package -P --extra --group --package --pip-args --spec --torch-backend --allow-insecure-host --module -m")
)

func options(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// specs parses the arguments of a package runner: values of the named options are specs; without any, the first non-option
// is. With --with next to --from or a plain word, both count.
func (r packageRunner) specs(name string, args []word) (out []spec) {
	explicit, quiet := false, slices.Contains(r.named, "")
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch option, value, hasValue := strings.Cut(text, "="); {
		case text == "--":
			r.valued, r.named = nil, nil
			continue
		case text == "--no-install" || text == "--no" || text == "--offline" || text == "--no-index":
			return nil
		case !strings.HasPrefix(text, "-"):
			if !explicit && !quiet && (r.kind != golang || strings.Contains(text, "@")) { // other names of Go are of the module at hand
				out = append(out, spec{name, r.kind, text, args[i].at, max(0, args[i].from)})
			}
			return out
		case hasValue && slices.Contains(r.named, option):
			out = append(out, spec{name, r.kind, value, args[i].at, args[i].from + len(option) + 1})
			explicit = explicit || option != "--with"
		case !hasValue && slices.Contains(r.named, option) && i+1 < len(args):
			i++
			out = append(out, spec{name, r.kind, args[i].text, args[i].at, max(0, args[i].from)})
			explicit = explicit || option != "--with"
		case !hasValue && r.valued[option]:
			i++
		}
	}
	return out
}

func deno(args []word) []spec {
	for _, a := range args {
		for _, prefix := range []string{"npm:", "jsr:"} {
			if rest, ok := strings.CutPrefix(a.text, prefix); ok {
				return []spec{{"deno", npm, strings.TrimPrefix(rest, "/"), a.at, max(0, a.from) + len(a.text) - len(strings.TrimPrefix(rest, "/"))}}
			}
		}
	}
	return nil
}

// dockerFlags are the options of "docker run" without a value; all others have one.
var dockerFlags = options("--rm --init --interactive --tty --privileged --read-only --detach --publish-all --no-healthcheck --oom-kill-disable --sig-proxy --disable-content-trust --quiet --help --replace --tls-verify --no-hosts --rmi --env-host --http-proxy")

// imageOf returns the image in the arguments of "docker run".
func imageOf(name string, args []word) []spec {
	for i := 0; i < len(args); i++ {
		text := args[i].text
		switch {
		case text == "--":
			continue
		case !strings.HasPrefix(text, "-"):
			return []spec{{name, image, text, args[i].at, max(0, args[i].from)}}
		case text == "--pull=never":
			return nil
		case text == "--pull" && i+1 < len(args) && args[i+1].text == "never":
			return nil
		case strings.HasPrefix(text, "--"):
			if !strings.Contains(text, "=") && !dockerFlags[text] {
				i++
			}
		case strings.Trim(text[1:], "itdPq") != "":
			// A cluster may end with an option that has a value, separate as in "-ite NAME=VALUE" or attached as in "-p8080:80".
			if len(strings.TrimLeft(text[1:], "itdPq")) == 1 {
				i++
			}
		}
	}
	return nil
}

var (
	exactNPM     = lazyregexp.New(`^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)
	exactPyPI    = lazyregexp.New(`^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|post|rev|r|dev)[-_.]?\d*)*(?:\+[0-9A-Za-z.-]+)?$`)
	exactTag     = lazyregexp.New(`^v?\d+\.\d+(?:\.\d+)*(?:[-._].*)?$|^\d{4}-?\d{2}-?\d{2}|^(?:sha-)?[0-9a-f]{7,40}$`)
	exactGo      = lazyregexp.New(`^v\d+\.\d+\.\d+|^[0-9a-f]{7,40}$`)
	commit       = lazyregexp.New(`^[0-9a-f]{40}$`)
	npmShorthand = lazyregexp.New(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

// loose says why the next start may run different code, "" if it cannot.
func (s spec) loose() string {
	text := s.text
	if text == "" || refers(text) || local(text) {
		return ""
	}
	switch s.kind {
	case image:
		return looseImage(text)
	case golang:
		_, version, _ := strings.Cut(text, "@")
		if exactGo.MatchString(version) {
			return ""
		}
		return moving(version)
	case pypi:
		return loosePyPI(text)
	}
	return looseNPM(text)
}

func local(text string) bool {
	return text == "." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") ||
		strings.HasPrefix(text, "file:") || strings.HasPrefix(text, `.\`) || len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') || strings.HasSuffix(text, ".whl") && !strings.Contains(text, "://")
}

const noVersion = "without a version"

func moving(version string) string {
	if version == "" {
		return noVersion
	}
	return "with a version that can change, " + quoteArgument(maskSecrets(version))
}

func repository(text, separator string) (string, bool) {
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "git@") && !strings.HasPrefix(text, "github:") && !strings.HasPrefix(text, "gitlab:") && !strings.HasPrefix(text, "bitbucket:") {
		return "", false
	}
	if !strings.Contains(text, "git") && !strings.Contains(text, ".zip") && !strings.Contains(text, ".tgz") && !strings.Contains(text, ".tar") && !strings.Contains(text, "://") {
		return "", false
	}
	after := text
	if i := strings.Index(text, "://"); i >= 0 {
		after = text[i+3:]
		if j := strings.IndexByte(after, '/'); j >= 0 {
			after = after[j:]
		}
	}
	i := strings.LastIndex(after, separator)
	ref := ""
	if i >= 0 {
		ref, _, _ = strings.Cut(after[i+1:], "#")
	}
	if commit.MatchString(ref) || strings.Contains(text, "#sha256=") {
		return "", true
	}
	if ref == "" {
		return "from an address, without a commit or a hash", true
	}
	return "from a repository, at a branch or tag that can move, " + quoteArgument(maskSecrets(ref)), true
}

func looseNPM(text string) string {
	if why, ok := repository(text, "#"); ok {
		return why
	}
	if npmShorthand.MatchString(strings.SplitN(text, "#", 2)[0]) && !strings.HasPrefix(text, "@") {
		_, ref, _ := strings.Cut(text, "#")
		if commit.MatchString(ref) {
			return ""
		}
		return "from a repository, without a commit"
	}
	at := strings.LastIndexByte(text, '@')
	version := ""
	if at > 0 {
		version = text[at+1:]
	}
	if exactNPM.MatchString(strings.TrimPrefix(version, "=")) {
		return ""
	}
	// A path after the version of a deno specifier.
	if v, _, ok := strings.Cut(version, "/"); ok && exactNPM.MatchString(v) {
		return ""
	}
	return moving(version)
}

func loosePyPI(text string) string {
	name, address, hasAddress := strings.Cut(text, " @ ")
	if hasAddress {
		text = address
	}
	if why, ok := repository(text, "@"); ok {
		return why
	}
	if _, version, ok := strings.Cut(name, "=="); ok {
		version = strings.TrimPrefix(version, "=")
		version, _, _ = strings.Cut(version, ";")
		if exactPyPI.MatchString(strings.TrimSpace(version)) {
			return ""
		}
		return moving(version)
	}
	if _, version, ok := strings.Cut(name, "@"); ok {
		if exactPyPI.MatchString(version) {
			return ""
		}
		return moving(version)
	}
	if i := strings.IndexAny(name, "<>~!"); i > 0 {
		return moving(name[i:])
	}
	return noVersion
}

func looseImage(text string) string {
	name, digest, ok := strings.Cut(text, "@")
	if ok && strings.HasPrefix(digest, "sha256:") {
		return ""
	}
	last := name[strings.LastIndexByte(name, '/')+1:]
	_, tag, _ := strings.Cut(last, ":")
	switch {
	case tag == "":
		return "without a tag or a digest"
	case exactTag.MatchString(tag):
		return ""
	}
	return "with a tag that moves, " + quoteArgument(tag)
}
