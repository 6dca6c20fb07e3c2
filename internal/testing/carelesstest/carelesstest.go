// Package carelesstest has what tools of servers that tests probe do: in the careless way, with the fault that a
// probe proves, or in the careful one, without it.
package carelesstest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
)

// Tools do what they are asked, careful or not.
type Tools struct{ Careful bool }

// Read returns a file. Careful tools read what lies in the working directory only.
func (t Tools) Read(path string) (string, error) {
	if t.Careful && !filepath.IsLocal(path) {
		return "", errors.New("the path " + path + " is outside of the project")
	}
	content, err := os.ReadFile(path)
	return string(content), err
}

// Fetch returns a page. Careful tools ask public addresses only.
func (t Tools) Fetch(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(u.Hostname()); t.Careful && (ip == nil || !ip.IsGlobalUnicast() || ip.IsPrivate()) {
		return "", errors.New("the address " + address + " is not public")
	}
	res, err := http.Get(address)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	page, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return string(page), err
}

// DiskUsage returns what du says of a folder. Careful tools start it without a shell.
func (t Tools) DiskUsage(folder string) (string, error) {
	cmd := exec.Command("sh", "-c", "du -s \""+folder+"\"")
	if t.Careful {
		cmd = exec.Command("du", "-s", "--", folder)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return string(out), nil
}
