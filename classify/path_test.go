package classify_test

import "testing"

// A path speaks for reading, writing or both by what the tool does and what the parameter says of itself; one case a rule.
func TestPaths(t *testing.T) {
	for _, tt := range []struct{ name, tool, want string }{
		{"a choice of up and down", `{"name": "transfer", "description": "Transfers it.", "inputSchema": {"properties": {"action": {"enum": ["upload", "download"]}, "local_path": {"type": "string", "description": "Path of the local file"}}}}`, "fs_read:medium fs_write:medium"},
		{"a choice of acts where the name of the path says output", `{"name": "manage_file", "description": "Manages it.", "inputSchema": {"properties": {"action": {"enum": ["read", "delete"]}, "output_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium fs_write:medium"},
		{"a choice of acts where the name of the path says input", `{"name": "manage_file", "description": "Manages it.", "inputSchema": {"properties": {"action": {"enum": ["read", "delete"]}, "input_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium fs_write:medium"},
		{"what is moved", `{"name": "move_file", "description": "Moves a file.", "inputSchema": {"properties": {"path": {"type": "string", "description": "Path of the file"}}}}`, "fs_write:high"},
		{"what is copied and moved", `{"name": "copy_or_move_file", "description": "Copies or moves a file.", "inputSchema": {"properties": {"path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:high fs_write:high"},
		{"a folder to work in", `{"name": "run_command", "description": "Runs a command.", "inputSchema": {"properties": {"command": {"type": "string"}, "cwd": {"type": "string", "description": "Directory"}}}}`, "exec:high"},
		{"an input that is destroyed", `{"name": "delete_rows", "description": "Goes on.", "inputSchema": {"properties": {"input_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_write:medium"},
		{"an input of who changes files", `{"name": "update_index", "description": "Updates a file.", "inputSchema": {"properties": {"input_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:high fs_write:medium"},
		{"an input of who only reads", `{"name": "list_rows", "description": "Writes a file.", "inputSchema": {"properties": {"input_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium fs_write:low"},
		{"an input beside an output", `{"name": "change_rows", "description": "Goes on.", "inputSchema": {"properties": {"input_output_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_write:medium"},
		{"of a browser", `{"name": "browser_upload", "description": "Uploads a file in the browser page.", "inputSchema": {"properties": {"path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium fs_write:medium net_egress:low"},
		{"who downloads writes", `{"name": "download_page", "description": "Goes on.", "inputSchema": {"properties": {"url": {"type": "string"}, "path": {"type": "string", "description": "Path of the file"}}}}`, "fs_write:medium net_egress:medium"},
		{"who uploads from here reads", `{"name": "upload_page", "description": "Goes on.", "inputSchema": {"properties": {"local_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium net_egress:low"},
		{"who uploads to there writes there", `{"name": "upload_page", "description": "Goes on.", "inputSchema": {"properties": {"remote_path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium fs_write:medium net_egress:low"},
		{"a cookie", `{"name": "set_cookie", "description": "Sets a cookie.", "inputSchema": {"properties": {"path": {"type": "string", "description": "Path of the cookie"}}}}`, ""},
		{"an address alone", `{"name": "read_file", "description": "Reads a file.", "inputSchema": {"properties": {"url": {"type": "string", "description": "URL"}}}}`, "fs_read:medium net_egress:high"},
		{"an address beside a path", `{"name": "read_file", "description": "Reads a file.", "inputSchema": {"properties": {"url": {"type": "string", "description": "URL"}, "path": {"type": "string"}}}}`, "fs_read:high net_egress:high"},
		{"an address of a browser", `{"name": "browser_read_file", "description": "Reads a file in the browser.", "inputSchema": {"properties": {"url": {"type": "string", "description": "URL"}}}}`, "fs_read:medium net_egress:high"},
		{"a configuration that the server keeps", `{"name": "get_config", "description": "Reads the config file."}`, "fs_read:low"},
		{"who writes without a path", `{"name": "save_note", "description": "Saves it.", "inputSchema": {"properties": {"title": {"type": "string"}}}}`, "fs_write:medium"},
		{"who writes a file without a path", `{"name": "save_note", "description": "Writes a file.", "inputSchema": {"properties": {"title": {"type": "string"}}}}`, "fs_write:high"},
		{"plots to a file", `{"name": "plot_rows", "description": "Plots rows to a PNG file.", "inputSchema": {"properties": {"filename": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:low fs_write:high"},
		{"rotated in place", `{"name": "rotate_pdf", "description": "Goes on.", "inputSchema": {"properties": {"path": {"type": "string", "description": "Path of the file"}}}}`, "fs_read:medium fs_write:medium"},
	} {
		s := server(t, `{"tools": [`+tt.tool+`]}`)
		if got := labels(s.Tools[0]); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
