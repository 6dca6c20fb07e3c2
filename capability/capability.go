// Package capability defines the vocabulary for labelling tools: what a tool can do, what a parameter is, with what
// confidence and why. The sets are closed: a new member requires a new [VocabularyVersion]. The package makes no decisions.
package capability

import "fmt"

// VocabularyVersion is the version of the tags, roles, confidences and combinations.
const VocabularyVersion = "1.0"

// A Tag names a dangerous capability that a tool gives its caller.
type Tag string

// The tags.
const (
	Exec         Tag = "exec"          // runs code, commands or scripts, on the host or in a sandbox
	FSRead       Tag = "fs_read"       // reads files or directory listings of the host
	FSWrite      Tag = "fs_write"      // creates, changes or deletes files of the host
	NetEgress    Tag = "net_egress"    // makes outbound network requests
	NetIngress   Tag = "net_ingress"   // opens a listening socket or another way in from outside
	SecretAccess Tag = "secret_access" // reads credentials or other sensitive material
	DBQuery      Tag = "db_query"      // reads from a database
	DBWrite      Tag = "db_write"      // changes a database
)

// Tags lists all tags in the order in which they are shown.
func Tags() []Tag {
	return []Tag{Exec, FSRead, FSWrite, NetEgress, NetIngress, SecretAccess, DBQuery, DBWrite}
}

// ParseTag returns the tag with this name.
func ParseTag(s string) (Tag, error) { return parse(s, "tag", Tags()) }

// A Role is the kind of value that a parameter takes.
type Role string

// The roles. Parameters with the role Text or ID are not probed.
const (
	Path    Role = "path"    // in a file system
	URL     Role = "url"     // any scheme
	Command Role = "command" // shell command, argument vector, or code to run
	Query   Role = "query"   // SQL or another query language
	Host    Role = "host"    // host name or IP address without scheme
	Content Role = "content" // payload: file content, message body
	ID      Role = "id"      // opaque identifier
	Text    Role = "text"    // anything else
)

// Roles lists all roles.
func Roles() []Role { return []Role{Path, URL, Command, Query, Host, Content, ID, Text} }

// ParseRole returns the role with this name.
func ParseRole(s string) (Role, error) { return parse(s, "role", Roles()) }

// A Confidence says how well a label is supported.
type Confidence string

// The confidences. Inferred is a language model's statement; it filters like Medium.
const (
	High     Confidence = "high"     // several independent sources agree, or the source contains the call
	Medium   Confidence = "medium"   // one strong source and no contradiction
	Low      Confidence = "low"      // weak or conflicting
	Inferred Confidence = "inferred" // a model's opinion
)

// Confidences lists all confidences, the highest first.
func Confidences() []Confidence { return []Confidence{High, Medium, Inferred, Low} }

// ParseConfidence returns the confidence with this name.
func ParseConfidence(s string) (Confidence, error) { return parse(s, "confidence", Confidences()) }

// String returns the name.
func (c Confidence) String() string { return string(c) }

// AtLeast reports whether c is at or above floor.
func (c Confidence) AtLeast(floor Confidence) bool { return c.rank() >= floor.rank() }

func (c Confidence) rank() int {
	switch c {
	case High:
		return 3
	case Medium, Inferred:
		return 2
	case Low:
		return 1
	}
	return 0
}

func parse[T ~string](s, what string, all []T) (T, error) {
	for _, t := range all {
		if string(t) == s {
			return t, nil
		}
	}
	return "", fmt.Errorf("%q is no %s: want one of %v", s, what, all)
}
