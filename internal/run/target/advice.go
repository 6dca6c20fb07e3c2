package target

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"gauntlet/catalog"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/wire"
)

// slowStart is enough for a server that is downloaded when it starts.
const slowStart = 2 * time.Minute

// advise adds a next step to the error of a server that could not be opened.
func advise(s *launch.Server, timeout time.Duration, err error) error {
	var silent *wire.NoAnswerError
	if s.URL == "" && timeout < slowStart && errors.As(err, &silent) && (silent.Method == mcp.Initialize || silent.Method == mcp.Discover) {
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
