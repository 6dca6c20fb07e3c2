package archtest

// A row says what one package may do. Everything not allowed here is refused.
type row struct {
	path  string   // below the module's root, slash-separated
	layer int      // a package imports from lower layers only, never from its own
	may   []string // packages of this module it may import; "internal/engine/check/*" means one level below
	deps  []string // third-party modules it may import
	open  bool     // every package above may import it, without a word in its row
	not   freedom  // the rules it is free from; a pure library package is free from none
}

// freedom is a set of rules that do not hold for a package.
type freedom uint8

const (
	impure   freedom = 1 << iota // may use files, network, processes and the clock
	userFace                     // may see flags, environment, arguments and the standard streams
	mayExit                      // may end the process
)

// The layers, lowest first.
const (
	plain    = iota - 1 // strings and nothing else
	tokens              // the JSON tokenizer and other leaves that know nothing of MCP
	words               // vocabulary over the leaves
	contract            // what a check is, and other engines over the vocabulary
	lanes               // the checks
	joins               // what joins lanes and engines, and what renders a result
	wires               // I/O: framing
	manners             // I/O: MCP over framing
	stages              // I/O: what plays over the manners
	files               // I/O: files that users name, interruption
	doors               // I/O: what starts, connects and records
	targets             // what reads, plays and judges what a user names
	plans               // what decides over several targets
	vettings            // what vets what plans name
	command             // the subcommands
	programs            // the command lines of further programs
	entry               // main
)

// table is the architecture: one row a package, from the bottom up. A package enters it
// in the change that creates it and leaves it in the change that removes it.
var table = []row{
	{path: "internal/leaf/charset", layer: plain, deps: []string{"golang.org/x/text"}},
	{path: "internal/leaf/excerpt", layer: plain, open: true},
	{path: "internal/leaf/lazyregexp", layer: plain, open: true},
	// Written by the script beside it.
	{path: "internal/leaf/syntax/treesitter", layer: plain},
	{path: "rawjson", layer: tokens},
	{path: "finding", layer: tokens},
	{path: "capability", layer: tokens},
	{path: "internal/leaf/secret", layer: tokens, deps: []string{"github.com/pelletier/go-toml/v2"}},
	{path: "internal/leaf/mcp", layer: tokens},
	{path: "internal/leaf/hostscope", layer: tokens, deps: []string{"golang.org/x/text"}},
	{path: "verdict", layer: tokens},
	{path: "internal/leaf/suggest", layer: tokens},
	{path: "internal/leaf/text", layer: tokens, deps: []string{"golang.org/x/text"}},
	{path: "attacks", layer: tokens},
	{path: "internal/archtest", layer: tokens},
	{path: "internal/leaf/ir", layer: tokens},
	{path: "internal/leaf/probe", layer: tokens},
	{path: "internal/leaf/sockettable", layer: tokens},
	{path: "internal/leaf/shell", layer: tokens},
	{path: "internal/leaf/startup", layer: tokens},
	{path: "trust", layer: tokens},
	// It builds and runs a test anew, and is imported by tests only.
	{path: "internal/testing/opcount", layer: tokens, not: impure | userFace},
	{path: "internal/leaf/syntax", layer: tokens, may: []string{"internal/leaf/syntax/treesitter"}},

	{path: "catalog", layer: words, may: []string{"rawjson", "finding"}},
	{path: "internal/leaf/clause", layer: words, may: []string{"internal/leaf/text"}},
	{path: "internal/leaf/planted", layer: words, may: []string{"internal/leaf/startup", "rawjson"}},
	{path: "internal/leaf/redact", layer: words, may: []string{"internal/leaf/text", "rawjson"}, open: true},
	{path: "internal/leaf/taxonomy", layer: words, may: []string{"finding"}},
	{path: "internal/leaf/a2a", layer: words, may: []string{"rawjson"}},
	{path: "internal/leaf/agui", layer: words, may: []string{"rawjson"}},
	{path: "internal/leaf/faults", layer: words, may: []string{"internal/leaf/mcp", "rawjson"}},
	{path: "oatf/match", layer: words, may: []string{"rawjson"}, deps: []string{"cel.dev/cel-go"}},
	{path: "trace", layer: words, may: []string{"rawjson"}},
	{path: "result", layer: words, may: []string{"finding", "verdict"}},
	{path: "internal/leaf/yamltext", layer: words, may: []string{"rawjson"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "sink", layer: words, may: []string{"capability"}},

	{path: "internal/engine/check", layer: contract, may: []string{"internal/leaf/schema", "catalog", "finding", "result", "rawjson", "trace", "trust", "internal/leaf/clause", "internal/leaf/probe", "internal/leaf/taxonomy", "sink"}},
	{path: "oatf", layer: contract, may: []string{"internal/leaf/mcp", "rawjson", "oatf/match", "internal/leaf/faults", "internal/leaf/planted", "internal/leaf/suggest", "internal/leaf/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "suite", layer: contract, may: []string{"trust", "internal/leaf/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "policy", layer: contract, may: []string{"finding", "result", "internal/leaf/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "lock", layer: contract, may: []string{"catalog", "rawjson", "finding"}},
	{path: "diff", layer: contract, may: []string{"catalog", "rawjson", "finding", "internal/leaf/schema"}, deps: []string{"github.com/aymanbagabas/go-udiff"}},
	{path: "classify", layer: contract, may: []string{"sink", "capability", "catalog", "rawjson", "internal/leaf/text"}},
	{path: "posture", layer: contract, may: []string{"internal/leaf/mcp", "catalog", "rawjson", "result", "finding"}},

	{path: "internal/engine/schemafill", layer: words},
	{path: "internal/leaf/schema", layer: words, may: []string{"rawjson"}, deps: []string{"github.com/google/jsonschema-go"}},

	{path: "internal/engine/callgraph", layer: contract, may: []string{"internal/leaf/mcp", "capability", "internal/leaf/ir", "sink"}},
	{path: "internal/engine/survey", layer: lanes, may: []string{"capability", "internal/leaf/ir", "internal/engine/callgraph", "sink"}},
	{path: "internal/engine/declared", layer: lanes, may: []string{"internal/leaf/ir", "internal/engine/callgraph", "sink"}},
	{path: "internal/engine/taint", layer: joins, may: []string{"capability", "internal/leaf/ir", "internal/engine/callgraph", "internal/engine/declared", "sink"}},

	{path: "internal/engine/lang/golang", layer: wires, may: []string{"internal/leaf/ir", "internal/engine/callgraph", "internal/engine/survey", "internal/engine/taint", "sink"}},
	{path: "internal/engine/lang/python", layer: wires, may: []string{"internal/leaf/ir", "internal/engine/callgraph", "internal/engine/survey", "internal/engine/taint", "internal/leaf/syntax", "sink"}},
	{path: "internal/engine/lang/typescript", layer: wires, may: []string{"internal/leaf/ir", "internal/engine/callgraph", "internal/engine/survey", "internal/engine/taint", "internal/leaf/syntax", "sink"}},
	// The harness of the languages' goldens.
	{path: "internal/testing/langtest", layer: contract, may: []string{"sink"}, deps: []string{"github.com/rogpeppe/go-internal"}, not: impure | userFace},
	{path: "internal/engine/check/surface", layer: lanes, may: []string{"internal/leaf/schema", "internal/engine/check", "catalog", "finding", "rawjson", "internal/leaf/text", "internal/leaf/clause", "internal/leaf/secret", "internal/leaf/hostscope"}, deps: []string{"golang.org/x/net"}},
	{path: "internal/engine/acts", layer: contract, may: []string{"internal/leaf/clause", "internal/leaf/hostscope", "internal/leaf/shell", "internal/leaf/text"}},
	{path: "internal/engine/guard", layer: lanes, may: []string{"internal/engine/acts", "internal/leaf/hostscope", "internal/leaf/lazyregexp", "internal/leaf/redact", "internal/leaf/secret", "internal/leaf/shell", "internal/leaf/startup", "internal/leaf/text", "internal/leaf/yamltext", "rawjson"}},
	{path: "internal/engine/check/config", layer: lanes, may: []string{"internal/engine/acts", "internal/engine/check", "finding", "internal/leaf/clause", "internal/leaf/hostscope", "internal/leaf/secret", "internal/leaf/startup", "internal/leaf/taxonomy"}},
	{path: "internal/engine/check/namespace", layer: lanes, may: []string{"internal/engine/check", "catalog", "finding", "rawjson", "internal/leaf/text"}},
	{path: "internal/engine/check/integrity", layer: lanes, may: []string{"internal/engine/check", "catalog", "finding", "rawjson", "posture"}},
	{path: "oatf/indicator", layer: lanes, may: []string{"internal/leaf/a2a", "internal/leaf/agui", "oatf", "oatf/match", "trace", "verdict", "rawjson"}},
	{path: "internal/engine/delivery", layer: lanes, may: []string{"internal/leaf/planted", "internal/leaf/probe", "internal/leaf/a2a", "internal/engine/schemafill", "oatf/match", "internal/leaf/agui", "internal/leaf/mcp", "oatf", "trace", "verdict", "rawjson", "internal/leaf/clause"}},
	{path: "internal/engine/check/differential", layer: lanes, may: []string{"internal/engine/check", "catalog", "finding", "rawjson"}},
	{path: "internal/engine/check/probing", layer: lanes, may: []string{"internal/engine/check", "catalog", "finding", "rawjson", "result", "internal/leaf/mcp", "internal/leaf/probe", "internal/leaf/schema", "internal/leaf/secret", "internal/leaf/hostscope"}},
	{path: "internal/engine/check/behaviour", layer: lanes, may: []string{"internal/engine/check", "internal/leaf/startup", "finding", "rawjson", "trace"}},
	{path: "internal/engine/check/packaging", layer: lanes, may: []string{"internal/engine/check", "finding", "result"}},
	{path: "internal/engine/check/sourceflow", layer: lanes, may: []string{"internal/engine/check", "finding", "sink"}},
	{path: "internal/engine/check/toxicflow", layer: lanes, may: []string{"internal/engine/check", "catalog", "finding", "rawjson", "capability", "classify"}},
	{path: "internal/engine/check/boundary", layer: lanes, may: []string{"internal/leaf/mcp", "internal/engine/check", "finding", "rawjson", "trace", "trust", "capability", "classify"}},
	// The harness of all lanes' tests: it reads golden files and is imported by tests only.
	{path: "internal/testing/checktest", layer: lanes, may: []string{"internal/leaf/mcp", "internal/engine/check", "catalog", "finding", "result", "rawjson", "suite", "trace", "internal/leaf/text"}, not: impure},

	{path: "internal/engine/advice", layer: joins, may: []string{"capability", "catalog", "finding", "rawjson", "result", "internal/leaf/secret"}},
	{path: "internal/engine/mock", layer: joins, may: []string{"oatf", "rawjson", "internal/leaf/suggest", "internal/leaf/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "internal/engine/fromscan", layer: joins, may: []string{"internal/leaf/mcp", "catalog", "finding", "rawjson", "oatf", "internal/leaf/text"}},
	{path: "internal/engine/scanner", layer: joins, may: []string{"internal/engine/check", "internal/engine/check/*", "result", "posture", "catalog", "finding", "internal/leaf/probe", "internal/leaf/taxonomy", "rawjson"}},

	// The scanner for other modules, without the types of checks.
	{path: "scan", layer: wires, may: []string{"internal/engine/advice", "internal/engine/check", "internal/engine/scanner", "catalog", "finding", "result", "trace", "trust"}},
	{path: "report", layer: joins, may: []string{"internal/leaf/mcp", "result", "verdict", "finding", "capability", "rawjson", "diff", "trace"}, deps: []string{"golang.org/x/text"}},

	{path: "internal/engine/source", layer: manners, may: []string{"finding", "internal/leaf/secret", "internal/leaf/syntax", "sink", "internal/engine/lang/*"}},

	{path: "internal/runtime/fetch", layer: manners, may: []string{"internal/runtime/sandbox", "internal/runtime/wire", "result"}, deps: []string{"github.com/pelletier/go-toml/v2"}, not: impure},

	{path: "internal/runtime/wire", layer: wires, may: []string{"internal/leaf/schema", "internal/leaf/mcp", "rawjson", "trace"}, deps: []string{"golang.org/x/sys"}, not: impure},
	{path: "internal/runtime/oauth", layer: wires, may: []string{"internal/leaf/hostscope", "internal/leaf/mcp", "internal/leaf/probe"}, deps: []string{"github.com/go-jose/go-jose/v4", "github.com/modelcontextprotocol/go-sdk", "golang.org/x/oauth2"}, not: impure},
	{path: "internal/runtime/attackoauth", layer: manners, may: []string{"internal/leaf/suggest", "report", "internal/runtime/oauth"}, not: impure},
	{path: "internal/runtime/model", layer: wires, may: []string{}, not: impure},
	{path: "internal/runtime/sandbox", layer: wires, may: []string{"internal/leaf/sockettable", "internal/leaf/startup", "internal/leaf/text", "trace"}, deps: []string{"github.com/elastic/go-seccomp-bpf", "github.com/landlock-lsm/go-landlock", "golang.org/x/net", "golang.org/x/sys", "gvisor.dev/gvisor"}, not: impure},
	{path: "internal/runtime/discover", layer: wires, may: []string{"internal/leaf/lazyregexp", "internal/leaf/charset", "internal/engine/check/config", "finding", "rawjson"}, deps: []string{"github.com/pelletier/go-toml/v2", "go.yaml.in/yaml/v4"}, not: impure},
	{path: "internal/runtime/traceimport", layer: manners, may: []string{"internal/leaf/mcp", "internal/runtime/wire", "rawjson", "trace"}},
	{path: "internal/runtime/mcpclient", layer: manners, may: []string{"internal/leaf/mcp", "internal/runtime/wire", "rawjson", "catalog", "finding"}, not: impure},
	{path: "internal/runtime/mcpserver", layer: manners, may: []string{"internal/leaf/mcp", "internal/runtime/wire", "rawjson", "catalog"}, not: impure},

	{path: "internal/runtime/gateway", layer: stages, may: []string{"internal/leaf/mcp", "internal/runtime/mcpclient", "internal/runtime/mcpserver", "internal/runtime/wire", "rawjson", "trace"}, not: impure},
	// The engine of attack documents knows no protocol; a binding for each plays its actors.
	{path: "internal/runtime/attack", layer: manners, may: []string{"internal/leaf/schema", "internal/leaf/secret", "internal/leaf/faults", "oatf", "oatf/match", "rawjson", "trace"}, not: impure},
	{path: "internal/runtime/attackmcp", layer: stages, may: []string{"capability", "catalog", "classify", "internal/leaf/mcp", "internal/leaf/faults", "internal/runtime/attack", "internal/runtime/mcpclient", "internal/runtime/mcpserver", "internal/runtime/wire", "oatf", "oatf/match", "rawjson", "trace"}, not: impure},
	{path: "internal/runtime/attacka2a", layer: stages, may: []string{"internal/leaf/a2a", "internal/runtime/attack", "internal/runtime/wire", "oatf", "oatf/match", "rawjson", "trace", "internal/leaf/excerpt"}, not: impure},
	{path: "internal/runtime/aguiagent", layer: stages, may: []string{"internal/runtime/mcpclient", "internal/leaf/agui", "internal/runtime/mcpserver", "internal/runtime/wire", "rawjson"}, not: impure},
	{path: "internal/runtime/attackagui", layer: stages, may: []string{"internal/leaf/agui", "internal/runtime/attack", "internal/runtime/wire", "oatf", "oatf/match", "rawjson", "trace"}, not: impure},
	{path: "internal/runtime/agent", layer: stages, may: []string{"internal/leaf/agui", "internal/leaf/planted", "internal/runtime/sandbox", "internal/runtime/wire"}, not: impure},

	{path: "internal/runtime/modelagent", layer: stages, may: []string{"internal/leaf/mcp", "internal/runtime/mcpclient", "internal/runtime/model", "internal/runtime/wire", "rawjson"}, not: impure},

	// The agents without a model see what any agent sees: no document, no attack and no model.
	{path: "internal/runtime/simagent", layer: stages, may: []string{"internal/leaf/mcp", "internal/runtime/mcpclient", "internal/runtime/wire", "internal/leaf/text", "rawjson"}, deps: []string{"go.yaml.in/yaml/v4"}, not: impure},

	// What careless servers of tests do, imported by tests only.
	{path: "internal/testing/carelesstest", layer: tokens, not: impure},
	// The official peers of the protocol, imported by tests only.
	{path: "internal/testing/peertest", layer: tokens, not: impure | userFace},

	// A provider of models without a model, imported by tests only.
	{path: "internal/testing/scriptedmodel", layer: files, may: []string{"internal/runtime/mcpclient", "internal/runtime/simagent", "internal/runtime/wire"}, not: impure},

	{path: "internal/run/buildinfo", layer: files, may: []string{"report"}, not: impure},
	{path: "internal/run/userfile", layer: files, may: []string{"internal/leaf/charset"}, not: impure},
	{path: "internal/run/interrupt", layer: files, not: impure},
	{path: "internal/run/listen", layer: files, not: impure},
	{path: "internal/run/launch", layer: doors, may: []string{"internal/leaf/mcp", "internal/runtime/sandbox", "internal/runtime/wire", "rawjson", "result", "trace"}, not: impure},
	{path: "internal/run/login", layer: doors, may: []string{"report", "internal/leaf/probe", "internal/run/interrupt", "internal/run/userfile", "internal/runtime/oauth", "internal/runtime/wire"}, deps: []string{"github.com/zalando/go-keyring"}, not: impure},
	{path: "internal/run/tracefile", layer: doors, may: []string{"report", "internal/leaf/secret", "internal/run/userfile", "internal/runtime/wire", "rawjson", "trace"}, not: impure},
	{path: "internal/run/modelset", layer: doors, may: []string{"internal/run/userfile", "internal/runtime/model"}, not: impure},
	{path: "internal/run/advise", layer: targets, may: []string{"internal/run/runstate", "internal/leaf/secret", "oatf/indicator", "capability", "catalog", "classify", "internal/engine/advice", "internal/run/interrupt", "internal/run/modelset", "internal/runtime/attack", "internal/runtime/model", "oatf", "rawjson", "result"}},
	{path: "internal/run/attackdoc", layer: doors, may: []string{"internal/engine/delivery", "internal/leaf/planted", "internal/leaf/agui", "internal/engine/fromscan", "attacks", "finding", "internal/leaf/faults", "internal/leaf/suggest", "internal/run/interrupt", "internal/run/userfile", "oatf", "oatf/match", "rawjson", "report", "result"}, not: impure},
	{path: "internal/run/testagent", layer: doors, may: []string{"internal/leaf/planted", "internal/leaf/excerpt", "internal/runtime/mcpclient", "internal/run/userfile", "internal/runtime/agent", "internal/runtime/aguiagent", "internal/runtime/model", "internal/runtime/modelagent", "internal/runtime/simagent", "internal/runtime/wire", "internal/leaf/a2a", "internal/runtime/mcpserver", "rawjson"}, not: impure},
	{path: "internal/run/inprocess", layer: doors, may: []string{"catalog", "finding", "internal/engine/mock", "internal/runtime/attack", "internal/runtime/attackmcp", "internal/runtime/mcpserver", "internal/runtime/wire", "lock", "trace"}, not: impure},
	{path: "internal/run/attackrun", layer: plans, may: []string{"internal/run/proberun", "internal/leaf/planted", "internal/runtime/mcpclient", "internal/run/runstate", "finding", "internal/engine/delivery", "internal/engine/fromscan", "internal/leaf/mcp", "internal/leaf/probe", "internal/run/attackdoc", "internal/run/interrupt", "internal/run/launch", "internal/run/listen", "internal/run/testagent", "internal/run/tracefile", "internal/run/userfile", "internal/runtime/attack", "internal/leaf/agui", "internal/leaf/a2a", "internal/runtime/aguiagent", "internal/runtime/attacka2a", "internal/runtime/attackagui", "internal/runtime/attackmcp", "internal/runtime/mcpserver", "internal/runtime/modelagent", "internal/runtime/sandbox", "internal/runtime/wire", "oatf", "oatf/indicator", "rawjson", "result", "trace", "verdict"}, not: impure},
	{path: "internal/run/suiterun", layer: targets, may: []string{"catalog", "finding", "internal/engine/check", "internal/engine/check/behaviour", "internal/engine/check/boundary", "internal/engine/delivery", "internal/runtime/sandbox", "internal/run/inprocess", "internal/run/launch", "internal/run/testagent", "internal/run/tracefile", "internal/run/userfile", "internal/runtime/gateway", "internal/runtime/mcpclient", "internal/runtime/mcpserver", "internal/runtime/wire", "result", "internal/engine/scanner", "suite", "trace", "internal/leaf/mcp", "oatf/match", "rawjson"}, not: impure},
	{path: "internal/run/sourcecode", layer: doors, may: []string{"catalog", "finding", "internal/engine/source", "internal/run/interrupt", "internal/run/userfile", "sink", "internal/leaf/charset"}, not: impure},
	{path: "internal/run/redaction", layer: doors, may: []string{"capability", "finding", "internal/leaf/redact", "result"}},
	{path: "internal/run/checkdoc", layer: doors, may: []string{"finding", "internal/engine/check", "internal/engine/check/config", "internal/engine/scanner", "internal/leaf/clause", "internal/leaf/suggest", "report", "result"}},
	{path: "internal/run/proberun", layer: targets, may: []string{"internal/run/runstate", "internal/run/tracefile", "internal/run/userfile", "internal/engine/check", "internal/engine/check/behaviour", "capability", "catalog", "classify", "finding", "internal/engine/check/probing", "internal/engine/scanner", "internal/run/redaction", "result", "internal/engine/schemafill", "internal/leaf/hostscope", "internal/leaf/mcp", "internal/leaf/probe", "internal/leaf/redact", "internal/run/interrupt", "internal/run/launch", "internal/run/listen", "internal/runtime/mcpclient", "internal/runtime/sandbox", "internal/runtime/wire", "rawjson", "trace", "internal/leaf/sockettable", "internal/runtime/oauth"}, not: impure},
	{path: "internal/run/runstate", layer: doors, may: []string{"finding", "result", "internal/run/userfile", "report"}, not: impure},
	{path: "internal/run/liveview", layer: plans, may: []string{"diff", "internal/run/listen", "internal/run/runstate", "internal/run/tracefile", "internal/run/userfile", "report", "result"}, not: impure},
	{path: "internal/run/target", layer: targets, may: []string{"internal/run/runstate", "internal/leaf/charset", "internal/runtime/discover", "internal/engine/scanner", "internal/leaf/lazyregexp", "result", "internal/leaf/mcp", "internal/leaf/probe", "internal/run/interrupt", "internal/run/launch", "internal/run/tracefile", "internal/runtime/mcpclient", "internal/runtime/wire", "internal/engine/check", "catalog", "finding", "lock", "report", "trace"}, not: impure},
	{path: "internal/run/clientplan", layer: plans, may: []string{"internal/engine/check", "internal/engine/scanner", "internal/run/launch", "internal/run/target", "internal/run/userfile", "internal/runtime/discover", "internal/runtime/wire", "internal/engine/check/config", "internal/leaf/secret", "catalog", "finding", "result"}, not: impure},
	{path: "internal/run/mcptools", layer: plans, may: []string{"catalog", "diff", "finding", "internal/engine/scanner", "internal/leaf/excerpt", "internal/run/checkdoc", "internal/run/interrupt", "result"}, deps: []string{"github.com/modelcontextprotocol/go-sdk"}, not: impure},
	{path: "internal/run/vet", layer: vettings, may: []string{"internal/run/runstate", "catalog", "diff", "finding", "internal/engine/check", "internal/engine/check/config", "internal/run/clientplan", "internal/engine/scanner", "internal/engine/source", "internal/run/interrupt", "internal/run/launch", "internal/run/proberun", "internal/run/redaction", "internal/run/sourcecode", "internal/run/target", "internal/runtime/discover", "internal/runtime/fetch", "internal/runtime/sandbox", "internal/runtime/wire", "result", "internal/leaf/text", "rawjson"}, not: impure},
	{path: "internal/run/scanrun", layer: vettings, may: []string{"internal/run/runstate", "capability", "catalog", "classify", "finding", "internal/engine/advice", "internal/engine/check", "internal/engine/check/config", "internal/engine/scanner", "internal/run/advise", "internal/run/clientplan", "internal/run/interrupt", "internal/run/lockstate", "internal/run/modelset", "internal/run/redaction", "internal/run/sourcecode", "internal/run/target", "internal/run/tracefile", "internal/run/userfile", "policy", "report", "result", "sink", "trace", "trust", "rawjson"}, not: impure},
	{path: "internal/run/redteam", layer: vettings, may: []string{"internal/run/interrupt", "internal/run/launch", "internal/engine/schemafill", "internal/run/runstate", "internal/engine/delivery", "internal/leaf/redact", "internal/leaf/secret", "internal/leaf/agui", "internal/leaf/mcp", "internal/run/attackdoc", "internal/run/attackrun", "internal/run/modelset", "internal/run/testagent", "internal/run/tracefile", "internal/runtime/attack", "internal/runtime/mcpclient", "internal/runtime/mcpserver", "internal/runtime/modelagent", "internal/runtime/model", "internal/runtime/wire", "oatf", "rawjson", "report", "result", "trace", "verdict"}, not: impure},
	{path: "internal/run/gatewayrun", layer: vettings, may: []string{"internal/leaf/redact", "internal/run/clientplan", "internal/run/launch", "internal/run/listen", "internal/run/tracefile", "internal/runtime/gateway", "internal/runtime/mcpserver", "internal/runtime/wire", "trace"}, not: impure},
	{path: "internal/run/lockstate", layer: plans, may: []string{"internal/leaf/suggest", "internal/run/launch", "internal/run/target", "catalog", "diff", "finding", "lock", "report"}, not: impure},

	{path: "internal/run/fleet", layer: targets, may: []string{"attacks", "internal/leaf/yamltext", "internal/run/userfile", "internal/runtime/fetch", "internal/runtime/model", "internal/runtime/sandbox", "finding", "rawjson", "report", "result"}, deps: []string{"go.yaml.in/yaml/v4"}, not: impure},

	{path: "internal/cli", layer: command, may: []string{"internal/run/runstate", "*"}, not: impure | userFace},
	{path: "internal/cli/helppage", layer: vettings, may: []string{"report"}, deps: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}, not: userFace},
	// Fits the weights of the text reader; nothing that ships imports it.
	{path: "internal/testing/calibration", layer: targets, may: []string{"capability", "catalog", "classify", "finding", "internal/leaf/suggest", "internal/run/sourcecode", "internal/run/userfile"}, deps: []string{"go.yaml.in/yaml/v4"}, not: impure},
	{path: "internal/testing/calibrate", layer: entry, may: []string{"internal/run/runstate", "capability", "catalog", "finding", "internal/run/advise", "internal/run/modelset", "internal/run/target", "internal/testing/calibration", "report"}, not: impure | userFace | mayExit},
	{path: "internal/testing/fit", layer: entry, may: []string{"catalog", "finding", "internal/engine/check", "internal/leaf/clause", "internal/leaf/text"}, not: impure | userFace | mayExit},
	{path: "cmd/release-docs", layer: entry, may: []string{"internal/cli", "internal/cli/fleetcli"}, deps: []string{"github.com/spf13/cobra"}, not: impure | userFace | mayExit},
	{path: "internal/cli/fleetcli", layer: programs, may: []string{"internal/run/buildinfo", "internal/cli/helppage", "internal/run/fleet", "internal/run/userfile", "report", "result"}, not: impure | userFace},
	{path: "cmd/gauntlet-fleet", layer: entry, may: []string{"internal/cli", "internal/cli/fleetcli", "internal/runtime/sandbox", "internal/runtime/wire", "result"}, not: impure | userFace | mayExit},
	{path: "examples/first", layer: entry, may: []string{"catalog", "finding", "report", "scan"}, not: impure | userFace | mayExit},
	{path: "cmd/gauntlet", layer: entry, may: []string{"internal/cli", "internal/runtime/sandbox", "internal/runtime/wire"}, not: impure | userFace | mayExit},
}
