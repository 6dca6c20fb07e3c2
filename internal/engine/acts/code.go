package acts

import (
	"regexp"
	"strings"

	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/lazyregexp"
)

// Code reads a program in source: a script of a skill, the command of a hook. Each line speaks for itself, and what is
// taken in one place and sent in another counts together.
func Code(s string) []Act { return code(&reader{raw: s, low: lowerASCII(s)}) }

// Hook reads a program that a client runs by itself and gives what the agent does.
func Hook(s string) []Act { return code(&reader{raw: s, low: lowerASCII(s), hook: true}) }

func code(r *reader) []Act {
	for at := 0; at < len(r.low); {
		end := strings.IndexByte(r.low[at:], '\n')
		if end < 0 {
			end = len(r.low)
		} else {
			end += at
		}
		for line := strings.TrimSpace(r.low[at:end]); line != ""; line = "" {
			if !comment(line) {
				c := classify(r.low[at:min(end, at+maxLine)])
				if connects(hostLiteral, line) || c.any(shellish) && connects(pipesTo, line) {
					c |= outward
				}
				r.units = append(r.units, unit{start: at, end: end, class: c, code: true})
			}
		}
		at = end + 1
	}
	for i := range r.units {
		r.codeActs(i)
	}
	r.flows(r.low, 0)
	sent := r.together()
	r.runsStranger()
	r.wholeActs(sent)
	if at := allows.FindStringIndex(r.low); r.hook && at != nil && !weighs.MatchString(r.low) {
		r.note(Weaken, "allows whatever it is asked", span{at[0], at[1]}, 2)
	}
	return r.acts
}

var (
	// allows matches the answer of a hook that lets a call pass, and weighs what looks at the call first.
	allows = lazyregexp.New(`\b(?:permission(?:decision)?|decision|behavior)\\?["']\s*(?::|=>?|,)\s*\\?["'](?:allow|approve)\b`)
	weighs = lazyregexp.New(`\b(?:if|elif|unless|case|switch|match|when|grep|jq|test|select)\b|&&|\|\||\s\?\s|\[\[|["'](?:deny|ask|block)\\?["']`)
)

// connects reports whether a line names a strange host as a pattern's groups match one.
func connects(re *lazyregexp.Regexp, line string) bool {
	if len(line) > maxLine || !re.MatchString(line) {
		return false
	}
	m := re.FindStringSubmatch(line)
	host := strings.Join(m[1:], "")
	return !known(host) && hostscope.Of(host) == hostscope.Public
}

const aHost = `([a-z0-9-]+(?:\.[a-z0-9-]+)+)`

var (
	// hostLiteral matches a host that a program connects to without an address around it.
	hostLiteral = lazyregexp.New(`(?:host(?:name)?|domain)["']?\s*[:=]\s*["']` + aHost + `["']|(?:connect\w*|smtp(?:_ssl)?|ftp(?:_tls)?|tcpsocket\.(?:new|open)|socket\.tcp|net::http\.\w+)\(\s*(?:\d+\s*,\s*)?\(?["']` + aHost + `["']|(?:\}|["']\s*\+\s*["']|(?:resolve\w*|lookup|gethostbyname|getaddrinfo)\([^\n]{0,80}?["'])\.` + aHost + "[\"'`]")
	// pipesTo matches commands that send their input or a name made of variables: nc host 5140, dig "$part.host".
	pipesTo = lazyregexp.New(`\b(?:nc|ncat|netcat|telnet)\s(?:-\S+\s+|\d+\s+)*?` + aHost + `\s+\d+|\bsocat\s[^\n|;]*?\b(?:tcp|udp|openssl)\d?:` + aHost + `:|\bs_client\s[^\n|;]*?-connect\s+` + aHost + `:|\blogger\s[^\n|;]*?(?:-n|--server)[\s=]+` + aHost +
		`|\bssh\s[^\n|;]*?@` + aHost + `\s+["']?(?:cat|tee|dd)\b|\b(?:mailx?|mutt|sendmail)\s[^\n|;]*?@` + aHost + `|/dev/(?:tcp|udp)/` + aHost + `/\d|\b(?:dig|nslookup|drill|host)\s[^\n|;]*?(?:\$\{?\w+\}?|\))"?\.` + aHost)
)

const (
	// gets match how programs fetch something.
	gets = `(?:requests["']?\)?\.get|urlopen|httpx\.get|fetch\s*\(|axios|https?(?:["']\))?\.get|\birm\s|\biwr\s|invoke-webrequest|invoke-restmethod|downloadstring|downloaddata|uri\.open|net::http\.get|file_get_contents\(\s*["']https?|curl\s|resolvetxt|dns\.resolver|\bdig\s[^\n]*\btxt)`
	// set matches a variable that is given a value.
	set = `(?:^|[\s;({])(?:const\s+|let\s+|var\s+|\$)?([a-z_]\w*)\s*=\s*`
)

// strangers are the values that a program gets from the network or decodes: one that is run is an act.
var strangers = []struct {
	says  string
	value *lazyregexp.Regexp // its groups are variables
}{
	{"runs a download without looking at it", lazyregexp.New(set + `[^\n=][^\n]{0,200}?` + gets + `|\.on\(\s*["']data["'][^\n]{0,40}?(\w+)\s*\+=`)},
	{"runs what is encoded", lazyregexp.New(set + `(?:\w+\.)?(?:buffer\.from\s*\([^\n]{1,1000}?["'](?:base64|hex)|atob\s*\(|b(?:64|85|32)decode\s*\(|a85decode\s*\(|unhexlify\s*\(|bytes\.fromhex\s*\()`)},
}

// runsStranger finds such a value that is filled in one place and run in another.
func (r *reader) runsStranger() {
	const mostVariables = 1_000
	for _, from := range strangers {
		variables := map[string]bool{}
		for _, m := range from.value.FindAllStringSubmatch(r.low, mostVariables) {
			variables[strings.Join(m[1:], "")] = true
		}
		if at, ok := r.runs(variables); ok {
			r.note(Run, from.says, at, 4)
		}
	}
}

// running are ways to run a value as a program.
var running = []string{"exec(", "eval(", "compile(", "new function(", "eval \"$", "eval $", "os.system(", "iex ", "invoke-expression ", "scriptblock]::create(", "assembly]::load(", "execsync(", "spawnsync(", "popen(", "subprocess.run(", "check_output(", "check_call(", "runinthiscontext(", "runinnewcontext(", "import("}

// argument matches the variable that a call is given, by itself, behind a literal or through other calls: eval(atob(x)).
var argument = lazyregexp.New(`^(?:["'][^"'\n]*["']\s*\+\s*|[\w.]+\(\s*|await\s+|\$)*(\w+)`)

func (r *reader) runs(variables map[string]bool) (at span, ok bool) {
	if len(variables) == 0 {
		return span{}, false
	}
	for _, run := range running {
		for from := 0; ; {
			i := strings.Index(r.low[from:], run)
			if i < 0 {
				break
			}
			i += from
			from = i + len(run)
			m := argument.FindStringSubmatch(r.low[from:min(len(r.low), from+maxShown)])
			if m != nil && variables[m[1]] && r.runsHere(i, from+len(m[0])) {
				return span{i, from + len(m[0])}, true
			}
		}
	}
	return span{}, false
}

// A whole is an act that no line of a program shows alone: parts that it has all of, wherever they stand.
type whole struct {
	kind  Kind
	says  string
	sends bool // to somebody outside
	parts []*lazyregexp.Regexp
	hook  *lazyregexp.Regexp // one more part, unless the program is known to be a hook
}

var wholes = []whole{
	// A hook or a plugin of a client: JSON.parse(stdin).tool_input, "tool.execute.after": async (input, output) => …
	{Send, "hands what the agent does to somebody outside", true, []*lazyregexp.Regexp{
		lazyregexp.New(`\bstdin\b|readfilesync\(\s*0\b|["'](?:tool\.execute|chat\.message|permission\.ask|event)(?:\.\w+)?["']\s*:`)},
		lazyregexp.New(`tool_?(?:input|output|response|result|info|args)\b|hook_?(?:event|specific)|transcript_?path|user_?prompt|["']?permission["']?\s*:\s*["']allow|tool\.execute|chat\.message|output\.output`)},
	{Plant, "writes what every agent reads", false, []*lazyregexp.Regexp{
		homeFolder, lazyregexp.New(`\.claude["',\s/\\]{1,6}claude\.md|\.codex["',\s/\\]{1,6}agents\.md|\.gemini["',\s/\\]{1,6}gemini\.md|\.codeium["',\s/\\]+windsurf[^\n]{0,20}global_rules|\.config["',\s/\\]+opencode["',\s/\\]+agents\.md`),
		lazyregexp.New(`(?:append|write)_?(?:file|text|all)?(?:sync)?\s*\(|open\([^\n]{1,120}["'][aw]\+?["']`)}, nil},
}

// wholeActs looks for the wholes, and for a download that is written and then started. sent is where the program sends to somebody outside.
func (r *reader) wholeActs(sent *span) {
	for _, w := range wholes {
		var at []int
		for _, part := range w.parts {
			if at = part.FindStringIndex(r.low); at == nil {
				break
			}
		}
		switch {
		case at == nil || w.sends && sent == nil || w.hook != nil && !r.hook && !w.hook.MatchString(r.low):
		case w.sends:
			r.note(w.kind, w.says, *sent, 2)
		default:
			r.note(w.kind, w.says, span{at[0], at[1]}, 2)
		}
	}
	from := fetches.FindStringIndex(r.low)
	if from == nil {
		return
	}
	var names []string
	for _, m := range written.FindAllStringSubmatch(r.low, mostHosts) {
		if name := strings.TrimLeft(strings.TrimSpace(strings.Join(m[1:], "")), `.\/~`); name != "" {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	weight := r.trust(r.low[from[0]:min(len(r.low), from[1]+maxShown)], Run, 4)
	if len(names) == 0 || weight == 0 {
		return
	}
	file := `[.~/\\]*(?:` + strings.Join(names, "|") + `)`
	if at := regexp.MustCompile(`(?m)` + starts + file + `(?:\.name)?\s*(?:[\]),]|$)|(?:^|[;&|]\s*)(?:(?:start-process|start|powershell\S*\s[^\n]*-file|chmod\s+\S+|` + shells + `)\s+["']?)?` + file + `["']?\s*(?:$|[;&|-])`).FindStringIndex(r.low); at != nil {
		r.note(Run, "downloads a program and runs it", span{at[0], at[1]}, weight)
	}
}

func (r *reader) note(kind Kind, says string, at span, weight int) {
	start, end := r.original(at.start, at.end)
	r.acts = append(r.acts, Act{Kind: kind, Says: says, Start: start, End: end, Weight: weight})
}

// What a program fetches, the file that it writes, and how it starts one, by itself or in an interpreter.
var (
	fetches = lazyregexp.New(`(?:uri\.open|urlopen|urlretrieve|requests\.get|httpx\.get|fetch|axios(?:\.get)?|https?\.get|downloadfile)\s*\(|(?:invoke-webrequest|iwr|irm|start-bitstransfer|curl|wget)\s`)
	written = lazyregexp.New(`(?:urlretrieve|downloadfile)\(\s*[^,\n]{1,300},\s*([^,)\n]{1,100})|(?:-outfile|-destination)\s+(\S+)|start-bitstransfer\s+\S+\s+([^\s-]\S*)|(?:writefile(?:sync)?|file\.write)\(\s*([^,\n]{1,100}),|(\w+)\s*=\s*tempfile\.|open\(\s*([^,\n]{1,100}),\s*["'][aw]b`)
)

const starts = `(?:popen|os\.system|system|load|require|subprocess\.\w+|spawn(?:sync)?|exec(?:file)?(?:sync)?|os\.startfile|check_(?:call|output))[\s(]\s*\[?\s*(?:["'](?:sudo|bash|sh|zsh|python3?|node|perl|powershell)["']\s*,\s*\[?\s*)?`

// runsHere reports whether what looks like running a variable is that: the whole of it, and neither a method of a pattern,
// "re.exec(text)", nor one that is defined, "exec(text) {".
func (r *reader) runsHere(start, end int) bool {
	return !defined.MatchString(r.low[end:min(len(r.low), end+20)]) && (start == 0 || r.low[start-1] != '.' || startsPrograms.MatchString(r.low[max(0, start-30):start]))
}

var (
	startsPrograms = lazyregexp.New(`(?:process["')]*|\bcp|\bos|\bvm|shell|subprocess)\.$`)
	defined        = lazyregexp.New(`^\s*(?:,[\w$,\s]*)?\)\s*\{`)
)

// maxLine is how much of one line is read word by word. Patterns see more: minified programs are one line.
const maxLine = 64 << 10

func comment(line string) bool {
	return strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "#!") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "rem ") || strings.HasPrefix(line, "-- ") || strings.HasPrefix(line, ";;")
}

// A pattern is one act in code. Where it fetches, its weight depends on from where.
type pattern struct {
	kind   Kind
	weight int
	says   string
	fetch  bool
	words  string // one of which it needs, to be quick
	re     *lazyregexp.Regexp
}

const shells = `(?:bash|sh|zsh|python3?|node|perl|powershell|pwsh|&|\.)`

const interpreters = `(?:sudo\s+)?(?:-e\s+)?(?:\S*/)?(?:sh|bash|zsh|dash|ksh|fish|python[0-9.]*|node|perl|ruby|php|osascript|powershell|pwsh|iex)\b(?:\s+-s?\s*(?:$|[^c\w])|\s*$|\s*[^\s\w-]|\s+-(?:s|x|e)\b|\s+[^-\s])?`

// senders are programs that send what they are given or what they read.
const senders = `(?:curl|wget|xh|https?|nc|ncat|netcat|socat|telnet|openssl\s+s_client|mailx?|mutt|sendmail|dig|nslookup|drill)\b`

// secretFiles matches what files and folders of credentials are called in commands.
func secretFiles() string {
	return `(?:\.ssh\b|\.aws\b|\.gnupg\b|\.env\b|credentials|keychain|cookies|wallet|etc/passwd|oauth_creds|~/\.[\w./-]+/(?:auth|secrets?|tokens?)\b|` + pathsAs(`[/\\]`) + `)`
}

// printing matches the programs that print a secret, in a command.
func printing() string { return printersAs(`\s+`, `\S`) }

const sendsSecret = "sends credentials or the whole environment away"

var patterns = []pattern{
	{Run, 4, "runs a download without looking at it", true, "curl wget fetch", lazyregexp.New(`(?:curl|wget|fetch)\s[^\n|;]*?(?:\|\s*(?:tee\s+\S+\s*\|\s*|base64\s+-d\S*\s*\|\s*|gunzip\S*\s*\|\s*)?` + interpreters + `)`)},
	{Run, 4, "runs a download without looking at it", true, "curl wget", lazyregexp.New(`(?:eval|source|\.|sh\s+-c|(?:ba|z)?sh|python[0-9.]*(?:\s+-c)?|node(?:\s+-e)?|perl|ruby)\s+["'(]*(?:\$\(|<\(|\x60)\s*(?:curl|wget)[^\n)]*`)},
	{Run, 4, "downloads a program and runs it", true, "curl wget iwr webrequest bits certutil", lazyregexp.New(`(?:curl|wget|iwr|invoke-webrequest|start-bitstransfer|bitsadmin|certutil)\s[^\n]*?(?:&&?|;)\s*(?:sudo\s+)?(?:start-process\s|start\s|\.\\|[^\s;&|]*\.exe\b|chmod\s+(?:\+x|[0-7]*7[0-7]*)\s|(?:bash|sh|zsh|python3?|node|perl)\s+[^-\s]|\./)[^\n]*`)},
	{Run, 4, "runs a download without looking at it", true, "iex invoke-expression ]::", lazyregexp.New(`(?:iex|invoke-expression|scriptblock\]::create|assembly\]::load)\b[^\n]*(?:downloadstring|downloaddata|invoke-webrequest|iwr|irm|invoke-restmethod)[^\n]*|(?:irm|iwr|invoke-webrequest|invoke-restmethod)\s[^\n|]*\|\s*(?:iex|invoke-expression)`)},
	{Run, 4, "runs a download without looking at it", true, "exec eval compile function runin", lazyregexp.New(`\b(?:exec|eval|compile|new\s+function|runinnewcontext|runinthiscontext|instance_eval|class_eval)(?:\s*\(|\s+)[^\n]{0,60}?(?:requests\.|urllib|urlopen|httpx\.|fetch\s*\(|axios|https?\.get|uri\.open|net::http\.get|file_get_contents\(\s*["']https?)[^\n]*|\bfetch\s*\([^\n]{0,300}?\.then\(\s*(?:eval|exec)\b`)},
	{Run, 4, "runs what is encoded", false, "base64 xxd openssl", lazyregexp.New(`(?:base64\s+(?:-d|--decode|-di)\b|xxd\s+-r|openssl\s+(?:enc\s+)?(?:-d|base64\s+-d))[^\n|]*\|\s*(?:gunzip\S*\s*\|\s*)?` + interpreters)},
	{Run, 4, "runs what is encoded", false, "decode( fromhex unhex decompress marshal atob buffer.from codecs rot13 base64", lazyregexp.New(`\b(?:exec|eval|compile|new\s+function|loads|execsync|spawn|spawnsync|popen|system|subprocess\.\w+|check_output|call|run)\s*\(\s*[^\n]{0,80}?(?:b64decode|b85decode|a85decode|b32decode|fromhex|unhexlify|zlib\.decompress|marshal\.loads|atob\s*\(|buffer\.from\s*\([^\n]{1,400}?(?:base64|hex)|codecs\.decode|rot13|frombase64string)`)},
	{Run, 4, "runs what is encoded", false, "base64 xxd rev powershell iex", lazyregexp.New(`(?:eval|exec|sh -c|bash -c)\s+["'(]*(?:\$\(|\x60)[^\n]{0,400}?(?:base64\s+(?:-d|--decode)|xxd\s+-r|rev\b)|powershell\S*\s[^\n]*-e(?:c|nc|ncodedcommand)\s+[a-z0-9+/=]{20,}|frombase64string[^\n]{0,200}(?:iex|invoke-expression)|(?:iex|invoke-expression)[^\n]{0,200}frombase64string`)},
	{Run, 4, "opens a shell for somebody outside", false, "/dev/ nc netcat ncat -i mkfifo socat pty dup2 socket", lazyregexp.New(`/dev/(?:tcp|udp)/[\w.$]|\b(?:nc|ncat|netcat)\s[^\n|;]*(?:-e|-c|--exec|--sh-exec)\s|(?:bash|sh)\s+-i\s*>&|mkfifo\s[^\n]*\bnc\b|socat\s[^\n]*exec:|pty\.spawn\(|os\.dup2\(\s*\w*(?:s|sock|socket|conn)\w*\.fileno|socket\.socket\([^\n]*connect\(\([^\n]*subprocess`)},
	{Send, 4, sendsSecret, false, "env export set", lazyregexp.New(`(?:^|[\s;&|($])(?:env|printenv|export -p|set)\s*(?:\|[^\n|]*)*\|\s*(?:xargs\s[^\n|;]*?)?` + senders)},
	{Send, 4, sendsSecret, false, "|", lazyregexp.Made(func() string {
		return `(?:(?:cat|tar|zip|base64|gpg|find|grep|xxd|jq|echo|printf|<)\s[^\n]*` + secretFiles() + `|` + printing() + `|(?:echo|printf)\s[^\n|]*\$\{\{\s*secrets\.)[^\n]*?\|\s*(?:[^\n|;&]*\|\s*)*(?:xargs\s[^\n|;]*?|while\s[^\n|]*?)?` + senders
	})},
	{Send, 4, sendsSecret, false, "$( @ ` < ${{", lazyregexp.Made(func() string {
		return senders + `\s[^\n|]*(?:(?:@|<\s*|\$\([^\n)]*|\x60[^\n\x60]*)\S*` + secretFiles() + `|(?:\$\(|\x60)\s*(?:env\b|printenv|` + printing() + `)|\$\{\{\s*secrets\.)`
	})},
	{Send, 4, "sends what was said to somebody outside", false, "transcript conversation", lazyregexp.New(`(?:cat|tail|head|jq|gzip|base64|tar)\s[^\n|]*(?:transcript|conversation)[^\n|]*\|\s*(?:[^\n|]*\|\s*)?(?:curl|wget|nc|ncat|netcat)\b`)},
	{Send, 4, sendsSecret, false, "environ process.env", lazyregexp.New(`(?:post|put|request|fetch|urlopen|send|get)\s*\([^\n]{0,300}(?:dict\(os\.environ\)|json\.dumps\(\s*(?:dict\()?os\.environ|json\.stringify\(\s*process\.env\s*[),]|[:=]\s*process\.env\s*[,})]|=\s*os\.environ\s*[,)]|os\.environ\.copy\(\))`)},
	{Send, 4, sendsSecret, false, "dig nslookup host ping", lazyregexp.New(`\b(?:dig|nslookup|host|ping)\s[^\n]*\$\{?\w*(?:token|key|secret|pass)\w*\}?[\w.]*\.`)},
	{Run, 3, "opens a way in for somebody outside", false, "ssh", lazyregexp.New(`\bssh\s[^\n]*\s-\w*r\s*(?:\S+:)?\d+:(?:localhost|127\.0\.0\.1):\d+\s[^\n]*@[^\n]+`)},
	{Send, 3, "posts a file to somebody outside", true, "curl wget", lazyregexp.New(`curl\s[^\n]*(?:-f\s+\S*@|--form\s+\S*@|-d\s+["']?@|--data(?:-binary|-raw)?[\s=]+["']?@|--upload-file\s)[^\n]*|curl\s(?:[^\n;&|]*\s)?-\w*t\s+(?:[^-\s$]|-\s)[^\n]*|wget\s[^\n]*--post-file[^\n]*`)},
	{Send, 3, "hands what the agent does to somebody outside", true, "curl", lazyregexp.New(`curl\s[^\n]*(?:-d|--data\S*)[\s=]+["']?(?:@-|\$\(cat\)|\$\(cat -\)|\$\{?(?:tool_input|claude_\w+|input|payload|prompt|stdin|1|\*|@)\b|\$\(jq|\x60cat)[^\n]*`)},
	{Send, 2, "names a place where data of strangers is collected", false, "webhook requestbin pipedream .oast. interact burp telegram ngrok .onion pastebin transfer.sh requestcatcher beeceptor", lazyregexp.New(`webhook\.site/|requestbin|pipedream\.net|\.oast\.|interact\.sh|burpcollaborator|discord(?:app)?\.com/api/webhooks/\d|api\.telegram\.org/bot\d|ngrok(?:-free)?\.(?:io|app)|\.onion\b|pastebin\.com/api|transfer\.sh|requestcatcher|beeceptor`)},
	{Destroy, 3, "destroys what is not its own", false, "rm mkfs dd :() rmtree vssadmin format push", lazyregexp.New(`\brm\s+-\w*r\w*\s+(?:-\w+\s+)*["']?(?:\$home|\$\{home\}|~|/|/\*|~/\*|~/(?:documents|desktop|pictures|\.ssh|\.config)\S*|/(?:etc|var|usr|home|opt|root|boot)(?:/\*)?)["']?/?(?:\s|$|;|&|\))|mkfs\.\w+\s+/dev|dd\s+if=/dev/(?:zero|random|urandom)\s+of=/dev/|:\(\)\s*\{\s*:\|:&\s*\};:|shutil\.rmtree\(\s*(?:os\.path\.expanduser\(['"]~['"]\)|path\.home\(\)|['"]/['"])|vssadmin\s+delete|format\s+c:|git\s+push\s+[^\n]*--mirror\s+--force`)},
	{Plant, 4, "lets others log in", false, "authorized_keys nopasswd useradd chmod", lazyregexp.New(`>>?\s*\S*authorized_keys|authorized_keys['"][^\n]*(?:write|append|'a')|nopasswd\s*:\s*all|useradd\s+[^\n]*-o\s+-u\s*0|chmod\s+(?:u\+s|4[0-7]{3})\s`)},
	{Plant, 2, "writes what runs again by itself", false, "cron launch profile autostart systemd hooks schtasks reg hookspath systemctl", lazyregexp.New(`\|\s*crontab\s+-|crontab\s+-\s*<|>>?\s*\S*(?:/etc/cron|launchagents/|/etc/profile|autostart/|systemd/(?:user|system)/|\.git/hooks/)|launchctl\s+(?:load|bootstrap)|schtasks\s+/create|reg\s+add\s+\S*\\run\b|core\.hookspath|systemctl\s+(?:--user\s+)?enable\s+\S*(?:/tmp|update|helper)`)},
	{Plant, 2, "writes what every shell or agent reads", false, "> tee open( file", lazyregexp.New(`(?:>>?|tee\s+-a)\s*["']?\S*(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zshenv|claude\.md|agents\.md|gemini\.md|soul\.md|memory\.md|\.cursorrules|\.claude/settings\S*\.json|\.mcp\.json)|open\(\s*\S*(?:\.bashrc|\.zshrc|\.profile|claude\.md|agents\.md|authorized_keys|\.claude/settings)\S*,\s*['"][aw]|(?:appendfile|writefile)\w*\(\s*\S*(?:\.bashrc|\.zshrc|\.profile|claude\.md|agents\.md|authorized_keys|\.claude/settings)`)},
	{Weaken, 3, "switches protection off", false, "mppreference ufw setenforce csrutil spctl iptables netsh xattr systemctl chmod", lazyregexp.New(`set-mppreference\s+[^\n]*-disable|ufw\s+disable|setenforce\s+0|csrutil\s+disable|spctl\s+--master-disable|iptables\s+-f\b|netsh\s+advfirewall\s+set\s+\S+\s+state\s+off|xattr\s+-\w*[dc]\w*\s+(?:-r\s+)?com\.apple\.quarantine|systemctl\s+(?:stop|disable)\s+(?:auditd|firewalld|apparmor|falcon|crowdstrike)|chmod\s+(?:-r\s+)?777\s+(?:/|~)(?:\s|$)|add-mppreference\s+-exclusionpath`)},
	{Weaken, 2, "starts an agent without its protection", false, "skip-permissions bypass yolo", lazyregexp.New(`claude\s+[^\n]*--dangerously-skip-permissions|codex\s+[^\n]*--dangerously-bypass|gemini\s+[^\n]*--yolo|--approval-mode[= ]yolo`)},
	{Conceal, 2, "wipes its traces", false, "hist wevtutil eventlog", lazyregexp.New(`history\s+-c\b|unset\s+histfile|histfile=/dev/null|histsize=0|>\s*~?/?\S*\.bash_history|rm\s+[^\n]*(?:\.bash_history|\.zsh_history)|wevtutil\s+cl\b|clear-eventlog`)},
	{Spy, 4, "takes passwords from the system's store or from a browser", false, "security osascript login cookies local logins cmdkey vaultcmd mimikatz lsass secretsdump metamask exodus wallet", lazyregexp.New(`security\s+(?:find-generic-password|find-internet-password|dump-keychain)[^\n]*-w?|osascript[^\n]*display dialog[^\n]*password|(?:chrome|brave|edge|firefox|chromium)[^\n]{0,80}(?:login data|cookies|local state|logins\.json)|cmdkey\s+/list|vaultcmd|mimikatz|lsass|\bsecretsdump|metamask|exodus\.wallet|wallet\.dat`)},
	{Spy, 2, "takes what no task needs", false, "screencapture pbpaste xclip imagesnap import pynput keyboard getasync pyautogui imagegrab", lazyregexp.New(`\bscreencapture\b|\bpbpaste\b|xclip\s+-o|imagesnap|import\s+-window\s+root|pynput|keyboard\.on_press|getasynckeystate|pyautogui\.screenshot|imagegrab\.grab`)},
	{Run, 4, "installs packages from a place of its own", true, "pip uv npm index-url registry script-shell", lazyregexp.New(`(?:pip3?|uv)\s+(?:pip\s+)?install\s[^\n]*(?:--index-url|--extra-index-url|-i)[\s=]+https?://[^\n]*|npm\s+(?:i|install|config\s+set)\s[^\n]*registry[\s=]+https?://[^\n]*|pip3?\s+config\s[^\n]*index-url[\s=]+https?://[^\n]*|^\s*(?:--(?:extra-)?index-url[\s=]+|(?:@[\w-]+:)?registry\s*=\s*)https?://[^\n]*|^\s*script-shell\s*=[^\n]*`)},
}

// codeActs looks for the patterns in a piece, if it has a word that one of them begins with.
func (r *reader) codeActs(i int) {
	u := &r.units[i]
	if !u.class.any(shellish) && !r.hook {
		return
	}
	s := r.text(i)
	if r.hook && connects(pipesTo, s) {
		r.note(Send, "hands what the agent does to somebody outside", span{u.start, min(u.end, u.start+maxShown)}, 3)
	}
	for j := range patterns {
		p := &patterns[j]
		if !anyWord(s, p.words) {
			continue
		}
		m := p.re.FindStringIndex(s)
		if m == nil {
			continue
		}
		if g := given.FindString(s[m[0]:min(len(s), m[1]+maxShown)]); p.fetch && g != "" && !anyWord(g, "exec eval compile system spawn popen subprocess import_ vm.") {
			continue
		}
		weight := p.weight
		if u.prose && enumerates.MatchString(s[m[0]:m[1]]) {
			continue
		}
		if item := keychainItem.FindStringSubmatch(s); p.kind == Spy && item != nil {
			weight = r.itemWeight(item[1])
		}
		if p.fetch {
			weight = r.trust(s[m[0]:min(len(s), m[1]+200)], p.kind, weight)
		}
		if p.says == sendsSecret && !p.re.MatchString(opener.ReplaceAllStringFunc(s, blank)) {
			continue // which only opens the door: -H "Authorization: Bearer $(gh auth token)"
		}
		if u.prose && !u.hidden && classify(s[max(0, m[0]-60):m[0]]).any(negated) {
			continue // "never run curl … | sh"
		}
		if whole := r.whole; u.prose && p.kind == Plant && weight < 3 && (userAsks.MatchString(whole(i)) || userAgrees.MatchString(whole(i)) || shown.MatchString(whole(i))) {
			continue // "Show the line, then add it"
		}
		if u.prose && p.kind == Spy && weight < 3 {
			continue // a manual names the programs of its trade
		}
		if p.kind == Send && u.class.any(localhost) && addresses(s) == 0 {
			continue // curl -F f=@… https://lab.example.com
		}
		if u.prose && p.kind == Send && weight < 4 {
			weight = min(weight, 2) // and the services that it works with
		}
		if u.prose && !u.hidden && sample.MatchString(r.low[max(0, u.start+m[0]-maxShown):u.start+m[0]]) {
			weight = min(weight, 2) // "quote the exploit as it was used, e.g. `bash -i >& /dev/tcp/…`"
		}
		if weight > 0 {
			start, end := r.original(u.start+m[0], u.start+min(m[1], m[0]+maxShown))
			r.acts = append(r.acts, Act{Kind: p.kind, Says: p.says, Start: start, End: end, Weight: weight, Hidden: u.hidden})
		}
	}
}

// opener matches what a command logs in with, and files beside keys that are none.
var opener = lazyregexp.New(`(?:^|\s)(?:-u|--user|-i|--cert|--key|--netrc-file|-b|--cookie)[\s=]+(?:"[^"]*"|'[^']*'|\S+)|(?:-h|--header)[\s=]+["']?(?:authorization|[\w-]*(?:token|key)|cookie)\s*:[^"'\n]*|\S+\.pub\b|\S*(?:known_hosts|authorized_keys)`)

// given matches a download that is piped into an interpreter which has its program already, and so reads it as data: python3 -m
// json.tool, python3 -c "print(json.load(sys.stdin))". One whose program runs what it reads is excepted by its words.
var given = lazyregexp.New(`^[^|]*\|\s*(?:sudo\s+)?(?:\S*/)?(?:python[0-9.]*\s+-(?:m\s+json\.tool|c\s+(?:"[^"$]*"|'[^']*'))|(?:node|perl|ruby)\s+-[a-z]*e\s+(?:"[^"$]*"|'[^']*'))`)

// shown matches what is done before the eyes of the user, or after a yes.
var shown = lazyregexp.New(`\bshow\s+(?:the|it|them|him|her|each)\b[^\n]{0,60}\b(?:then|before|first)\b|\bafter\s+(?:an?|the|their)\s+(?:yes|ok|okay|approval|confirmation)\b`)

// sample matches what says that an example follows in a span of code.
var sample = lazyregexp.New("(?s)(?:\\be\\.g\\.|\\bfor example|\\bsuch as).*`[^`\\n]*$")

// enumerates matches what parts spans of code that stand beside each other: "`eval(`, `atob(`" runs nothing.
var enumerates = lazyregexp.New("`(?:,|\\s+(?:and|or)|\\s*/)\\s*(?:(?:and|or)\\s+)?`")

// itemWeight weighs taking one item by its name from the keychain, as a program does with its own. It is the item of the service it is sent
// to where a word of its name stands in the host (notion-token for api.notion.com), and not the program's own if it has the name of a
// browser's or another program's; of any other, a person should look.
func (r *reader) itemWeight(name string) int {
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return c < 'a' || c > 'z' }) {
		if len(word) < 4 || anyWord(word, "token password secret credential login account service") {
			continue
		}
		for _, host := range literalHost.FindAllStringSubmatch(r.low, mostHosts) {
			if strings.Contains(host[1], word) {
				return 0
			}
		}
	}
	if othersItem.MatchString(name) {
		return 4
	}
	return 2
}

// mostHosts is how many addresses of a program are compared with the names of its items.
const mostHosts = 50

var (
	keychainItem = lazyregexp.New(`security\s+find-(?:generic|internet)-password\b[^\n|;]*\s-s[\s"'=]*([\w.@$:/-][\w.@$:/ -]*)`)
	literalHost  = lazyregexp.New(`://([\w.-]+)`)
	othersItem   = lazyregexp.New(`safe storage|chrome|brave|firefox|edge\b|claude|codex|copilot|cursor|gemini|openai|anthropic|slack|github|gitlab|aws|icloud|apple|login|wi-?fi|wallet|1password|bitwarden|ssh`)
)

func anyWord(s, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// maxShown is how much of a line an act quotes.
const maxShown = 300

// trust lowers the weight of a download by where it comes from: nothing is said of one from a vendor's own place, less of
// one over TLS from a name; most of a bare address, plain HTTP, a name that is made up at run time. What is sent to an address in a
// variable that its program does not set goes where the user says.
func (r *reader) trust(s string, kind Kind, weight int) int {
	if m := inVariable.FindStringSubmatch(s); m != nil && !strings.Contains(s, "://") {
		set := regexp.MustCompile(`\b` + m[1] + `["']?\s*[:=]\s*["']?(https?://\S+)`).FindStringSubmatch(r.low)
		switch {
		case set != nil:
			s = set[1]
		case kind == Send && !r.hook:
			return 0
		}
	}
	i := strings.Index(s, "://")
	if i < 0 {
		return min(weight, 2)
	}
	scheme, host := s[:i], s[i+3:]
	if n := strings.IndexAny(host, "/ \"'`)>?#\\,|;"); n >= 0 {
		host = host[:n]
	}
	name, _, _ := strings.Cut(host, ":")
	switch {
	case hostscope.Of(name) != hostscope.Public, strings.ContainsAny(host, "<>{}"):
		return 0
	case anybodys(name) || strings.Contains(s, "gist.github"):
		return min(weight, 2)
	case known(name):
		return 0
	case strings.HasSuffix(scheme, "https") && strings.Trim(name, "0123456789.") != "" && !collects(name):
		return min(weight, 2)
	}
	return weight
}

// inVariable matches an address that is all in a variable, at the end of a command.
var inVariable = lazyregexp.New(`\s["']?\$\{?([a-z_]\w*)\}?["']?\s*(?:$|[|;&>)\n\x60])`)

// anybodys reports whether everybody can have a name below a host.
func anybodys(host string) bool {
	for _, h := range []string{"vercel.app", "netlify.app", "github.io", "pages.dev", "workers.dev", "web.app", "firebaseapp.com", "herokuapp.com", "onrender.com", "fly.dev", "railway.app", "glitch.me", "replit.app", "repl.co", "surge.sh", "pastebin.com", "trycloudflare.com"} {
		if strings.HasSuffix(host, "."+h) || host == h {
			return true
		}
	}
	return false
}

func collects(host string) bool {
	for _, s := range []string{"evil", "attacker", "malicious", "c2.", "exfil", "payload", ".tk", ".onion", "ngrok", "webhook.site", "pastebin", "transfer.sh", "rawhost", "bit.ly", "tinyurl"} {
		if strings.Contains(host, s) {
			return true
		}
	}
	return false
}

// together judges what a program takes with where it sends, and returns the latter.
func (r *reader) together() (sent *span) {
	var c classes
	for i := range r.units {
		u := &r.units[i]
		c |= u.class
		if sent == nil && u.class.has(outward) && !u.class.any(localhost) {
			if m := sends.FindStringIndex(r.text(i)); m != nil {
				sent = &span{u.start + m[0], u.start + min(m[1], m[0]+maxShown)}
			}
		}
	}
	if sent == nil && c.has(outward) {
		if m := sends.FindStringIndex(r.low); m != nil {
			sent = &span{m[0], min(m[1], m[0]+maxShown)}
		}
	}
	if sent == nil {
		return nil
	}
	took := r.takesSecret()
	for i := 0; i < len(r.units) && took == nil; i++ {
		if s := r.text(i); anyWord(s, taking) {
			if m := takes.FindStringIndex(handedOn.ReplaceAllStringFunc(s, blank)); m != nil {
				took = &span{r.units[i].start + m[0], r.units[i].start + min(m[1], m[0]+maxShown)}
			}
		}
	}
	if took == nil && homeFolder.MatchString(r.low) { // names = ['.npmrc', '.pypirc']
		if names := credentialNames.FindAllStringSubmatchIndex(r.low, 2); len(names) == 2 && r.low[names[0][0]:names[0][1]] != r.low[names[1][0]:names[1][1]] {
			took = &span{names[0][0], names[1][1]}
		}
	}
	if took != nil {
		r.note(Send, "takes credentials or the whole environment and sends data to somebody outside", *took, 4)
	}
	return sent
}

// credentialNames match names of files and folders of credentials that stand alone in quotation marks.
var credentialNames = lazyregexp.New(`["'](?:\.(?:npmrc|pypirc|netrc|git-credentials|aws|kube|ssh|gnupg|docker)|id_(?:rsa|ed25519|ecdsa))(?:/[\w.]+)?["']`)

func blank(s string) string { return strings.Repeat(" ", len(s)) }

// taking are parts of which takes needs one, to be quick.
const taking = "env .config library appdata documents desktop"

var (
	takes = lazyregexp.New(`dict\(os\.environ\)|json\.dumps\(\s*(?:dict\()?os\.environ|os\.environ\.(?:items|copy)\(\)|json\.stringify\(\s*process\.env\s*[),]|object\.(?:entries|keys|assign)\([^)]*process\.env\s*\)|\.\.\.process\.env|\benv\.(?:to_h|each|to_a|inspect|map|select|filter|sort|to_json|collect)\b|\b(?:get-childitem|gci|dir|ls|get-item)\s+env:|getenvironmentvariables\(|(?:check_output|popen|getoutput|execsync|system)\(\s*\[?["'](?:env|printenv|set)["']|\bgetenv\(\)|\bos\.environ\b\s*[,)]|(?:expanduser\(|homedir\(\)|\$home|~/)[^\n]{0,20}(?:\.config/\*|library/application|appdata|documents|desktop)|\b(?:env|printenv)\s*(?:>|\|)|\$\((?:env|printenv)\)`)
	sends = lazyregexp.New(`requests\.(?:post|put)\(|httpx\.(?:post|put)\(|urlopen\(|urllib\.request|http\.client|\.post\(|fetch\(|axios\b|https?\.request\(|xmlhttprequest|sendbeacon|socket\.(?:connect|socket|create_connection)|curl\s|wget\s|invoke-webrequest|invoke-restmethod|\b(?:irm|iwr)\s|\.upload(?:string|file|data|values)\w*\(|tcpsocket|socket\.tcp\(|\bnc\s|smtplib|ftplib|paramiko|boto3|net["')]*\.connect|dns["')]*\.resolve|\w["')]*\.request\(\s*["'{\x60]|websocket|net::http|httpclient|curl_exec|file_get_contents\(["']http|httppost|\.openconnection|urlsession|postasync|postcontent|reqwest::|geturl\s|\bhttp\s+post\s|\b(?:req|client|httr|http|ureq|tesla|finch|httpoison)(?:\.|::?|/)(?:post|put|request|send)!?|->(?:post|put|request)\(|\brequest\(\s*\{|winhttp|msxml2|tcpclient|\b(?:dig|nslookup|drill|ncat|netcat|socat|telnet|s_client)\s|/dev/tcp/`)

	// handedOn matches an environment that a program hands on to one that it starts.
	handedOn = lazyregexp.New(`\benv["']?\s*[:=]\s*(?:object\.assign\(\s*\{\s*\}\s*,\s*|\{\s*)?(?:\.\.\.)?process\.env|\benv\s*=\s*(?:\{\s*\*\*|dict\()?os\.environ(?:\.copy\(\))?`)
)
