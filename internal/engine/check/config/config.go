// Package config judges the configuration of MCP clients without launching anything: which
// servers a client would start or connect to, and what is risky about the way it would.
//
// The words File, Entry and Value describe a configuration as it was read; package
// internal/runtime/discover finds and reads the files. Secrets stand in configurations: a Value
// never prints its text, in whatever way it is printed, and Reveal is the one way to it.
package config

import (
	"io/fs"

	"gauntlet/finding"
)

// A Client is a program that keeps MCP servers in a configuration of its own.
type Client string

// Generic stands for a file in a common form that no client can be told from. The clients that are
// known have their values in internal/runtime/discover.
const Generic Client = "mcp.json"

// A Transport says how a client would reach a server.
type Transport string

// The transports. Unknown is one that this program or the configuration does not name.
const (
	Stdio   Transport = "stdio"
	HTTP    Transport = "http"
	SSE     Transport = "sse"
	Unknown Transport = "unknown"
)

// A Role is what a file is for an agent.
type Role string

// The roles. What is read by the model at once are Instructions; a Skill, a Command and a Subagent are read when they are
// used, a SkillFile when the skill says so. A Script is run, and so is a Program, which cannot be read.
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

// A File is one configuration as read. A broken entry is in Problems, and in Entries with
// what could be read of it; the others are not touched by it.
type File struct {
	Client Client `json:"client"`
	Path   string `json:"path"`
	// Project is the folder for which the file holds, "" if it holds everywhere.
	Project  string            `json:"project,omitempty"`
	Role     Role              `json:"role,omitempty"`
	Entries  []Entry           `json:"entries"`
	Problems []finding.Problem `json:"problems"`
	// Settings are the values of the file other than those of its servers, in their order; of a text those of its
	// front matter.
	Settings []Setting `json:"-"`
	// Text is what an agent reads, or the code that it runs.
	Text string `json:"-"`
	// Rel is the path below the project or the user's home, with slashes; "" where it is not known.
	Rel string `json:"-"`
	// Home is the user's home, "" where it is not known.
	Home string `json:"-"`
	// Sum is the SHA-256 of the bytes of a file that is no configuration.
	Sum string `json:"-"`
	// Projects are the folders in which the client has worked, as the file says.
	Projects []string `json:"-"`
	// LinksTo is where a link leads that was not followed, since it leads out of the folder.
	LinksTo string `json:"-"`
	// Access says who may write the file.
	Access Access `json:"access"`
}

// A Setting is one value of a file, under the names that lead to it; a value in a list has "" for a name.
type Setting struct {
	Keys  []string
	Value Value
}

// Access is who may write a file, as the operating system told whoever read it. The zero
// Access is "not known", as on Windows, whose permissions are not mode bits.
type Access struct {
	Known bool        `json:"known"`
	Mode  fs.FileMode `json:"mode"`   // of the file, links followed
	Dir   fs.FileMode `json:"folder"` // of the folder that holds it
}

// Anyone reports whether every user of the machine may write the file, or replace it in
// its folder. A sticky folder, such as /tmp, lets nobody replace a stranger's file.
func (a Access) Anyone() bool {
	const others = 0o002
	return a.Known && (a.Mode&others != 0 || a.Dir&others != 0 && a.Dir&fs.ModeSticky == 0)
}

// An Entry is one server of a configuration, in the words of the file: nothing is expanded.
type Entry struct {
	Client Client `json:"client"`
	File   string `json:"file"`
	// Project is the folder for which the entry holds, "" if it holds everywhere.
	Project   string    `json:"project,omitempty"`
	Name      string    `json:"name"`
	Place     Place     `json:"place"` // of the name, or of the entry where it has no name of its own
	Transport Transport `json:"transport"`

	// Command is a program without its arguments: where the file has all in one string,
	// they are taken apart.
	Command   string     `json:"command,omitempty"`
	CommandAt Place      `json:"-"`
	Args      []Value    `json:"args,omitempty"`
	Env       []Variable `json:"env,omitempty"`
	EnvFile   string     `json:"env_file,omitempty"`
	Cwd       string     `json:"cwd,omitempty"`

	URL     Value      `json:"url"`
	Headers []Variable `json:"headers,omitempty"`

	// Settings are further strings that a client hands to the server or its extension.
	Settings []Variable `json:"settings,omitempty"`

	Disabled bool `json:"disabled,omitempty"`
	// Unresolved are the references of the entry that only its client can answer, such
	// as "input:api-key". A server that needs them cannot be launched by anybody else.
	Unresolved []string `json:"unresolved,omitempty"`
	// Filled are the variables whose values Resolve of internal/runtime/discover has put in place of
	// references; nil before.
	Filled []Variable `json:"-"`
	// Raw is the entry's text.
	Raw Value `json:"-"`

	// CommandAccess is who may write the program, where Command is an absolute path.
	CommandAccess Access `json:"-"`
}

// A Variable is a named string: an environment variable, a header, a setting. Its Place is
// that of its value.
type Variable struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// A Place is where a value stands in its file. Lines and columns count from 1, columns in
// Unicode code points; Start and End are byte offsets.
type Place struct {
	Pointer   string `json:"pointer"` // RFC 6901, over the file's values in whatever format
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"-"`
	EndColumn int    `json:"-"`
	Start     int    `json:"-"`
	End       int    `json:"-"`
}
