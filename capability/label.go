package capability

// A Source is a part of a definition that can speak for a label by itself. Two signals of
// one source are one signal.
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

// A Signal is structured evidence: what speaks for a label, and where it stands.
type Signal struct {
	Source Source `json:"source"`
	// Pointer leads from the definition of the tool to the string; for FromServer it is
	// empty, since the whole server speaks.
	Pointer string `json:"pointer"`
	// Start and End are byte offsets in that string; both 0 stand for all of it. For
	// FromSource they are offsets in File.
	Start int `json:"start"`
	End   int `json:"end"`
	// Text is what stands there, as the server wrote it.
	Text string `json:"text"`
	// Weight is 2 for what could stand alone, 1 for what needs company, negative for what
	// speaks against the label.
	Weight int `json:"weight"`
	// File and Line say where in the sources; Line counts from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Label says that a tool has a capability, how sure that is, and why.
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

// Mode says what a classification has seen.
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
	// Roles has an entry for every parameter. A nested one is named by its way through
	// the schema: "params.sql", "files[].path".
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

// A Server is all tools of one server and what they add up to.
type Server struct {
	Name              string        `json:"server"`
	VocabularyVersion string        `json:"vocabulary_version"`
	Tools             []Tool        `json:"tools"`
	Capabilities      []Tag         `json:"server_capability_set"` // at high or medium
	Combinations      []Combination `json:"overbroad_combinations"`
	// Warnings say what of the source could not be read, where one was given.
	Warnings []string `json:"warnings,omitempty"`
}

// A Flow is what a tool means for the way of data through an agent, beyond its tags. Each
// of the first four says why, in words that stand alone; empty means no.
type Flow struct {
	Untrusted   string   // returns text that strangers can write
	Private     string   // returns what its user would not publish
	Exfil       string   // takes data to a place that strangers can read
	Destructive string   // destroys state
	LocalOnly   bool     // what it destroys is on this machine alone
	Outward     bool     // its requests carry what its caller says, or go where its caller says
	FreePath    bool     // if it writes, then to a path of the caller's choice, or to code or configuration
	Stores      []string // the databases it names
}
