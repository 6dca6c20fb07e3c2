package launch

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

// SandboxLine describes a sandbox on one line.
func SandboxLine(b *result.Sandbox) string {
	if b.Missing != "" {
		return "no sandbox was available: " + b.Missing
	}
	var lost []string
	for _, p := range b.Protections {
		if !p.Held {
			lost = append(lost, p.Name)
		}
	}
	text := fmt.Sprintf("ran in a sandbox, %d of %d protections held", len(b.Protections)-len(lost), len(b.Protections))
	if lost != nil {
		text += ", not " + strings.Join(lost, ", ")
	}
	return text
}
