package target

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/charset"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/discover"
	"gauntlet/internal/runtime/wire"
	"gauntlet/lock"
)

// Recognised says what names on a command line refer to.
type Recognised struct {
	Targets []string          // snapshot files, URLs, "-" and missing files
	Configs []string          // MCP client configurations
	Sources []string          // folders with a server's source
	Unread  []finding.Problem // of named folders: what may be a snapshot and is not read
	// Notes says what each name that is not simply a target was recognised as.
	Notes []string
}

// Limits on how much of a file is examined, and on the files of a folder.
const (
	peekBytes   = 4 << 20
	folderFiles = 1000
)

// manifests are the files that make a folder a server's source.
var manifests = []string{"package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod"}

// packagePrefixes are prefixes that only gauntlet vet accepts.
var packagePrefixes = []string{"npm:", "pypi:", "go:", "oci:", "git:", "mcpb:", "registry:"}

// Recognise determines what each name refers to: a client's configuration, a folder with source, or a folder of snapshots and
// configurations. It examines existing files only; every other name is a target, and reading it reports what is wrong. The error
// names the command for a package, or says that a folder holds nothing to scan.
func Recognise(names []string) (Recognised, error) {
	var r Recognised
	for _, name := range names {
		if i := slices.IndexFunc(packagePrefixes, func(p string) bool { return strings.HasPrefix(name, p) }); i >= 0 {
			return r, fmt.Errorf("%s is a package: gauntlet vet %s fetches and examines it", name, name)
		}
		info, err := os.Stat(name)
		switch {
		case err != nil || name == "-":
			r.Targets = append(r.Targets, name)
		case info.IsDir():
			if err := r.addFolder(name); err != nil {
				return r, err
			}
		case info.Mode().IsRegular() && discover.Known(name) && !strings.HasSuffix(name, ".json"):
			r.Configs = append(r.Configs, name)
			r.Notes = append(r.Notes, name+": read as a file for agents")
		case info.Mode().IsRegular() && isConfiguration(name):
			r.Configs = append(r.Configs, name)
			r.Notes = append(r.Notes, name+": read as an MCP client configuration")
		default:
			r.Targets = append(r.Targets, name)
		}
	}
	r.Targets, r.Configs = r.once(r.Targets), r.once(r.Configs)
	return r, nil
}

// once leaves out what names mean that were given before: a server is no other server with tools of the same names.
func (r *Recognised) once(names []string) (out []string) {
	seen := map[string]bool{}
	for _, name := range names {
		at := name
		if real, err := filepath.EvalSymlinks(name); err == nil {
			if at, err = filepath.Abs(real); err != nil {
				at = real
			}
		}
		if seen[at] && name != "-" { // which is read once, and refused the second time
			r.Notes = append(r.Notes, name+": named more than once, read once")
			continue
		}
		seen[at] = true
		out = append(out, name)
	}
	return out
}

func (r *Recognised) addFolder(dir string) error {
	if _, err := os.ReadDir(dir); err != nil {
		return err
	}
	agents := discover.HasAgentFiles(discover.Host{FS: discover.Disk{}}, dir)
	if agents {
		r.Configs = append(r.Configs, dir)
		r.Notes = append(r.Notes, dir+": read as a folder in which agents work")
	}
	for _, m := range manifests {
		if info, err := os.Stat(filepath.Join(dir, m)); err == nil && info.Mode().IsRegular() {
			if agents && !mentionsMCP(filepath.Join(dir, m)) {
				return nil // an ordinary project
			}
			r.Sources = append(r.Sources, dir)
			r.Notes = append(r.Notes, fmt.Sprintf("%s: taken for the source of a server (%s)", dir, m))
			return nil
		}
	}
	files, unread := snapshotFiles(dir, !agents)
	r.Unread = append(r.Unread, unread...)
	var snapshots, configs []string
	for _, file := range files {
		switch {
		case isConfiguration(file):
			configs = append(configs, file)
		case agents && isLockfile(file): // as servers of the folder, its approved files would hide that those that are there differ
			r.Notes = append(r.Notes, file+": a lockfile, which is not read as a part of the folder; --baseline compares with it")
		case !agents || isSnapshot(file):
			snapshots = append(snapshots, file)
		}
	}
	switch n := len(snapshots) + len(configs); {
	case n == 0 && agents:
		return nil
	case n == 0:
		return fmt.Errorf("%s: this folder holds no source of a server, no snapshot, no configuration and no file for agents; source without a manifest is named with --source", dir)
	case n > folderFiles:
		return fmt.Errorf("%s: this folder holds more than %d files, which is as many as are taken at once", dir, folderFiles)
	}
	r.Targets, r.Configs = append(r.Targets, snapshots...), append(r.Configs, configs...)
	r.Notes = append(r.Notes, fmt.Sprintf("%s: taken for a folder of snapshots (%d) and configurations (%d)", dir, len(snapshots), len(configs)))
	return nil
}

// snapshotFiles returns the files of a folder that may be snapshots or configurations, also in folders below it if deep is set, and
// those that are not read: links, which may lead anywhere, and what is no file.
func snapshotFiles(dir string, deep bool) (files []string, unread []finding.Problem) {
	skip := func(file, why string) {
		unread = append(unread, finding.Problem{Kind: finding.Unread, Message: why, Location: finding.Location{File: file}, Input: -1})
	}
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error { // no error is returned
		switch ext := strings.ToLower(filepath.Ext(file)); {
		case err != nil:
			skip(file, "the folder cannot be read: "+err.Error())
		case d.IsDir():
			if file != dir && (!deep || d.Name() == ".git" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
		case ext != ".json" && ext != ".jsonc":
		case len(files)+len(unread) > folderFiles:
			skip(dir, fmt.Sprintf("more than %d files and links: the rest was not looked at", folderFiles))
			return fs.SkipAll
		case d.Type()&fs.ModeSymlink != 0:
			skip(file, "this is a link, which is not followed; name the file itself")
		case !d.Type().IsRegular():
			skip(file, "this is no regular file, and was not read")
		default:
			files = append(files, file)
		}
		return nil
	})
	return files, unread
}

// mentionsMCP reports whether a manifest names an MCP library.
func mentionsMCP(file string) bool {
	text, err := peek(file)
	return err == nil && bytes.Contains(bytes.ToLower(text), []byte("mcp"))
}

// isSnapshot reports whether a file holds a server's lists.
func isSnapshot(file string) bool {
	text, err := peek(file)
	return err == nil && (bytes.Contains(text, []byte(`"inputSchema"`)) || bytes.Contains(text, []byte(`"tools"`)))
}

func isLockfile(file string) bool {
	text, err := peek(file)
	return err == nil && lock.Is(string(text))
}

// isConfiguration reports whether a file is an MCP client's configuration: by its form, which no snapshot has, or by the words of
// one in JSON with comments, TOML or YAML.
func isConfiguration(file string) bool {
	text, err := peek(file)
	if err != nil {
		return false
	}
	switch filepath.Ext(file) {
	case ".toml":
		return bytes.Contains(text, []byte("[mcp_servers."))
	case ".yaml", ".yml":
		return bytes.Contains(text, []byte("mcpServers:"))
	}
	var top struct {
		MCPServers, Servers json.RawMessage
		Zed                 json.RawMessage `json:"context_servers"`
		MCP                 json.RawMessage
		Hooks, Permissions  json.RawMessage
		Tools, Result       json.RawMessage
	}
	if json.Unmarshal(text, &top) != nil {
		return discover.Known(file) || bytes.Contains(text, []byte(`"mcpServers"`)) && !bytes.Contains(text, []byte(`"inputSchema"`))
	}
	if top.Tools != nil || top.Result != nil {
		return false
	}
	return discover.Known(file) || slices.ContainsFunc([]json.RawMessage{top.MCPServers, top.Servers, top.Zed, top.MCP, top.Hooks, top.Permissions}, func(v json.RawMessage) bool { return len(v) > 0 && v[0] == '{' })
}

func peek(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(charset.NewReader(f), peekBytes))
}

// slowStart is enough for a server that is downloaded when it starts.
const slowStart = 2 * time.Minute

// advise adds a next step to the error of a server that could not be opened.
func advise(s *launch.Server, timeout time.Duration, err error) error {
	var silent *wire.NoAnswerError
	if s.URL == "" && timeout < slowStart && errors.As(err, &silent) && !silent.Begun && (silent.Method == mcp.Initialize || silent.Method == mcp.Discover) {
		return fmt.Errorf("%w; --timeout 2m waits longer: npx, uvx and docker may first download what they start", err)
	}
	return adviseURL(s.URL, err)
}

// adviseURL adds to an error the likely fault in the URL. It names only scheme and path, since a URL may hold a token.
func adviseURL(address string, err error) error {
	u, parseErr := url.Parse(address)
	if parseErr != nil || u.Host == "" {
		return err
	}
	if hint := urlHint(u, err); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

func urlHint(u *url.URL, err error) string {
	var plain tls.RecordHeaderError
	var request *wire.RequestError
	secure := strings.EqualFold(u.Scheme, "https")
	switch {
	case secure && errors.As(err, &plain):
		return "the server answers without TLS: its URL probably begins with http://"
	case !secure && answersWithTLS(err):
		return "the server requires TLS: its URL probably begins with https://"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "no program listens on this port: is the server running?"
	case errors.As(err, &request) && strings.Trim(u.Path, "/") == "" && isWebsite(request.HTTP):
		return "the URL has no path: MCP servers usually answer at one such as /mcp"
	}
	return ""
}

// answersWithTLS reports whether a plain request was answered by a TLS server: with the bytes of an alert, which net/http quotes,
// or with the HTTP 400 text of Go, nginx, Apache or Node.
func answersWithTLS(err error) bool {
	if strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`) {
		return true
	}
	var request *wire.RequestError
	return errors.As(err, &request) && request.HTTP != nil && request.HTTP.Status == http.StatusBadRequest &&
		strings.Contains(strings.ToUpper(request.Error()), "HTTPS")
}

// isWebsite reports whether an answer is a web server's for a path without an MCP server.
func isWebsite(a *wire.HTTPAnswer) bool {
	return a != nil && (a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed ||
		strings.HasPrefix(a.Header.Get("Content-Type"), "text/html"))
}

// adviseFile adds to the error of a file that is not JSON what the file is, or what is expected.
func adviseFile(text string, err error) error {
	var e *catalog.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Msg, "not JSON: ") {
		return err
	}
	hint := ""
	switch start := strings.TrimLeft(text, " \t\r\n"); {
	case strings.HasPrefix(start, `{"format":"gauntlet-trace"`):
		hint = "this is a recorded conversation: gauntlet trace show reads it"
	case hasTopKey(text, "oatf"):
		hint = "this is an attack document: gauntlet attack show and gauntlet attack run read it"
	case start == "" || start[0] != '{' && start[0] != '[':
		hint = "want a snapshot, as gauntlet capture writes it, or the configuration of an MCP client"
	default: // JSON with a syntax error: the position says where
		return err
	}
	with := *e
	with.Msg += "; " + hint
	return &with
}

// hasTopKey reports whether a line near the start of a YAML text begins with the key.
func hasTopKey(text, key string) bool {
	head := text[:min(len(text), 4096)]
	if strings.Contains(head, "\x00") { // a program or an image
		return false
	}
	return strings.HasPrefix(head, key+":") || strings.Contains(head, "\n"+key+":")
}

// hostAndPort matches an address without a scheme. A one-letter name before the colon is a Windows drive.
var hostAndPort = lazyregexp.New(`^[A-Za-z0-9.-]{2,}:[0-9]{1,5}(/|$)`)

// AdviseName returns advice, beginning with a semicolon, for a name given instead of a file: an address without http://, a URL that
// is not HTTP, or a program; "" for other names.
func AdviseName(name string) string {
	switch {
	case hostAndPort.MatchString(name):
		return "; the URL of a server begins with http:// or https://"
	case strings.Contains(name, "://"):
		return "; the URL of a server begins with http:// or https://; no other scheme is supported"
	}
	if _, err := exec.LookPath(name); err != nil {
		return ""
	}
	return "; to scan a live server put -- before its command: gauntlet scan -- " + name
}
