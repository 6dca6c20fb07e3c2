package classify_test

import (
	"testing"

	"gauntlet/capability"
)

// TestKnownWrongLabels holds labels that were wrong on servers that nobody had looked at before, one a mechanism. A case says how sure a label
// must be at least, or may be at most ("" for not at all).
func TestKnownWrongLabels(t *testing.T) {
	const (
		none   = capability.Confidence("")
		low    = capability.Low
		medium = capability.Medium
		high   = capability.High
	)
	client := func(tool string) string { // of a service whose name says so
		return `{"server": {"name": "github"}, "tools": [` + tool + `,
			{"name": "list_issues", "description": "List issues of a repository", "inputSchema": {"properties": {"owner": {"type": "string"}, "repo": {"type": "string"}, "page": {"type": "integer"}}}},
			{"name": "get_issue", "description": "Get an issue", "inputSchema": {"properties": {"issue_id": {"type": "string"}, "repo": {"type": "string"}}}},
			{"name": "create_comment", "description": "Comment on an issue", "inputSchema": {"properties": {"issue_id": {"type": "string"}, "body": {"type": "string"}}}}]}`
	}
	alone := func(tool string) string { return `{"tools": [` + tool + `]}` }
	for _, tt := range []struct {
		name        string
		snapshot    string
		tag         capability.Tag
		least, most capability.Confidence
	}{
		{"an ordinary word in a server's name is no service", `{"server": {"name": "notes"}, "tools": [
			{"name": "add", "description": "Add a note.", "inputSchema": {"properties": {"text": {"type": "string"}}}},
			{"name": "count", "description": "Count the notes.", "inputSchema": {"properties": {"tag": {"type": "string"}}}},
			{"name": "sort", "description": "Sort the notes.", "inputSchema": {"properties": {"by": {"type": "string"}}}}]}`, capability.NetEgress, none, low},
		{"the root of a workspace is no evidence of reading", client(`{"name": "create_branch", "description": "Create a branch", "inputSchema": {"properties": {"name": {"type": "string"}, "workspaceRoot": {"type": "string", "description": "Root of the workspace"}}}}`), capability.FSRead, none, low},
		{"nor is where a program starts", client(`{"name": "list_pull_requests", "description": "List pull requests", "inputSchema": {"properties": {"cwd": {"type": "string"}}}}`), capability.FSRead, none, low},
		{"a path parameter alone", alone(`{"name": "x", "inputSchema": {"properties": {"path": {"type": "string"}}}}`), capability.FSRead, none, medium},
		{"a name alone", alone(`{"name": "write_file"}`), capability.FSWrite, low, medium},
		{"one sentence alone", alone(`{"name": "x", "description": "Reads a file."}`), capability.FSRead, low, medium},
		{"shell=True behind a harmless name", alone(`{"name": "ping", "description": "Pings a host. The command line is built from the host and run with shell=True.", "inputSchema": {"properties": {"host": {"type": "string"}}}}`), capability.Exec, medium, high},
		{"pickle", alone(`{"name": "load_session", "description": "Loads a session with pickle.loads.", "inputSchema": {"properties": {"blob": {"type": "string"}}}}`), capability.Exec, medium, high},
		{"eval", alone(`{"name": "calculate", "description": "Calculates a formula with eval().", "inputSchema": {"properties": {"formula": {"type": "string"}}}}`), capability.Exec, medium, high},
		{"template injection", alone(`{"name": "greet", "description": "Greets a user. Vulnerable to template injection.", "inputSchema": {"properties": {"name": {"type": "string"}}}}`), capability.Exec, medium, high},
		{"a leak behind a harmless name", alone(`{"name": "status", "description": "Status of the service. Leaks the API key in errors."}`), capability.SecretAccess, medium, high},
		{"a local path in a client of a service", client(`{"name": "upload_asset", "description": "Upload a local file to a release.", "inputSchema": {"properties": {"local_path": {"type": "string", "description": "Absolute path of the local file"}, "release_id": {"type": "string"}}}}`), capability.FSRead, medium, high},
		{"and one that is written", client(`{"name": "download_asset", "description": "Download an asset of a release to a local path.", "inputSchema": {"properties": {"local_path": {"type": "string", "description": "Where to save it"}, "asset_id": {"type": "string"}}}}`), capability.FSWrite, medium, high},
		{"absolute paths of attachments", `{"server": {"name": "gmail"}, "tools": [{"name": "send_email", "description": "Send an email. Optionally attach files by absolute path.", "inputSchema": {"properties": {"to": {"type": "string"}, "attachments": {"type": "array", "items": {"type": "string"}, "description": "absolute file paths to attach"}}}}]}`, capability.FSRead, medium, high},
		{"acts of an enum alone", alone(`{"name": "file", "description": "Work on a file.", "inputSchema": {"properties": {"operation": {"enum": ["read", "delete"]}, "path": {"type": "string"}}}}`), capability.FSWrite, medium, high},
		{"acts by the names of commands", alone(`{"name": "file", "description": "Work on a file.", "inputSchema": {"properties": {"op": {"enum": ["cat", "rm", "mv"]}, "path": {"type": "string"}}}}`), capability.FSWrite, medium, high},
		{"an act among steps", alone(`{"name": "interact", "description": "Act on the page.", "inputSchema": {"properties": {"url": {"type": "string"}, "actions": {"type": "array", "items": {"type": "object", "properties": {"type": {"enum": ["click", "executeJavascript"]}, "script": {"type": "string", "description": "JavaScript to run"}}}}}}}`), capability.Exec, medium, high},
		{"a database's control plane reads no database", `{"server": {"name": "supabase"}, "tools": [{"name": "create_project", "description": "Create a new database project.", "inputSchema": {"properties": {"region": {"type": "string"}, "organization_id": {"type": "string"}}}}]}`, capability.DBQuery, none, low},
		{"masked values are no secrets", alone(`{"name": "list_env", "description": "Lists environment variables. Values are masked."}`), capability.SecretAccess, none, low},
		{"how a service calls its file", client(`{"name": "create_gist", "description": "Create a gist", "inputSchema": {"properties": {"fileName": {"type": "string", "description": "Name of the file in the gist"}, "content": {"type": "string"}}}}`), capability.FSWrite, none, low},
		{"a file of this machine is no request", alone(`{"name": "read_file", "description": "Reads a file of the host.", "inputSchema": {"properties": {"path": {"type": "string"}}}}`), capability.NetEgress, none, none},
		{"documents of a service are no files of this machine", `{"server": {"name": "google-docs"}, "tools": [
			{"name": "findSections", "description": "Finds sections of a document by heading.", "inputSchema": {"properties": {"documentId": {"type": "string"}, "heading": {"type": "string"}}}},
			{"name": "createDocument", "description": "Creates a Google document.", "inputSchema": {"properties": {"title": {"type": "string"}}}},
			{"name": "shareDocument", "description": "Shares a Google document.", "inputSchema": {"properties": {"documentId": {"type": "string"}, "email": {"type": "string"}}}}]}`, capability.FSRead, none, low},
		{"a plot goes to a file", alone(`{"name": "plot", "description": "Plot a function to a PNG file", "inputSchema": {"properties": {"function": {"type": "string"}, "file": {"type": "string"}}}}`), capability.FSWrite, medium, high},
		{"and reads none", alone(`{"name": "plot", "description": "Plot a function to a PNG file", "inputSchema": {"properties": {"function": {"type": "string"}, "file": {"type": "string"}}}}`), capability.FSRead, none, medium},
		{"who returns the path of what was saved has written it", alone(`{"name": "capture_view", "description": "Saves the view as PNG and returns the path", "inputSchema": {"properties": {"scale": {"type": "integer"}}}}`), capability.FSWrite, medium, high},
		{"a connection string that comes along", alone(`{"name": "current_connection", "description": "Returns the connection in use, DSN included."}`), capability.SecretAccess, medium, high},
		{"a key that is rolled", client(`{"name": "roll_api_key", "description": "Rotate a restricted key. Returns the new key.", "inputSchema": {"properties": {"key_id": {"type": "string"}}}}`), capability.SecretAccess, medium, high},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := server(t, tt.snapshot).Tools[0]
			got := none
			for _, l := range tool.Capabilities {
				if l.Tag == tt.tag {
					got = l.Confidence
				}
			}
			if tt.least != none && !got.AtLeast(tt.least) || tt.most != high && got.AtLeast(above[tt.most]) {
				t.Errorf("%s is %q, want %q to %q; all labels: %s", tt.tag, got, tt.least, tt.most, labels(tool))
			}
		})
	}
}

// above is the next level.
var above = map[capability.Confidence]capability.Confidence{"": capability.Low, capability.Low: capability.Medium, capability.Medium: capability.High}
