package archtest

// A row says what one package may do. Everything not allowed here is refused.
type row struct {
	path  string   // below the module's root, slash-separated
	layer int      // a package imports from lower layers only, never from its own
	may   []string // packages of this module it may import; "check/*" means one level below
	deps  []string // third-party modules it may import
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
	tokens   = iota // the JSON tokenizer and other leaves that know nothing of MCP
	words           // vocabulary over the leaves
	contract        // what a check is, and other engines over the vocabulary
	lanes           // the checks
	joins           // what joins lanes and engines, and what renders a result
	wires           // I/O: framing
	manners         // I/O: MCP over framing
	stages          // I/O: what plays over the manners
	command         // the subcommands
	entry           // main
)

// table is the architecture: one row a package, from the bottom up. A package enters it
// in the change that creates it and leaves it in the change that removes it.
var table = []row{
	{path: "rawjson", layer: tokens},
	{path: "finding", layer: tokens},
	{path: "capability", layer: tokens},
	{path: "internal/secret", layer: tokens, deps: []string{"github.com/pelletier/go-toml/v2"}},
	{path: "verdict", layer: tokens},
	{path: "internal/near", layer: tokens},
	{path: "attacks", layer: tokens},
	{path: "internal/archtest", layer: tokens},
	{path: "internal/program", layer: tokens},
	{path: "internal/within", layer: tokens},
	{path: "trust", layer: tokens},
	// It builds and runs a test anew, and is imported by tests only.
	{path: "internal/steps", layer: tokens, not: impure | userFace},
	{path: "internal/syntax", layer: tokens, deps: []string{"github.com/tree-sitter/go-tree-sitter", "github.com/tree-sitter/tree-sitter-python", "github.com/tree-sitter/tree-sitter-javascript", "github.com/tree-sitter/tree-sitter-typescript"}},

	{path: "catalog", layer: words, may: []string{"rawjson", "finding"}},
	{path: "internal/text", layer: words, may: []string{"rawjson"}, deps: []string{"golang.org/x/text"}},
	{path: "internal/taxonomy", layer: words, may: []string{"finding"}},
	{path: "internal/schemadiff", layer: words, may: []string{"rawjson"}},
	{path: "internal/hostile", layer: words, may: []string{"rawjson"}},
	{path: "oatf/match", layer: words, may: []string{"rawjson"}, deps: []string{"cel.dev/cel-go"}},
	{path: "trace", layer: words, may: []string{"rawjson"}},
	{path: "result", layer: words, may: []string{"finding", "verdict"}},
	{path: "internal/yamltext", layer: words, may: []string{"rawjson"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "sink", layer: words, may: []string{"capability"}},

	{path: "check", layer: contract, may: []string{"catalog", "finding", "result", "rawjson", "trace", "trust", "internal/text", "internal/taxonomy"}},
	{path: "oatf", layer: contract, may: []string{"rawjson", "oatf/match", "internal/hostile", "internal/near", "internal/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "suite", layer: contract, may: []string{"trust", "internal/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "policy", layer: contract, may: []string{"finding", "result", "internal/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "lock", layer: contract, may: []string{"catalog", "rawjson", "finding"}},
	{path: "diff", layer: contract, may: []string{"catalog", "rawjson", "finding", "internal/schemadiff"}, deps: []string{"github.com/aymanbagabas/go-udiff"}},
	{path: "classify", layer: contract, may: []string{"sink", "capability", "catalog", "rawjson", "internal/text"}},
	{path: "calibrate", layer: contract, may: []string{"capability"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "internal/posture", layer: contract, may: []string{"catalog", "rawjson", "result", "finding"}},

	{path: "internal/reach", layer: contract, may: []string{"capability", "internal/program", "sink"}},

	{path: "sink/golang", layer: lanes, may: []string{"internal/program", "internal/reach", "sink"}},
	{path: "sink/python", layer: lanes, may: []string{"internal/program", "internal/reach", "internal/syntax", "sink"}},
	{path: "sink/typescript", layer: lanes, may: []string{"internal/program", "internal/reach", "internal/syntax", "sink"}},
	// The harness of the languages' goldens.
	{path: "sink/sinktest", layer: contract, may: []string{"sink"}, deps: []string{"github.com/rogpeppe/go-internal"}, not: impure | userFace},
	{path: "check/surface", layer: lanes, may: []string{"check", "catalog", "finding", "rawjson", "internal/text", "internal/secret"}},
	{path: "check/config", layer: lanes, may: []string{"check", "finding", "internal/secret", "internal/taxonomy"}},
	{path: "check/namespace", layer: lanes, may: []string{"check", "catalog", "finding", "rawjson", "internal/text"}},
	{path: "check/integrity", layer: lanes, may: []string{"check", "catalog", "finding", "rawjson", "internal/posture"}},
	{path: "oatf/indicator", layer: lanes, may: []string{"oatf", "oatf/match", "trace", "verdict", "rawjson"}},
	{path: "internal/exposure", layer: lanes, may: []string{"oatf", "trace", "verdict", "rawjson", "internal/text"}},
	{path: "check/differential", layer: lanes, may: []string{"check", "catalog", "finding", "rawjson"}},
	{path: "check/toxicflow", layer: lanes, may: []string{"check", "catalog", "finding", "rawjson", "capability", "classify"}},
	{path: "check/boundary", layer: lanes, may: []string{"check", "finding", "rawjson", "trace", "trust", "internal/within"}},
	// The harness of all lanes' tests: it reads golden files and is imported by tests only.
	{path: "check/checktest", layer: lanes, may: []string{"check", "catalog", "finding", "result", "rawjson", "suite", "trace", "internal/text"}, not: impure},

	{path: "internal/mock", layer: joins, may: []string{"oatf", "rawjson", "internal/yamltext"}, deps: []string{"go.yaml.in/yaml/v4"}},
	{path: "internal/confirm", layer: joins, may: []string{"catalog", "finding", "rawjson", "oatf", "internal/text"}},
	{path: "scan", layer: joins, may: []string{"check", "check/*", "result", "internal/posture", "catalog", "finding", "internal/taxonomy", "rawjson"}},
	{path: "report", layer: joins, may: []string{"result", "verdict", "finding", "capability", "rawjson", "diff", "trace"}, deps: []string{"golang.org/x/text"}},

	{path: "internal/source", layer: joins, may: []string{"finding", "internal/syntax", "sink", "sink/*"}},

	{path: "internal/sourcetree", layer: wires, may: []string{"finding", "sink"}, not: impure},
	{path: "internal/wire", layer: wires, may: []string{"rawjson", "trace"}, deps: []string{"golang.org/x/sys"}, not: impure},
	{path: "internal/discover", layer: wires, may: []string{"check/config", "finding", "rawjson"}, deps: []string{"github.com/pelletier/go-toml/v2", "go.yaml.in/yaml/v4"}, not: impure},
	{path: "internal/foreign", layer: manners, may: []string{"internal/wire", "rawjson", "trace"}},
	{path: "internal/peer", layer: manners, may: []string{"internal/wire", "rawjson", "catalog", "finding"}, not: impure},
	{path: "internal/serve", layer: manners, may: []string{"internal/wire", "rawjson", "catalog"}, not: impure},

	{path: "internal/drive", layer: stages, may: []string{"internal/peer", "internal/wire", "oatf/match", "rawjson", "suite", "trace"}, not: impure},
	{path: "internal/gateway", layer: stages, may: []string{"internal/peer", "internal/serve", "internal/wire", "rawjson"}, not: impure},
	{path: "internal/attack", layer: stages, may: []string{"internal/hostile", "internal/peer", "internal/serve", "internal/wire", "oatf", "oatf/match", "rawjson", "trace"}, not: impure},
	{path: "internal/agent", layer: stages, may: []string{"internal/wire"}, not: impure},

	// The agents without a model see what any agent sees: no document, no attack and no model.
	{path: "internal/puppet", layer: stages, may: []string{"internal/peer", "internal/wire", "internal/text", "rawjson"}, deps: []string{"go.yaml.in/yaml/v4"}, not: impure},

	{path: "internal/cli", layer: command, may: []string{"*"}, not: impure | userFace},
	{path: "cmd/gauntlet", layer: entry, may: []string{"internal/cli"}, not: impure | userFace | mayExit},
}
