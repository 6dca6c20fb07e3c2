package traceimport

import (
	"net/url"
	"path/filepath"

	"gauntlet/internal/leaf/lazyregexp"
)

// namesServer matches the file names that programs give to recordings of one server.
var namesServer = lazyregexp.New(`^(?:mcp-server-(.+)\.log|inspector-(?:protocol|protocol-pinned|protocol-unpinned|network)-(.+)-\d{4}-\d\d-\d\dT[\d.-]+Z\.json)$`)

// ServerOf returns the server in a recording's file name, or "".
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
