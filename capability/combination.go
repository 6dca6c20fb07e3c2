package capability

// A Combination is a set of tags in a server that is more dangerous together than apart.
type Combination struct {
	Tags      []Tag    `json:"tags"`
	Tools     []string `json:"tools"`
	Rationale string   `json:"rationale"`
	// Scope is "tool" for tags of one tool, "server" for tags across tools.
	Scope string `json:"scope"`
	// Confidence is the minimum over the tags of each tag's best confidence.
	Confidence Confidence `json:"confidence"`

	// Indexes are the indexes of Tools in the server's list, since names can repeat.
	Indexes []int `json:"-"`
}

// The scopes of a combination.
const (
	WithinTool  = "tool"
	AcrossTools = "server"
)

// A Condition is an additional condition on two tools.
type Condition uint8

// The conditions of the table.
const (
	Always    Condition = iota
	SameStore           // both use the same database
	CodePaths           // the writer's path is arbitrary, or leads to code, scripts, configuration or start-up locations
)

// A Risk is a row of the table of combinations.
type Risk struct {
	Tags      [2]Tag
	Rationale string
	Says      string // what can happen, for people
	Condition Condition
}

// Risks returns the table of combinations, which is part of the vocabulary's version.
func Risks() []Risk {
	return []Risk{
		{[2]Tag{FSRead, NetEgress}, "exfil_pair", "files can be read and sent away", Always},
		{[2]Tag{SecretAccess, NetEgress}, "credential_exfil", "credentials can be read and sent away", Always},
		{[2]Tag{DBQuery, NetEgress}, "database_exfil", "the database can be read and sent away", Always},
		{[2]Tag{FSWrite, Exec}, "write_then_execute", "a file can be written and then run", Always},
		{[2]Tag{FSWrite, NetEgress}, "self_modifying_persistence", "data from the network can be written to where code or configuration is loaded from", CodePaths},
		{[2]Tag{DBQuery, DBWrite}, "full_db_compromise_on_injection", "an injection reads and changes the whole database", SameStore},
	}
}
