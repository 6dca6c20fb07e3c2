package attackdoc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ExpandPatterns replaces patterns by the matching files, sorted by name.
func ExpandPatterns(names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		if _, err := os.Stat(n); err == nil || !strings.ContainsAny(n, "*?[") {
			out = append(out, n)
			continue
		}
		found, err := filepath.Glob(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		if found == nil {
			return nil, fmt.Errorf("%s: no file fits the pattern", n)
		}
		out = append(out, found...)
	}
	return out, nil
}
