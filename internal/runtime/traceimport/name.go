package traceimport

import (
	"net/url"
	"path/filepath"
	"regexp"
)

// namesServer are the names that programs give to their recordings of one server.
var namesServer = regexp.MustCompile(`^(?:mcp-server-(.+)\.log|inspector-(?:protocol|protocol-pinned|protocol-unpinned|network)-(.+)-\d{4}-\d\d-\d\dT[\d.-]+Z\.json)$`)

// ServerOf returns the server that the name of a recording names, "" if none.
func ServerOf(file string) string {
	found := namesServer.FindStringSubmatch(filepath.Base(file))
	if found == nil {
		return ""
	}
	name, err := url.PathUnescape(found[1] + found[2])
	if err != nil {
		return found[1] + found[2]
	}
	return name
}
