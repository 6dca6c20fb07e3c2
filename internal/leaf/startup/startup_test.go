package startup

import "testing"

// A file is one of a place by its whole name and folder; what git ships as an example is none.
func TestWhat(t *testing.T) {
	for path, want := range map[string]bool{
		"/root/.bashrc": true, "/home/a/x/.bashrc": true, "/root/my.bashrc": false, "/root/.bashrc.orig": false,
		"/w/.git/hooks/pre-commit": true, "/w/.git/hooks/pre-commit.sample": false, "/w/hooks/pre-commit": false,
		"/root/.config/systemd/user/a.service": true, "/root/.config/systemd/a.service": false, "/var/spool/cron/crontabs/root": true,
		"/root/.config/Claude/claude_desktop_config.json": true, "/w/mcp.json": false, "/w/.vscode/mcp.json": true, "": false,
	} {
		if got := What(path); (got != "") != want {
			t.Errorf("What(%q) = %q, want something: %t", path, got, want)
		}
	}
}
