// Package config judges MCP client configurations without launching anything: which servers a client would start or
// connect to, and what is risky about it.
//
// File, Entry and Value describe a configuration as read; package internal/runtime/discover finds and reads the files.
// Configurations contain secrets: no formatting of a Value shows its text, only Reveal returns it.
package config

import (
	"io/fs"

	"gauntlet/finding"
)

// A Client is a program with its own configuration of MCP servers.
type Client string

// Generic is a file in a common format that does not identify a client. Known clients are defined in internal/runtime/discover.
const Generic Client = "mcp.json"

// A Transport says how a client reaches a server.
type Transport string

// The transports. Unknown is one that the configuration does not name or we do not know.
const (
	Stdio   Transport = "stdio"
	HTTP    Transport = "http"
	SSE     Transport = "sse"
	Unknown Transport = "unknown"
)

// A Role is the purpose of a file for an agent.
type Role string

// The roles. The model always reads Instructions; it reads a Skill, a Command and a Subagent when used, and a SkillFile
// when the skill says so. Script and Program are run; a Program is unreadable.
const (
	Configuration Role = "" // servers and settings
	Instructions  Role = "instructions"
	Skill         Role = "skill"
	SkillFile     Role = "skill file"
	Command       Role = "command"
	Subagent      Role = "sub-agent"
	Script        Role = "script"
	Program       Role = "program"
	Plugin        Role = "plugin" // a folder with all of these
)

// A File is a configuration as read. A broken entry is in Problems and, as far as readable, in Entries; it does not affect others.
type File struct {
	Client Client `json:"client"`
	Path   string `json:"path"`
	// Project is the folder that the file applies to, "" for everywhere.
	Project  string            `json:"project,omitempty"`
	Role     Role              `json:"role,omitempty"`
	Entries  []Entry           `json:"entries"`
	Problems []finding.Problem `json:"problems"`
	// Settings are the values of the file other than its servers', in order; for a text those of its front matter.
	Settings []Setting `json:"-"`
	// Text is what an agent reads, or code that it runs.
	Text string `json:"-"`
	// Rel is the slash-separated path relative to the project or the user's home; "" if unknown.
	Rel string `json:"-"`
	// Home is the user's home, "" if unknown.
	Home string `json:"-"`
	// Sum is the SHA-256 of a file that is not a configuration.
	Sum string `json:"-"`
	// Projects are the client's project folders according to the file.
	Projects []string `json:"-"`
	// LinksTo is the target of a link that was not followed because it leaves the folder.
	LinksTo string `json:"-"`
	// Access says who may write the file.
	Access Access `json:"access"`
}

// A Setting is a value of a file and the names that lead to it; list elements have the name "".
type Setting struct {
	Keys  []string
	Value Value
}

// Access says who may write a file. The zero Access means unknown, as on Windows, whose permissions are not mode bits.
type Access struct {
	Known bool        `json:"known"`
	Mode  fs.FileMode `json:"mode"`   // of the file, after links
	Dir   fs.FileMode `json:"folder"` // of its folder
}

// Anyone reports whether every user of the machine may write the file or replace it in its folder. In a sticky folder,
// such as /tmp, nobody can replace others' files.
func (a Access) Anyone() bool {
	const others = 0o002
	return a.Known && (a.Mode&others != 0 || a.Dir&others != 0 && a.Dir&fs.ModeSticky == 0)
}

// An Entry is a server in a configuration, as written: nothing is expanded.
type Entry struct {
	Client Client `json:"client"`
	File   string `json:"file"`
	// Project is the folder that the entry applies to, "" for everywhere.
	Project   string    `json:"project,omitempty"`
	Name      string    `json:"name"`
	Place     Place     `json:"place"` // of the name, or of an entry without a name
	Transport Transport `json:"transport"`

	// Command is the program without arguments: a file that has both in one string is split.
	Command   string     `json:"command,omitempty"`
	CommandAt Place      `json:"-"`
	Args      []Value    `json:"args,omitempty"`
	Env       []Variable `json:"env,omitempty"`
	EnvFile   string     `json:"env_file,omitempty"`
	Cwd       string     `json:"cwd,omitempty"`

	URL     Value      `json:"url"`
	Headers []Variable `json:"headers,omitempty"`

	// Settings are further strings that a client passes to the server or its extension.
	Settings []Variable `json:"settings,omitempty"`

	Disabled bool `json:"disabled,omitempty"`
	// Unresolved are references that only the client can resolve, such as "input:api-key". Nobody else can launch a
	// server that needs them.
	Unresolved []string `json:"unresolved,omitempty"`
	// Filled are variables whose references internal/runtime/discover's Resolve replaced by values; nil before.
	Filled []Variable `json:"-"`
	Raw    Value      `json:"-"`

	// CommandAccess says who may write the program if Command is an absolute path.
	CommandAccess Access `json:"-"`
}

// A Variable is a named string: an environment variable, header or setting. Its Place is the value's.
type Variable struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// A Place is the position of a value in its file. Lines and columns are 1-based, columns in Unicode code points; Start
// and End are byte offsets.
type Place struct {
	Pointer   string `json:"pointer"` // RFC 6901, over the file's values in any format
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"-"`
	EndColumn int    `json:"-"`
	Start     int    `json:"-"`
	End       int    `json:"-"`
}
