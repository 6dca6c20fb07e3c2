package config

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
)

var _ = register(Check{
	ID: "GNT-113", Name: "wide-reach", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, ASI03 close, AST03 weak, AST06 close, CWE-250 close, CWE-732 close, CWE-668 weak, L4 close, L6 weak",
	Axis:     "excessive-agency", Source: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
	Doc: `A server or an agent gets the whole machine where a folder would do: a file server on / or on the home directory, a container
with / or the socket of Docker mounted, --privileged, a home directory among trusted folders.

Keys, cookies, mail and all projects are below the home directory. The socket of Docker is root on the machine.

Severity is high for mounts, for the socket, for --privileged and for servers of files, medium for an argument of another
server and for trusted folders. Not reported: single folders below the home directory, mounts of such, and references to the project.`,
	Advice: "Give it the one folder that it needs, read-only where it can be.",
	Run: func(p *Pass) {
		p.eachEntry(func(file int, e *Entry) {
			for _, r := range reaches(e, p.Files[file].Home) {
				p.Report(Report{File: file, Entry: e, At: r.at, Evidence: r.text, Severity: r.severity, Message: r.says})
			}
		})
		p.reportSettings([]settingRule{
			{"additionaldirectories/ trusted_folders/ trustedfolders/ writable_roots/ allowedpaths/ allowedpaths allowed_directories/ allowed_paths/ includedirectories/ workspaceroots/", wholeMachine, finding.Medium, "the agent may use the whole machine or the home directory"},
			{"allowread/ allowwrite/ read/ write/", lazyregexp.New(`^(?:/|~|\$HOME|//?\*\*|~/\*\*)$`), finding.Medium, "the agent may use the whole machine or the home directory"},
		}, false)
		p.eachSetting(func(file int, s *Setting, _ string) { // the folder is a name: Codex, Gemini CLI
			if n := len(s.Keys); n > 0 && trusted.MatchString(s.Value.Reveal()) && (wholeMachine.MatchString(s.Keys[n-1]) || n > 1 && s.Keys[n-1] == "trust_level" && wholeMachine.MatchString(s.Keys[n-2])) {
				p.Report(Report{File: file, At: s.Value.Place, Evidence: settingText(s), Severity: finding.Medium, Message: "the whole machine or the home directory is trusted"})
			}
		})
		for i := range p.Files {
			for _, r := range containerReaches(launch{args: p.Files[i].containerOptions()}, wholeMachine.MatchString) {
				p.Report(Report{File: i, At: r.at, Evidence: r.text, Severity: r.severity, Message: r.says})
			}
		}
	},
})

// containerOptions returns what a devcontainer.json adds to docker run: runArgs, mounts, a workspace mount, rights.
func (f *File) containerOptions() (out []word) {
	for i := range f.Settings {
		s := &f.Settings[i]
		text := s.Value.Reveal()
		switch way := s.way(); {
		case way == "runargs/":
		case way == "mounts/", way == "workspacemount":
			text = "--mount=" + text
		case way == "mounts//source":
			text = "--mount=source=" + text
		case way == "privileged" && text == "true":
			text = "--privileged"
		case way == "capadd/":
			text = "--cap-add=" + text
		default:
			continue
		}
		out = append(out, word{text: strings.ReplaceAll(text, "${localEnv:HOME}", "~"), at: s.Value.Place})
	}
	return out
}

var trusted = lazyregexp.New(`^(?:trusted|TRUST_FOLDER|TRUST_PARENT)$`)

// wholeMachine matches folders that contain everything: the root, a drive, a home directory.
var wholeMachine = lazyregexp.New(`^(?:/|/\*\*?|~[/\\]?|\$HOME/?|\$\{(?:HOME|env:HOME|userHome|env:USERPROFILE)\}/?|%USERPROFILE%\\?|\{env:HOME\}/?|[A-Za-z]:[\\/]{0,2}|/home/?|/home/[^/:]+/?|/Users/?|/Users/[^/:]+/?|[A-Za-z]:[\\/]{1,2}Users(?:[\\/]{1,2}[^\\/:]+)?[\\/]{0,2}|/root/?|/etc/?|/mnt/[a-z]/?|/var/?|/private/?|/Volumes/?)$`)

type reach struct {
	at       Place
	text     string
	says     string
	severity finding.Severity
}

// reaches finds what an entry exposes beyond a folder.
func reaches(e *Entry, home string) (out []reach) {
	whole := func(path string) bool {
		return wholeMachine.MatchString(path) || home != "" && strings.TrimRight(path, `/\`) == strings.TrimRight(home, `/\`)
	}
	l := launched(e)
	if containers[l.program] {
		return containerReaches(l, whole)
	}
	files := false
	for _, a := range append([]word{l.head}, l.args...) {
		low := strings.ToLower(a.text)
		files = files || strings.Contains(low, "filesystem") || strings.Contains(low, "file-system") || strings.Contains(low, "fileserver") || strings.Contains(low, "server-files") || strings.Contains(low, "mcp-fs") || strings.Contains(low, "rust-mcp-files")
	}
	for i, a := range l.args {
		value := a.text
		if strings.HasPrefix(value, "--") {
			if _, v, ok := strings.Cut(value, "="); ok {
				value = v
			}
		}
		if !whole(value) || i > 0 && l.args[i-1].text == "-C" {
			continue
		}
		r := reach{a.at, a.text, "the server may use the whole machine or the home directory", finding.Medium}
		if files {
			r.says, r.severity = "the server of files may use the whole machine or the home directory", finding.High
		}
		out = append(out, r)
	}
	for _, v := range assignments(e) {
		name := strings.ToUpper(v.name)
		if (strings.Contains(name, "ALLOWED") || strings.Contains(name, "ROOT") || strings.HasSuffix(name, "_DIRS") || strings.HasSuffix(name, "_PATHS") || strings.HasSuffix(name, "DIRECTORIES") || strings.HasSuffix(name, "_PATH") && files) && whole(v.value) {
			out = append(out, reach{v.at, v.name + "=" + v.value, "the server may use the whole machine or the home directory", finding.High})
		}
	}
	return out
}

// containerReaches parses the options of docker run.
func containerReaches(l launch, whole func(string) bool) (out []reach) {
	add := func(a word, says string, severity finding.Severity) {
		out = append(out, reach{a.at, a.text, says, severity})
	}
	for i, a := range l.args {
		text := a.text
		if i > 0 && (l.args[i-1].text == "-v" || l.args[i-1].text == "--volume" || l.args[i-1].text == "--mount") {
			text = l.args[i-1].text + "=" + text
		}
		name, value, _ := strings.Cut(text, "=")
		if strings.HasPrefix(text, "-v") && name != "-v" {
			name, value = "-v", text[2:]
		}
		switch name {
		case "-v", "--volume":
			mountReach(a, hostPart(value), whole, add)
		case "--mount":
			for part := range strings.SplitSeq(value, ",") {
				if key, src, ok := strings.Cut(part, "="); ok && (key == "source" || key == "src") {
					mountReach(a, src, whole, add)
				}
			}
		case "--privileged":
			add(a, "the container has all rights on the machine", finding.High)
		case "--pid", "--ipc", "--userns":
			if value == "host" || i+1 < len(l.args) && l.args[i+1].text == "host" {
				add(a, "the container shares the host's processes", finding.High)
			}
		case "--network", "--net":
			if value == "host" || i+1 < len(l.args) && l.args[i+1].text == "host" {
				add(a, "the container shares the host's network, including services on loopback", finding.Low)
			}
		case "--cap-add":
			if v := strings.ToUpper(value); strings.Contains(v, "ALL") || strings.Contains(v, "SYS_ADMIN") {
				add(a, "the container has all rights on the machine", finding.High)
			}
		}
	}
	return out
}

func mountReach(a word, source string, whole func(string) bool, add func(word, string, finding.Severity)) {
	switch {
	case strings.HasSuffix(source, "docker.sock") || strings.HasSuffix(source, "containerd.sock") || strings.HasSuffix(source, "podman.sock"):
		add(a, "the container has the socket of the container service, which is root on the machine", finding.High)
	case whole(source):
		add(a, "the container has the whole machine or the home directory mounted", finding.High)
	case strings.HasSuffix(source, "/.ssh") || strings.HasSuffix(source, "/.aws") || strings.HasSuffix(source, "/.kube") || strings.HasSuffix(source, "/.gnupg"):
		add(a, "a folder of credentials is mounted into the container", finding.Medium)
	}
}

// hostPart returns what precedes the colon of a mount, ignoring a drive's colon.
func hostPart(mount string) string {
	from := 0
	if len(mount) > 2 && mount[0]|0x20 >= 'a' && mount[0]|0x20 <= 'z' && mount[1] == ':' && (mount[2] == '\\' || mount[2] == '/') {
		from = 2
	}
	if strings.HasPrefix(mount, "${") { // ${env:HOME}:/h
		from = max(0, strings.IndexByte(mount, '}'))
	}
	if i := strings.IndexByte(mount[from:], ':'); i >= 0 {
		return mount[:from+i]
	}
	return mount
}
