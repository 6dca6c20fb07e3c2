package capability

import "slices"

// A Source is a part of a definition that can support a label by itself. Two signals of one source
// count as one.
type Source string

// The sources.
const (
	FromName        Source = "name"
	FromDescription Source = "description" // and the title
	FromParameter   Source = "parameter"   // names and descriptions of parameters
	FromSchema      Source = "schema"      // formats, types, enums
	FromAnnotation  Source = "annotation"
	FromServer      Source = "server" // the server's name, instructions and other tools
	FromSource      Source = "source" // the code that answers the tool
)

// A Signal is structured evidence for a label, with its place.
type Signal struct {
	Source Source `json:"source"`
	// Pointer leads from the definition of the tool to the string; for FromServer it is empty,
	// since the evidence is the whole server.
	Pointer string `json:"pointer"`
	// Start and End are byte offsets in that string; both 0 stand for all of it. For
	// FromSource they are offsets in File.
	Start int `json:"start"`
	End   int `json:"end"`
	// Text is what stands there, as the server wrote it.
	Text string `json:"text"`
	// Weight is 2 for evidence that is enough alone, 1 for evidence that needs more, negative for
	// evidence against the label.
	Weight int `json:"weight"`
	// File and Line say where in the sources; Line counts from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Label says that a tool has a capability, with what confidence, and why.
type Label struct {
	Tag        Tag        `json:"tag"`
	Confidence Confidence `json:"confidence"`
	Evidence   []string   `json:"evidence"`
	Signals    []Signal   `json:"signals"`
}

// A RoleLabel says what a parameter is.
type RoleLabel struct {
	Role       Role       `json:"role"`
	Confidence Confidence `json:"confidence"`
	Evidence   []string   `json:"evidence"`
}

// Mode says what a classification is based on.
type Mode string

// The modes: the definition alone, or the source of the handler as well.
const (
	DefinitionOnly Mode = "A"
	WithSource     Mode = "B"
)

// A Tool is one tool with its labels.
type Tool struct {
	Name         string  `json:"tool_name"`
	Capabilities []Label `json:"capabilities"`
	// Roles has an entry for every parameter. A nested one is named by its path in the schema:
	// "params.sql", "files[].path".
	Roles    map[string]RoleLabel `json:"parameter_roles"`
	Mode     Mode                 `json:"classification_mode"`
	Warnings []string             `json:"warnings"`

	Flow Flow `json:"-"`
	// Index is the tool's place in the server's list.
	Index int `json:"-"`
}

// Has returns the tool's label of this tag if it has one at or above floor, else nil.
func (t *Tool) Has(tag Tag, floor Confidence) *Label {
	for i := range t.Capabilities {
		if l := &t.Capabilities[i]; l.Tag == tag && l.Confidence.AtLeast(floor) {
			return l
		}
	}
	return nil
}

// A Server is all tools of one server with their combined capabilities.
type Server struct {
	Name              string        `json:"server"`
	VocabularyVersion string        `json:"vocabulary_version"`
	Tools             []Tool        `json:"tools"`
	Capabilities      []Tag         `json:"server_capability_set"` // at high or medium
	Combinations      []Combination `json:"overbroad_combinations"`
	// Inferred are tags that tools have only in a model's opinion. They count for no combination.
	Inferred []Tag `json:"inferred_capability_set,omitempty"`
	// SharedCalls are calls of the source that most tools reach without their definitions speaking of it: the server's log, its state. Each is
	// a tag and the evidence, "fs_write ast_sink:open()@log.py:3".
	SharedCalls []string `json:"shared_calls,omitempty"`
	// Warnings say what of the source could not be read, where one was given.
	Warnings []string `json:"warnings,omitempty"`
}

// A Way says how a tool takes part in the data flow of an agent, as a phrase that follows the
// tool's name in a sentence. "" means not at all.
type Way string

// The ways. In each group the most useful one for an attacker comes first.
const (
	OpensPages     Way = "opens pages on the network"
	ReturnsPages   Way = "returns what pages on the network say"
	ReturnsMail    Way = "returns messages that anyone may send"
	ReturnsPublic  Way = "returns what others wrote"
	ReadsSecrets   Way = "reads credentials"
	ReadsFiles     Way = "reads files"
	ReadsDatabase  Way = "reads a database"
	ReadsByCommand Way = "runs commands, which can read anything"
	ReadsByScript  Way = "runs scripts in a page, which can read what its user is logged in to"
	ReadsAccount   Way = "reads what an account holds"
	SendsByCommand Way = "runs commands, which can send anything anywhere"
	SendsMessages  Way = "sends messages to whom its caller names"
	SendsRequests  Way = "sends data to an address of its caller's choice"
	SendsByScript  Way = "runs scripts in a page, which can send what they find"
	Publishes      Way = "writes where others may read"
	RunsCommands   Way = "runs commands"
	RunsStatements Way = "runs any statement on a database"
	Deletes        Way = "deletes"
	OverwritesFile Way = "overwrites files"
)

// ways ranks each group, the worst first.
var ways = []Way{
	ReturnsMail, OpensPages, ReturnsPages, ReturnsPublic,
	ReadsSecrets, ReadsFiles, ReadsDatabase, ReadsAccount, ReadsByCommand, ReadsByScript,
	SendsByCommand, SendsMessages, SendsRequests, SendsByScript, Publishes,
	RunsCommands, RunsStatements, Deletes, OverwritesFile,
}

// Worse reports whether w is more useful to an attacker than another way of its group; any way is
// worse than none.
func (w Way) Worse(than Way) bool {
	return w != "" && (than == "" || slices.Index(ways, w) < slices.Index(ways, than))
}

// A Flow is a tool's part in the flow of data through an agent, beyond its tags.
type Flow struct {
	Untrusted   Way // returns text that strangers can write
	Private     Way // returns what its user would not publish
	Exfil       Way // takes data to a place that strangers can read
	Destructive Way // destroys state

	LocalOnly bool     // what it destroys is on this machine alone
	Outward   bool     // its requests go where its caller says, or carry what its caller says to others
	Uploads   bool     // it takes a file of this machine to a service
	Inward    bool     // it brings in what the network holds
	FreePath  bool     // it writes what its caller says, or what it brings in, to a path of the caller's choice or to code or configuration
	Scripts   bool     // what it runs stays in a page of a browser
	Elsewhere bool     // what it runs, it runs in a service, where no file of this machine lies
	Composes  bool     // a parameter carries a text of its caller's
	Stores    []string // the databases it names
}
