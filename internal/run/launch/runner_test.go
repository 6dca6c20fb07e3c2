package launch

import (
	"strings"
	"testing"
)

// A program that runs packages and is given none is refused at once, and nothing else is.
func TestCheckRunner(t *testing.T) {
	for command, refused := range map[string]bool{
		"npx": true, "npx -y": true, "/usr/bin/npx --yes": true, "npx.cmd": true, "uvx": true, "npm exec": true, "npm exec --": true, "pnpm dlx": true, "pipx run": true,
		"npx -y server": false, "npx -p a b": false, "uvx --from a b": false, "npm exec -- a": false, "npm start": false, "npm": false, "bun server.js": false, "bun x a": false,
		"node": false, "./npx-server": false,
	} {
		err := checkRunner(strings.Fields(command))
		if (err != nil) != refused {
			t.Errorf("%s: %v, want it refused: %v", command, err, refused)
		}
	}
}
