package capability

import "slices"

// A Source is a part of a definition that can support a label by itself. Two signals from one source count as one.
type Source string

// The sources.
const (
	FromName        Source = "name"
	FromDescription Source = "description" // and the title
	FromParameter   Source = "parameter"   // parameter names and descriptions
	FromSchema      Source = "schema"      // formats, types, enums
	FromAnnotation  Source = "annotation"
	FromServer      Source = "server" // server name, instructions and other tools
	FromSource      Source = "source" // code of the handler
)

// A Signal is evidence for a label, with its location.
type Signal struct {
	Source Source `json:"source"`
	// Pointer leads from the tool's definition to the string; it is empty for FromServer, whose evidence is the whole server.
	Pointer string `json:"pointer"`
	// Start and End are byte offsets in that string; both 0 mean all of it. For FromSource they are offsets in File.
	Start int `json:"start"`
	End   int `json:"end"`
	// Text is the text there, as the server wrote it.
	Text string `json:"text"`
	// Weight is 2 for evidence that suffices alone, 1 for evidence that needs more, negative for counter-evidence.
	Weight int `json:"weight"`
	// File and Line locate the evidence in the source; Line is 1-based.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Label is a capability of a tool, with confidence and evidence.
type Label struct {
	Tag        Tag        `json:"tag"`
	Confidence Confidence `json:"confidence"`
	Evidence   []string   `json:"evidence"`
	Signals    []Signal   `json:"signals"`
}

// A RoleLabel is the role of a parameter.
type RoleLabel struct {
	Role       Role       `json:"role"`
	Confidence Confidence `json:"confidence"`
	Evidence   []string   `json:"evidence"`
}

// Mode says what a classification is based on.
type Mode string

// The modes: only the definition, or the handler's source, too.
const (
	DefinitionOnly Mode = "A"
	WithSource     Mode = "B"
)

// A Tool is a tool with its labels.
type Tool struct {
	Name         string  `json:"tool_name"`
	Capabilities []Label `json:"capabilities"`
	// Roles has an entry for every parameter; nested ones are named by their path in the schema: "params.sql", "files[].path".
	Roles    map[string]RoleLabel `json:"parameter_roles"`
	Mode     Mode                 `json:"classification_mode"`
	Warnings []string             `json:"warnings"`

	Flow Flow `json:"-"`
	// Index is the index in the server's list.
	Index int `json:"-"`
}

// Has returns the tool's label with this tag at or above floor, or nil.
func (t *Tool) Has(tag Tag, floor Confidence) *Label {
	for i := range t.Capabilities {
		if l := &t.Capabilities[i]; l.Tag == tag && l.Confidence.AtLeast(floor) {
			return l
		}
	}
	return nil
}

// A Server holds the tools of a server and their combined capabilities.
type Server struct {
	Name              string        `json:"server"`
	VocabularyVersion string        `json:"vocabulary_version"`
	Tools             []Tool        `json:"tools"`
	Capabilities      []Tag         `json:"server_capability_set"` // at high or medium
	Combinations      []Combination `json:"overbroad_combinations"`
	// Inferred are tags that tools have only in a model's opinion. They take part in no combination.
	Inferred []Tag `json:"inferred_capability_set,omitempty"`
	// SharedCalls are calls in the source that most tools reach without mentioning them in their definitions: the
	// server's log or state. Each is a tag and its evidence, "fs_write ast_sink:open()@log.py:3".
	SharedCalls []string `json:"shared_calls,omitempty"`
	// Warnings say what could not be read of the source, if there was one.
	Warnings []string `json:"warnings,omitempty"`
}

// A Way is a tool's part in an agent's data flow, as a phrase that follows the tool's name. "" means none.
type Way string

// The ways. In each group the most useful for an attacker comes first.
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

// ways lists each group, worst first.
var ways = []Way{
	ReturnsMail, OpensPages, ReturnsPages, ReturnsPublic,
	ReadsSecrets, ReadsFiles, ReadsDatabase, ReadsAccount, ReadsByCommand, ReadsByScript,
	SendsByCommand, SendsMessages, SendsRequests, SendsByScript, Publishes,
	RunsCommands, RunsStatements, Deletes, OverwritesFile,
}

// Worse reports whether w is more useful to an attacker than another way of its group; any way is worse than none.
func (w Way) Worse(than Way) bool {
	return w != "" && (than == "" || slices.Index(ways, w) < slices.Index(ways, than))
}

// A Flow describes a tool's part in an agent's data flow, beyond its tags.
type Flow struct {
	Untrusted   Way // returns text that strangers can write
	Private     Way // returns data that its user would not publish
	Exfil       Way // sends data to a place that strangers can read
	Destructive Way // destroys state

	LocalOnly bool     // destroys only local state
	Outward   bool     // the caller chooses its request's destination, or what it sends to others
	Uploads   bool     // uploads a local file to a service
	Inward    bool     // returns data from the network
	FreePath  bool     // writes the caller's data, or data from the network, to a path of the caller's choice or to code or configuration
	Scripts   bool     // its code only runs in a browser page
	Elsewhere bool     // its code runs in a service, without access to local files
	Composes  bool     // a parameter takes text written by the caller
	Stores    []string // databases that it names
}
