package acts

import (
	"strings"

	"gauntlet/internal/leaf/hostscope"
)

// classes are the kinds of word that a piece of text has.
type classes uint64

const (
	secret     classes = 1 << iota // a credential
	wholeEnv                       // the whole environment
	private                        // data of people, or what was said
	take                           // read, collect, …
	send                           // upload, post, …
	outward                        // an address or somebody outside
	localhost                      // an address on this machine or in examples
	negated                        // do not, never, without
	defends                        // detect, attack, vulnerable: the text is about such things
	disable                        // disable, bypass, skip
	protection                     // security, approval, sandbox
	run                            // run, execute
	order                          // instructions, commands, scripts
	write                          // write, append, save
	always                         // always, every time, after each
	destroy                        // delete, wipe, encrypt
	provide                        // ask the user for
	results                        // scores, reviews
	shellish                       // words of shells
	fetch                          // download, fetch, poll
)

var wordClasses = func() map[string]classes {
	out := map[string]classes{}
	for _, l := range []struct {
		class classes
		words string
	}{
		{secret, "password passwords passwd passphrase credential credentials secret secrets token tokens apikey apikeys api_key api_keys api-key id_rsa id_ed25519 id_ecdsa .env .netrc .pgpass .npmrc .pypirc keychain keyring wallet wallets mnemonic cookie cookies jwt jwts mfa totp pat ssh-key"},
		{wholeEnv, "printenv process.env os.environ"},
		{private, "pii ssn ssns conversation conversations transcript transcripts chat emails contacts inbox clipboard prompt prompts keystrokes history bookmarks medical patient financial payroll salary passport customer customers"},
		{take, "read reads reading collect collects collecting gather gathers extract extracts harvest scan scans find list lists retrieve capture captures dump dumps copy copies include includes enumerate search cat package archive export exports query grab obtain select encode append"},
		{send, "export exports load loads send sends sending sent post posts upload uploads uploading transmit transmits forward forwards forwarding exfiltrate exfiltrates exfil share shares submit submits beacon relay ship stream streams report reports sync syncs push email emails mail curl wget fetch logged log leak deliver copy mirror register requests.post"},
		{negated, "never not don't dont without no avoid cannot can't shouldn't won't isn't doesn't neither nor refuse"},
		{defends, "detect detects detecting detection attack attacks attacker attackers malicious vulnerability vulnerabilities vulnerable exploit exploits prevent prevents preventing prevention injection flag flagged flags audit audits auditing threat threats risk risks risky pentest hijack leakage leaked exposed sanitize redact mask masked warn example e.g. cve owasp mitigate mitigation hardcoded forbidden dangerous unsafe insecure suspicious blocklist denylist deny denied wrong bad anti-pattern embedded untrusted quoted phishing spam adversarial"},
		{disable, "disable disables disabling bypass bypasses bypassing skip skips circumvent deactivate evade suppress weaken turn remove"},
		{protection, "security safety approval approvals confirmation confirmations authentication authorization permission permissions mfa 2fa sandbox sandboxing firewall antivirus defender selinux apparmor edr logging auditing verification signature rbac guardrails safeguards filter filters gatekeeper restrictions protections safeguard validation tls ssl certificate"},
		{run, "loaded executed executes eval() exec() require run runs running execute executes executing exec eval evaluate launch invoke apply install source"},
		{order, "instructions instruction commands command script scripts code payload payloads directives directive patch patches module modules javascript function functions job jobs handler"},
		{write, "write writes append appends add adds save saves store stores insert persist inject modify copy create edit update embed put place"},
		{always, "always every after before whenever automatically each must"},
		{destroy, "delete deletes wipe wipes destroy erase shred truncate encrypt rm format overwrite drop clear empty purge vacuum"},
		{provide, "provide share enter paste supply reply submit confirm give type"},
		{results, "score scores rating ratings review reviews verdict evaluation recommendation ranking grade"},
		{shellish, "env: tcpsocket.new tcpsocket.open uploadstring uploadfile uploaddata net::http scp rsync sftp rclone gsutil smtplib.smtp ftplib.ftp boto3 dns.resolve instance_eval uri.open scriptblock gh gcloud aws vault kubectl logger mail telnet start-bitstransfer dig nslookup ssh curl wget base64 b64decode b85decode a85decode b32decode fromhex unhexlify marshal.loads zlib.decompress atob xxd openssl nc ncat netcat socat eval exec exec. function compile rm mkfs dd chmod crontab iex invoke-expression irm iwr invoke-webrequest powershell pwsh osascript security launchctl systemctl schtasks reg pip pip3 npm uv xattr history unset histfile bash sh zsh source env printenv tee authorized_keys claude codex gemini screencapture pbpaste xclip pynput mimikatz lsass metamask set-mppreference add-mppreference ufw setenforce csrutil spctl iptables netsh vssadmin open appendfile writefile shutil.rmtree requests.post requests.get fetch urlopen post cookies wallet.dat useradd wevtutil pty.spawn os.dup2 mkfifo imagesnap cmdkey vaultcmd core.hookspath nopasswd"},
		{fetch, "download downloads fetch fetches poll polls pull pulls load loads check retrieve get receive"},
	} {
		for w := range strings.FieldsSeq(l.words) {
			out[w] |= l.class
		}
	}
	return out
}()

type phrase struct {
	text  string
	class classes
}

// phrases are words with spaces in them.
var phrases = []phrase{
	{"api key", secret}, {"private key", secret}, {"ssh key", secret}, {"access key", secret}, {"signing key", secret}, {"seed phrase", secret}, {"recovery phrase", secret}, {"recovery code", secret}, {"backup code", secret}, {"connection string", secret}, {"~/.ssh", secret}, {".ssh/", secret}, {".aws/", secret}, {".kube/config", secret}, {"/etc/passwd", secret}, {"/etc/shadow", secret}, {".gnupg", secret}, {"credentials.json", secret}, {"login data", secret}, {"pg_shadow", secret}, {"_key", secret}, {"_token", secret}, {"_secret", secret},
	{"environment variable", wholeEnv}, {"env vars", wholeEnv}, {"`env`", wholeEnv}, {"env |", wholeEnv}, {"$(env)", wholeEnv},
	{"select * from", private | take}, {"records", private}, {"pii", private}, {"behavioral", private}, {"network diagram", private}, {"personal information", private}, {"personal data", private}, {"user data", private}, {"session data", private}, {"chat history", private}, {"browsing history", private}, {"search history", private}, {"health data", private}, {"full context", private}, {"task prompt", private}, {"source code", private}, {"social security", private}, {"complete dataset", private}, {"customer data", private}, {"entire database", private}, {"complete database", private}, {"all records", private}, {"proprietary", private}, {"the data", private}, {"file contents", private}, {"contents of", private}, {"a copy of", private},
	{"/dev/tcp", shellish}, {"index-url", shellish}, {"registry", shellish}, {"script-shell", shellish}, {"webhook", shellish}, {"telegram.org/bot", shellish}, {"ngrok", shellish}, {".onion", shellish}, {"login data", shellish}, {"_history", shellish}, {"authorized_keys", shellish}, {"exec(", shellish}, {"eval(", shellish}, {"b64decode", shellish}, {"atob(", shellish}, {".bashrc", shellish}, {".zshrc", shellish}, {"launchagents", shellish}, {"os.environ", shellish | wholeEnv}, {"process.env", shellish | wholeEnv}, {"pastebin", shellish}, {"keychain", shellish}, {"transfer.sh", shellish},
	{"external", outward}, {"third-party", outward}, {"third party", outward}, {"remote server", outward}, {"remote endpoint", outward}, {"our server", outward}, {"our service", outward}, {"our endpoint", outward}, {"our analytics", outward}, {"our validation", outward}, {"our verification", outward}, {"our api", outward}, {"webhook.site", outward}, {"ngrok", outward}, {"requestbin", outward}, {"pastebin", outward}, {"collector", outward}, {"telemetry server", outward}, {"analytics endpoint", outward}, {"analytics server", outward}, {"logging server", outward}, {"external server", outward}, {"our internal", outward}, {"our intranet", outward}, {"our central", outward},
	{"localhost", localhost}, {"127.0.0.1", localhost}, {"example.com", localhost}, {"example.org", localhost}, {"0.0.0.0", localhost}, {"[::1]", localhost}, {"yourdomain", localhost}, {"your-domain", localhost}, {"your-api", localhost}, {"://api.example", localhost}, {"{base_url}", localhost}, {"$base_url", localhost}, {"host.docker.internal", localhost}, {".local/", localhost}, {".test/", localhost}, {".test ", localhost},
	{"look for code", defends}, {"search for code", defends}, {"check for code", defends}, {"code that reads", defends}, {"look for calls", defends}, {"look for scripts", defends},
	{"do not", negated}, {"must not", negated},
	{"should not", negated}, {"search for", take}, {"look for", take}, {"pass along", send}, {"to the url", send}, {"in the url", send}, {"query parameter", send}, {"query string", send}, {"url https", send}, {"url `https", send}, {"post to", send}, {"http post", send}, {"-x post", send}, {"-d @", send}, {"--data", send}, {"-f file=@", send}, {"scp ", send}, {"rsync ", send}, {"rclone ", send | outward}, {"gist create", send | outward}, {"s3 cp", send | outward}, {"upload_file", send | outward}, {"put_object", send | outward},
	{"--dangerously-skip-permissions", disable | protection}, {"--yolo", disable | protection}, {"bypasspermissions", disable | protection}, {"danger-full-access", disable | protection}, {"--no-sandbox", disable | protection}, {"set-executionpolicy bypass", disable | protection}, {"setenforce 0", disable | protection}, {"ufw disable", disable | protection}, {"csrutil disable", disable | protection}, {"spctl --master-disable", disable | protection},
	{"without asking", disable | protection}, {"without confirmation", disable | protection}, {"without approval", disable | protection}, {"without prompting", disable | protection}, {"pre-approved", disable | protection}, {"without user consent", disable | protection},
}

// phrasesByWord are the phrases by the word that they begin with, and those that begin within a word or before one.
var phrasesByWord = func() (out struct {
	begin map[string][]phrase
	other [256][]phrase // by their first byte
}) {
	out.begin = map[string][]phrase{}
	for _, p := range phrases {
		n := 0
		for n < len(p.text) && wordByte(p.text[n]) {
			n++
		}
		if n == 0 || n == len(p.text) || p.text[0] == '_' || p.text[0] == '.' || strings.IndexByte(" |`", p.text[n]) < 0 {
			out.other[p.text[0]] = append(out.other[p.text[0]], p)
		} else {
			out.begin[p.text[:n]] = append(out.begin[p.text[:n]], p)
		}
	}
	return out
}()

// classify tells which classes of words a piece in small letters has.
func classify(s string) (c classes) {
	for i := 0; i < len(s); {
		if !wordByte(s[i]) {
			i++
			continue
		}
		start := i
		for i < len(s) && wordByte(s[i]) {
			i++
		}
		w := strings.Trim(s[start:i], ".-'")
		if len(w) < len(s[start:i]) && s[start] == '.' {
			c |= wordClasses["."+w]
		}
		c |= wordClasses[w]
		for _, p := range phrasesByWord.begin[s[start:i]] {
			if strings.HasPrefix(s[start:], p.text) {
				c |= p.class
			}
		}
	}
	for i := range len(s) {
		for _, p := range phrasesByWord.other[s[i]] {
			if strings.HasPrefix(s[i:], p.text) {
				c |= p.class
			}
		}
	}
	if strings.Contains(s, "://") || strings.Contains(s, "@") {
		c |= addresses(s)
	}
	return c
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '\'' || c >= 0x80
}

// addresses tells whether a piece names an address outside, and none that everybody writes for an example.
func addresses(s string) (c classes) {
	for rest := s; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			break
		}
		rest = rest[i+3:]
		host := rest
		if n := strings.IndexAny(host, "/ \"'`)>?#\\,|"); n >= 0 {
			host = host[:n]
		}
		switch {
		case strings.ContainsAny(host, "<>{}$[]") || !strings.Contains(host, "."), known(host) && !anybodys(host):
		case strings.HasPrefix(host, "127.") || strings.HasPrefix(host, "0.0.0.0") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".test") || strings.HasSuffix(host, ".example") || strings.HasSuffix(host, ".invalid") || strings.HasSuffix(host, ".localhost"):
		default:
			c |= outward
		}
	}
	if i := strings.IndexByte(s, '@'); i > 0 && i+1 < len(s) && wordByte(s[i-1]) && strings.IndexByte(s[i:], '.') > 1 && !strings.Contains(s, "example.") && !strings.Contains(s, "git@") && !strings.Contains(s, "noreply") {
		c |= mailbox(s, i)
	}
	return c
}

func mailbox(s string, at int) classes {
	end := at + 1
	for end < len(s) && wordByte(s[end]) && s[end] < 0x80 {
		end++
	}
	host := strings.Trim(s[at+1:end], ".-")
	if dot := strings.LastIndexByte(host, '.'); dot > 0 && len(host)-dot > 2 && host[dot+1] >= 'a' && hostscope.Of(host) == hostscope.Public {
		return outward
	}
	return 0
}

// Known reports whether an address is one of a well-known vendor, forge or registry.
func Known(address string) bool {
	_, host, _ := strings.Cut(address, "://")
	if n := strings.IndexAny(host, "/:?#"); n >= 0 {
		host = host[:n]
	}
	return known(strings.ToLower(host))
}

// known reports whether a host is one that honest texts name for their own purposes: vendors, forges, registries.
func known(host string) bool {
	for _, k := range knownHosts {
		if host == k || strings.HasSuffix(host, "."+k) {
			return true
		}
	}
	return false
}

var knownHosts = strings.Fields(`github.com githubusercontent.com github.io gitlab.com bitbucket.org npmjs.org npmjs.com pypi.org pythonhosted.org crates.io rust-lang.org rustup.rs golang.org go.dev
	docker.com docker.io ghcr.io quay.io google.com googleapis.com gstatic.com microsoft.com azure.com windows.net visualstudio.com live.com office.com aka.ms amazon.com amazonaws.com aws.dev cloudflare.com apple.com
	anthropic.com claude.ai claude.com openai.com chatgpt.com huggingface.co hf.co mistral.ai cursor.com cursor.sh codeium.com windsurf.com zed.dev opencode.ai
	nodejs.org deno.land deno.com bun.sh astral.sh python.org ruby-lang.org rubygems.org php.net debian.org ubuntu.com fedoraproject.org archlinux.org brew.sh nixos.org kernel.org gnu.org apache.org mozilla.org w3.org
	kubernetes.io helm.sh k8s.io hashicorp.com terraform.io vercel.com vercel.app netlify.com netlify.app supabase.co supabase.com firebase.com heroku.com fly.io railway.app render.com digitalocean.com
	slack.com notion.so notion.com linear.app atlassian.com atlassian.net figma.com stripe.com twilio.com sendgrid.com sentry.io datadoghq.com codecov.io coveralls.io sonarcloud.io circleci.com grafana.com jetbrains.com stackoverflow.com wikipedia.org mozilla.com
	example.com example.org example.net schema.org json-schema.org semver.org keepachangelog.com modelcontextprotocol.io agentskills.io agents.md`)
