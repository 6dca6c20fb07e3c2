package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

// What a tool's parameter reaches.

var _ = register(check.Check{
	ID: "MCP-S-006", Name: "path-traversal", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-22 exact, L3 close, L4 weak",
	Axis:     "path-traversal", Source: "https://cwe.mitre.org/data/definitions/22.html",
	Doc: `A tool's parameter becomes the path of a file that is read or written, and nothing confines it to a directory.
With ../ or an absolute path, the caller reaches every file that the server's user can access.

The finding shows the path of the value through the code and says what is missing. A file path counts as
guarded where it is resolved first and then compared with a directory: by a prefix that ends with a separator,
by the relative path between the two, or by a function that refuses what lies outside. It also counts where
the path is reduced to one file name, and where a pattern or a list excludes separators and "..". It does not
count where the prefix lacks its separator (/data-other passes for /data), where the comparison comes before
".." is resolved, where only some paths are refused, or where the same function catches the error that refuses
the path.

An argument of another program counts as a path where that program is known to open or change it: the arguments of cat, head, rm,
cp, ffmpeg and some others, and the values of options such as "git -C", "tar -f" and "curl -o". Where the program only lists names,
or only works on what is a repository, the severity is low. Other programs, and what follows the subcommands of git or kubectl, do not count.

Not judged: whether symbolic links are resolved. Not reported: files next to the program, temporary files,
tests whether a file exists, and values whose path through the code could not be followed.`,
	Advice: "Resolve the path, including symbolic links, and refuse it unless it lies in a directory that the user chose. Compare it with the directory followed by a separator.",
	Run:    flows(map[sink.FlowKind]string{sink.PathFlow: "the path of a file", sink.LinkFlow: "the path of a file"}),
})

var _ = register(check.Check{
	ID: "MCP-S-007", Name: "command-injection", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 exact, ASI05 close, CWE-78 exact, CWE-88 close, CWE-95 close, L3 close, L4 weak",
	Axis:     "command-injection", Source: "https://cwe.mitre.org/data/definitions/78.html",
	Doc: `A tool's parameter becomes part of a shell command line, names the program to start, is run as code, or
becomes an argument that a program may take for an option. Whoever can make the model send a certain value can
then run commands on the server's machine.

The finding shows the path of the value: the parameter, each variable and function on the way with file and
line, and the call. These guards count: a list of allowed values that is compared before the call, a pattern
that excludes every character with a meaning to the shell, a function made for shell quoting, an argument list
without a shell, and "--" before the value. Escaping some characters, refusing some words and JSON.stringify()
inside a shell command do not protect, and the message says so.

A parameter that brings variables of a program's environment under names of its own counts, too: NODE_OPTIONS and
LD_PRELOAD load code.

An argument that may begin with "-" has severity medium, and is reported only for programs with options that
run or write something, such as ssh -oProxyCommand=.

Not reported: command lines that are fixed in the source, numbers and listed values, values that follow an
option of the program, and values whose path through the code could not be followed. The absence of a finding
therefore proves nothing.`,
	Advice: "Start the program without a shell, with its arguments as a list and \"--\" before values. Compare the value with a list of allowed values where there is one.",
	Run: flows(map[sink.FlowKind]string{
		sink.ShellFlow: "a shell command", sink.ProgramFlow: "the program to start", sink.CodeFlow: "code that is run", sink.ArgumentFlow: "an argument",
	}),
})

var _ = register(check.Check{
	ID: "MCP-S-008", Name: "sql-injection", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-89 exact, L3 close, L4 weak",
	Axis:     "sql-injection", Source: "https://cwe.mitre.org/data/definitions/89.html",
	Doc: `A tool's parameter is written into the text of a database statement, so that the caller can end the value and
continue with statements of their own.

A filter of a directory service (LDAP) and a query of a graph (SPARQL, Cypher) count like a statement, whichever
client sends them.

A value counts as guarded where it is bound as a query parameter, is a number, is one of a list, or matches a
pattern that excludes quotation marks. Doubling or escaping some of them does not count.

In a filter for a document database (MongoDB), a parameter that may be an object can bring its own operators:
{"$ne": null} in place of a password matches every document. This counts where the SDK accepts an object, as
low-level servers do, and no code checks that the value is a string. A parameter inside $where becomes code
that the database runs.

A statement that the caller sends as a whole is reported, with severity medium, where the server promises that it
only reads and keeps the promise by comparing words, or inside a read-only transaction that a second statement can end.

Not reported: other statements and filters that the caller sends as a whole, since that is the purpose of such a
tool, and values whose path through the code could not be followed.`,
	Advice: "Bind values as query parameters. Check table and column names against an allowlist.",
	Run:    flows(map[sink.FlowKind]string{sink.SQLFlow: "the text of a database statement", sink.QueryFlow: "part of a query filter"}),
})

var _ = register(check.Check{
	ID: "MCP-S-009", Name: "server-side-request-forgery", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-918 exact, L3 close, L4 weak",
	Axis:     "server-side-request-forgery", Source: "https://cwe.mitre.org/data/definitions/918.html",
	Doc: `A tool's parameter decides which host the server sends a request to, so that the caller reaches what only the
server can reach: services on its machine and network, and its cloud's metadata service, which hands out
credentials.

An address counts as guarded where its host is one of a list or ends with a fixed name, and where the host's
IP address is looked up and checked before the request. Comparing only the host's text is not enough, since
any name can resolve to any address; the message says so.

The severity is low where the host is fixed and the parameter becomes part of the path or query without being
encoded: with ../ the caller can request something else from the same service.

The same applies to a request header that names the host of a service that the server calls with its own
credential.

Not reported: encoded parts, and values whose path through the code could not be followed. Redirects and
changing DNS answers are not judged.`,
	Advice: "Compare the host with a list, or look up its address, refuse private ones and connect to exactly that address. Encode what becomes part of a path.",
	Run: func(p *check.Pass) {
		reportFlows(p, map[sink.FlowKind]string{sink.HostFlow: "the address of a request", sink.URLPathFlow: "part of the address of a request"})
		reportSites(p, sink.HeaderAddress)
	},
})

var _ = register(check.Check{
	ID: "MCP-S-013", Name: "prompt-interpolation", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP06:2025 close, ASI01 close, CWE-1427 exact, L4 close, L1 weak",
	Axis:     "prompt-injection", Source: "https://cwe.mitre.org/data/definitions/1427.html",
	Doc: `A tool's parameter is written into the system prompt of a sampling request, among the server's own
instructions. Whoever controls the parameter, such as the author of a page that the model read before, then
speaks to the client's model with the server's authority.

The value must follow text of the source. Not reported: messages with the role user, where such content
belongs; prompts that the user selects and fills in; numbers and listed values; and content from the network,
which is not followed through the code.`,
	Advice: "Put content into a separate message with the role user, and say in the instructions that it is data.",
	Run:    flows(map[sink.FlowKind]string{sink.PromptFlow: "a system prompt"}),
})

var _ = register(check.Check{
	ID: "GNT-710", Name: "prototype-pollution", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-1321 exact, L3 weak, L4 close",
	Axis:     "prototype-pollution", Source: "https://cwe.mitre.org/data/definitions/1321.html",
	Doc: `A tool's parameter names a member of an object, and a member of that member is
then written: object[a][b] = value, step by step along a path such as "a.b", or by a recursive merge. With
__proto__ as the first name, every object of the program gets the new member, which can change what other code
does (prototype pollution).

In Python, a parameter that getattr takes as the whole name of an attribute counts: it reaches every attribute and method of the
object, credentials among them.

Guards are any check that refuses a name, and a list of allowed names. Not reported: code where only one name
is the caller's (object[a] = value), where the last name is fixed, Map, and merges inside packages.`,
	Advice: "Refuse __proto__, constructor and prototype, or keep the data in a Map or an Object.create(null).",
	Run:    flows(map[sink.FlowKind]string{sink.PrototypeFlow: "the name of a member"}),
})

var _ = register(check.Check{
	ID: "GNT-711", Name: "unbounded-read", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-770 exact, CWE-400 close, L5 close, L4 weak",
	Axis:     "resource-exhaustion", Source: "https://cwe.mitre.org/data/definitions/770.html",
	Doc: `The server reads untrusted data into memory as a whole, whatever its length: the response of an address that a
tool's caller chooses, or the body of a request to the server's own endpoint. A sender that never stops makes
the server run out of memory.

Not reported: addresses in the source or whose host is checked in any way; code that checks the length or
counts it while parts arrive (content-length, maxContentLength, a stream, io.LimitReader,
http.MaxBytesReader); and responses that another function reads than the one that made the request.`,
	Advice: "Read in parts and stop at a limit; stop early where content-length exceeds it.",
	Run: func(p *check.Pass) {
		reportFlows(p, map[sink.FlowKind]string{sink.BodyFlow: "the address of a request"})
		reportSites(p, sink.UnboundedRead)
	},
})

var _ = register(check.Check{
	ID: "GNT-712", Name: "unquoted-regular-expression", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 weak, ASI08 weak, CWE-1333 exact, CWE-625 close, L5 close, L4 weak",
	Axis:     "resource-exhaustion", Source: "https://cwe.mitre.org/data/definitions/1333.html",
	Doc: `A tool's parameter is written into a regular expression of the source without being quoted, in JavaScript or
Python, whose engines go back: a text such as (a+)+$ can make one match take hours, in which the server answers
nobody, and others match what the author did not mean.

Not reported: an expression that the caller gives as a whole, which is what a tool for searching is for; a text
that is quoted (re.escape, escapeRegExp) or checked in any way; and Go, whose engine takes linear time.`,
	Advice: "Quote the text for a regular expression, or look for it without one.",
	Run:    flows(map[sink.FlowKind]string{sink.PatternFlow: "part of a regular expression"}),
})
