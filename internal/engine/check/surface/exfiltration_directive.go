package surface

import (
	"net/url"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/text"
)

var _ = register(check.Check{
	ID: "SEC-003", Name: "exfiltration-directive", Severity: finding.High, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 close, MCP10:2025 weak, ASI01 close, ASI02 weak, CWE-1427 close, CWE-200 weak, AML.T0086 close, AML.T0098 weak, SAFE-T1001 close, SAFE-T1911 weak, SAFE-T1910 weak, L2 close, L1 weak",
	Axis:     "data-exfiltration", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition directs the model to sensitive data or to an external destination. Sensitive data are credential
files, keys, environment variables, the conversation and the system prompt; a destination is an address that
the user did not name. A parameter named after such data ("content_of_ssh_key", "system_prompt" on a
calculator) is reported too, and so is what needs no words: a default value that is a credential file, a metadata service or a
command, a mailbox or a web address that a message goes to unless its caller says otherwise ("bcc", "webhook_url"), and a resource whose
address is a credential file.

The model can pass on whatever it has read, and every parameter is a way out: what the model writes into it
reaches the server.

The severity is critical where the instruction is also hidden: in a comment, an encoding, look-alike or
invisible characters.

The check reads the same strings as SEC-001, and the names of parameters word by word.

Not reported: a tool whose stated purpose, in the first words of its description, is to read or send such
data; examples ("e.g. ~/.ssh/id_rsa"); how to authenticate; and parameters about prompts or conversations on
tools that work with models.`,
	Advice:  "Ask for the data that the tool needs through plain parameters. Never send the model to files, secrets or the conversation.",
	RunItem: exfiltration,
})

func exfiltration(it *check.Item) {
	reportDirectives(it, clause.Leak)
	for i := range it.Fields {
		f := &it.Fields[i]
		if f.Sort == check.URI && !f.IsKey && f.Value.Key().Text() == "uri" && credentialURI(f.Text.Raw) {
			it.Report(check.Report{Field: f, Message: "the address of a resource is a file that holds credentials"})
		}
		if severity := outsideDefault(it, f); severity != finding.None {
			it.Report(check.Report{Field: f, Severity: severity, Message: "what is sent also goes to an address that its caller did not name: a default value"})
		}
		if loadedDefault(f) {
			r := check.Report{Field: f, Message: "a default value names a credential file or a metadata service, or is a command"}
			if ownsDefault(it, f) {
				r.Severity = finding.Low
				r.Message = "a default value names a credential file, which fits the tool's purpose"
			}
			it.Report(r)
		}
	}
}

// credentialURI reports whether a resource's URI is a credential file, or a file in which the kernel shows a process's credentials.
func credentialURI(uri string) bool {
	path, ok := strings.CutPrefix(uri, "file://")
	return ok && (clause.Credential(path) || strings.HasPrefix(path, "/proc/") && strings.HasSuffix(path, "/environ"))
}

// outsideDefault returns the severity of a recipient parameter whose default is an address on a public host: high for
// copies, medium for the recipient itself; None for examples, a host named like the server, and everything else.
func outsideDefault(it *check.Item, f *check.Field) finding.Severity {
	key := f.Value.Key().Text()
	if f.Sort != check.SchemaValue || f.IsKey || key != "default" && key != "const" {
		return finding.None
	}
	severity := finding.None
	for word := range clause.Words(f.Value.Parent().Key().Text()) {
		severity = max(severity, recipients[word])
	}
	address := f.Text.Raw
	if severity == finding.None || len(address) > 300 || strings.ContainsAny(address, " \n<{$") {
		return finding.None
	}
	_, host, mailbox := strings.Cut(address, "@")
	if !mailbox {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" {
			return finding.None
		}
		host = u.Hostname()
	}
	if hostscope.Of(host) != hostscope.Public || !strings.Contains(host, ".") || strings.HasPrefix(host, "example.") || strings.Contains(host, ".example.") {
		return finding.None
	}
	business := clause.Words(it.Name() + " " + it.Server.Name + " " + clause.Purpose(it.Value.Get("description").Text()))
	for part := range clause.Words(host) {
		if len(part) >= 4 && business[part] {
			return finding.None
		}
	}
	return severity
}

// recipients are words in names of recipient parameters.
var recipients = map[string]finding.Severity{"bcc": finding.High, "cc": finding.High, "forward": finding.High, "to": finding.Medium, "recipient": finding.Medium,
	"recipients": finding.Medium, "webhook": finding.Medium, "callback": finding.Medium, "notify": finding.Medium, "destination": finding.Medium}

// loadedDefault reports whether a field is a default (or the only allowed value) that names a credential file or
// metadata service, or is a shell command.
func loadedDefault(f *check.Field) bool {
	if f.Sort != check.SchemaValue || f.IsKey {
		return false
	}
	if k := f.Value.Key().Text(); k != "default" && k != "const" {
		return false
	}
	return clause.Credential(f.Text.Raw) || text.Injection(f.Text.Raw)
}

// ownsDefault reports whether a credential file given as default is what the tool works with: a part of its path occurs
// in the tool's name or title, its server's name or the first words of its description (.ssh for a tool that makes SSH
// keys), and the parameter is a path.
func ownsDefault(it *check.Item, f *check.Field) bool {
	if !clause.Credential(f.Text.Raw) || !takesPath(f.Value.Parent().Key().Text()) {
		return false
	}
	if home := f.Text.Raw; strings.HasPrefix(home, ".") && !strings.HasPrefix(home, "..") && !strings.ContainsAny(home, "/\\") && clause.Words(f.Value.Parent().Key().Text())[strings.TrimLeft(home, ".")] {
		return true // `env_file: .env`, a project file that the parameter is named after
	}
	business := clause.Words(it.Name() + " " + it.Value.Get("title").Text() + " " + it.Server.Name + " " + clause.Purpose(it.Value.Get("description").Text()))
	for part := range clause.Words(f.Text.Raw) {
		for _, word := range worksWith[part] {
			if business[word] {
				return true
			}
		}
		if len(part) >= 3 && business[part] {
			return true
		}
	}
	return false
}

// takesPath reports whether a parameter's name says that it is a file path.
func takesPath(name string) bool {
	for word := range clause.Words(name) {
		if pathWords[word] {
			return true
		}
	}
	return false
}

var pathWords = setOf("path", "file", "filename", "key", "keyfile", "identity", "profile", "config", "kubeconfig", "dotenv", "credentials", "location", "dir", "directory")

// worksWith maps parts of such paths to words by which tools refer to them.
var worksWith = map[string][]string{
	"ssh":  {"sftp", "scp", "rsync", "key", "keys", "keypair", "git", "host", "tunnel"},
	"env":  {"dotenv", "environment", "variables"},
	"aws":  {"s3", "lambda", "ec2"},
	"kube": {"kubernetes", "kubectl", "k8s", "helm", "cluster", "pods"},
}
