package capability

// A Combination is a set of tags that is more dangerous together than apart, found in a
// server.
type Combination struct {
	Tags      []Tag    `json:"tags"`
	Tools     []string `json:"tools"`
	Rationale string   `json:"rationale"`
	// Scope tells a pair inside one tool ("tool") from one across tools ("server").
	Scope string `json:"scope"`
	// Confidence is that of the weaker half, each half taken at its best.
	Confidence Confidence `json:"confidence"`

	// Indexes are the places of Tools in the server's list, since names can repeat.
	Indexes []int `json:"-"`
}

// The scopes of a combination.
const (
	WithinTool  = "tool"
	AcrossTools = "server"
)

// A Condition is what must be true of two tools in addition to their tags.
type Condition uint8

// The conditions of the table.
const (
	Always    Condition = iota
	SameStore           // both work on the same database
	CodePaths           // the writer's path is free, or leads to code, scripts, configuration or start-up places
)

// A Risk is a row of the table of combinations.
type Risk struct {
	Tags      [2]Tag
	Rationale string
	Says      string // what can happen, for a person
	Condition Condition
}

// Risks is the table of combinations. It belongs to the vocabulary's version.
func Risks() []Risk {
	return []Risk{
		{[2]Tag{FSRead, NetEgress}, "exfil_pair", "files can be read and sent away", Always},
		{[2]Tag{SecretAccess, NetEgress}, "credential_exfil", "credentials can be read and sent away", Always},
		{[2]Tag{DBQuery, NetEgress}, "database_exfil", "the database can be read and sent away", Always},
		{[2]Tag{FSWrite, Exec}, "write_then_execute", "a file can be written and then run", Always},
		{[2]Tag{FSWrite, NetEgress}, "self_modifying_persistence", "what comes from the network can be written where code or configuration is loaded from", CodePaths},
		{[2]Tag{DBQuery, DBWrite}, "full_db_compromise_on_injection", "an injection reads and changes the whole database", SameStore},
	}
}
