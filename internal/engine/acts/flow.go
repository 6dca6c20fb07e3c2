package acts

import (
	"path"
	"slices"
	"strings"

	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/shell"
)

// A Sender is a program that connects to a host that it is given: its one-letter options that take a value, and whether its operands
// are files as well, of which a host is what stands before a colon.
type Sender struct {
	Valued string
	Colon  bool
}

// Senders are such programs by name.
var Senders = map[string]Sender{
	"curl": {Valued: "AbCcDdEeFHhKmoPQrTtUuwXYyZz"}, "wget": {Valued: "aBDeIiloOPQRTtUwX"}, "http": {}, "https": {}, "xh": {}, "aria2c": {Valued: "doijx"},
	"nc": {Valued: "iIMmOPpqsTVWwXx"}, "ncat": {Valued: "cdegGimopsw"}, "netcat": {Valued: "iIMmOPpqsTVWwXx"}, "telnet": {Valued: "bel"}, "socat": {Valued: "bTtl"},
	"ssh": {Valued: "BbcDEeFIiJLlmOoPpQRSWw"}, "sftp": {Valued: "BbcDFiJloPRSs"}, "ping": {Valued: "cIilMmpQSsTtWw"}, "dig": {Valued: "bcfkpqtxy"}, "nslookup": {}, "host": {Valued: "cNRtWm"},
	"scp": {Valued: "cFiJloPS", Colon: true}, "rsync": {Valued: "eBfMT", Colon: true}, "git": {Valued: "Ccbmou", Colon: true},
}

// uploads are commands that hand a file over to a service, by their first words.
var uploads = strings.Split("rclone copy;rclone copyto;rclone sync;rclone move;aws s3 cp;aws s3 mv;aws s3 sync;gsutil cp;gsutil rsync;gcloud storage cp;az storage blob upload;s3cmd put;mc cp;gh gist create;gh release upload;glab snippet create;git add;croc send;wormhole send;ffsend upload", ";")

var (
	// served matches folders that a web server shows to everybody.
	served = lazyregexp.New(`^(?:/var/www|/srv/(?:http|www)|/usr/share/nginx/html|~/public_html|/usr/local/var/www)(?:/|$)`)
	// ownFiles matches the folders of a home in which a person keeps what is nobody else's.
	ownFiles = lazyregexp.New(`^~/(?:documents|desktop|library/application|appdata)\b`)
	// moves are words of the programs that a script needs for a flow, to be quick.
	moves = "curl wget aria2c scp rsync sftp ssh rclone aws gsutil gcloud az s3cmd gh git nc socat netcat /var/www croc wormhole"
	// loginOptions are options whose value a command logs in with, or is no file that it sends.
	loginOptions = strings.Fields("-i -e -o -h -u -b --header --user --cert --key --cacert --netrc-file --cookie --rsh --config")
)

// readers are the programs that hand on what is in a file.
var readers = strings.Fields(shell.Readers)

const (
	longestUpload = 4       // words of the longest of uploads
	longestPath   = 4 << 10 // as of Linux
)

// A flow follows what a shell's script has in its files: a secret that is packed, copied and then sent, and a download that is run later.
type flow struct {
	r       *reader
	from    int // where the script begins
	vars    map[string]string
	secret  map[string]bool
	fetched map[string]string // the address that it comes from
	dir     string
}

// cargo is what a command's output has in it.
type cargo struct {
	secret bool
	from   string // the address of a download
}

func (r *reader) flows(script string, from int) {
	if len(script) <= longestPlaced && anyWord(script, moves) {
		f := &flow{r: r, from: from, vars: map[string]string{}, secret: map[string]bool{}, fetched: map[string]string{}}
		f.script(script, nil, 0)
	}
}

// script reads a script, which stands within a part of another one if that is not nil.
func (f *flow) script(s string, within *span, depth int) (out cargo) {
	if depth > shell.Deepest {
		return out
	}
	commands, pipe := shell.Read(s, f.vars, depth), cargo{}
	for i := range commands {
		c := &commands[i]
		at := within
		if n := len(c.Words); at == nil && n > 0 {
			at = &span{f.from + c.Words[0].Start, min(f.from+c.Words[n-1].End, len(f.r.low))}
		}
		got := f.command(c, s, pipe, at, depth)
		if pipe = (cargo{}); c.Piped {
			pipe = got
			continue
		}
		out.secret = out.secret || got.secret
		out.from += got.from
	}
	return out
}

// command follows what one command takes, runs, writes and sends, and returns what it hands on.
func (f *flow) command(c *shell.Command, script string, in cargo, at *span, depth int) (out cargo) {
	nested := make([]cargo, len(c.Nested))
	for i, n := range c.Nested {
		nested[i] = f.script(n, at, depth+1)
		out.secret = out.secret || nested[i].secret
	}
	words, _ := shell.Unwrap(c.Words)
	if len(words) == 0 {
		return out
	}
	program := path.Base(words[0].Text)
	operands, logsIn := []shell.Word{}, false
	for _, w := range words[1:] {
		if !logsIn && (!strings.HasPrefix(w.Text, "-") || strings.Contains(w.Text, "=")) {
			operands = append(operands, w)
		}
		logsIn = slices.Contains(loginOptions, w.Text) && !(w.Text == "-o" && (program == "curl" || program == "wget"))
	}
	f.runs(c, script, program, words, operands, nested, in, at, depth)
	if program == "cd" && len(operands) > 0 {
		f.dir = operands[0].Text
	}
	took, sender := in.secret || out.secret, Senders[program]
	for _, w := range slices.Concat(operands, c.Reads, c.Data) {
		took = took || f.holdsSecret(w.Text) && !(sender.Colon && strings.Contains(w.Text, ":")) // which lies on the other side
	}
	reaches, last := strange(c), ""
	begins := shell.Join(words[:min(len(words), longestUpload)]) + " "
	_, sends := Senders[program]
	if sends = sends && program != "git"; slices.ContainsFunc(uploads, func(u string) bool { return strings.HasPrefix(begins, u+" ") }) {
		sends, reaches = true, 4
	}
	if len(operands) > 0 {
		last = operands[len(operands)-1].Text
	}
	switch {
	case !sends || sender.Colon && program != "git" && !strings.Contains(last, ":"): // from one folder to another
	case took && reaches > 0:
		f.r.note(Send, sendsSecret, *at, reaches)
	case f.r.hook && reaches > 2 && program != "curl" && program != "wget" && (len(c.Nested) > 0 || c.Words[0].Text != words[0].Text):
		f.r.note(Send, "hands what the agent does to somebody outside", *at, 3)
	}
	if took && slices.Contains(shell.Copiers, program) && served.MatchString(last) {
		f.r.note(Send, sendsSecret, *at, 4)
	}
	out.secret = took && slices.Contains(readers, program)
	out.from = in.from
	f.keeps(c, program, words, operands, took, &out)
	return out
}

// keeps notes the files that a command fills: those that it packs or copies a secret or a download into, and those that it downloads.
func (f *flow) keeps(c *shell.Command, program string, words, operands []shell.Word, took bool, out *cargo) {
	address, into := "", ""
	for i, w := range words[1:] {
		switch before := words[i].Text; {
		case strings.Contains(w.Text, "://") || address == "" && w.Text == "*":
			address = w.Text
		case strings.HasPrefix(before, "--output") || strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "--") && strings.HasSuffix(strings.ToLower(before), "o"):
			into = w.Text
		case slices.Contains([]string{"-d", "-c", "--directory"}, strings.ToLower(before)):
			into = w.Text + "/"
		}
	}
	fills := slices.Clone(c.Writes)
	switch {
	case address != "" && (program == "curl" || program == "wget" || program == "aria2c" || program == "git" && len(operands) > 0 && operands[0].Text == "clone"):
		out.from = address
		name := strings.TrimSuffix(path.Base(address), ".git")
		if program == "git" {
			if into = name + "/"; operands[len(operands)-1].Text != address {
				into = operands[len(operands)-1].Text + "/"
			}
		} else if into == "" && (program != "curl" || slices.ContainsFunc(words, func(w shell.Word) bool {
			return w.Text == "-o" || w.Text == "--remote-name" || strings.HasSuffix(w.Text, "lo")
		})) {
			into = name
		}
		if into != "" {
			f.fetched[clean(into)] = address
		}
	case slices.Contains(shell.Copiers, program) || slices.Contains(strings.Fields("tar zip unzip 7z gzip gunzip gpg openssl tee dd"), program):
		for _, w := range operands {
			if from := f.whence(w.Text); from != "" && out.from == "" {
				out.from = from
			}
		}
		if into == "" && (program == "tar" || program == "unzip") {
			into = "./"
		}
		fills = append(fills, operands...)
		fills = append(fills, shell.Word{Text: into})
	}
	for _, w := range fills {
		if name := clean(w.Text); name != "" && !f.holdsSecret(w.Text) {
			f.secret[name] = f.secret[name] || took
			if out.from != "" {
				f.fetched[name] = out.from
			}
		}
	}
}

// runs notes that a command runs what the script has downloaded: by its name, in an interpreter, or through a pipe.
func (f *flow) runs(c *shell.Command, script, program string, words, operands []shell.Word, nested []cargo, in cargo, at *span, depth int) {
	from := f.whence(words[0].Text)
	engine := slices.Contains(shell.Shells, program) || slices.Contains(shell.Engines, program) || program == "." || program == "source"
	switch {
	case in.from != "" && strings.HasPrefix(script[words[0].Start:], "$") && (engine || words[0].Text == "*"): // curl … | $runner
		from = in.from
	case !engine || len(words) < 2:
	case words[1].Text == "-c" && len(words) > 2 && slices.Contains(shell.Shells, program):
		f.script(words[2].Text, at, depth+1)
	case len(operands) > 0:
		from = f.whence(operands[0].Text)
		for i, n := range c.Nested { // python3 <(curl …)
			if strings.Contains(script[operands[0].Start:min(operands[0].End, len(script))], n) && nested[i].from != "" {
				from = nested[i].from
			}
		}
	}
	if weight := f.r.trust(from, Run, 4); from != "" && weight > 0 && (weight > 2 || f.r.given == "") { // a manual may name its own installer over TLS
		f.r.note(Run, "downloads a program and runs it", *at, weight)
	}
}

// whence returns the address that a file or the folder that it lies in comes from, "" for none.
func (f *flow) whence(file string) string {
	if from := f.fetched["./"]; from != "" && strings.HasPrefix(file, "./") {
		return from
	}
	for _, name := range []string{clean(file), clean(f.dir + "/" + file)} {
		if len(name) > longestPath {
			continue // no system has such a file, and each folder of it would be looked up
		}
		for n := len(name); n > 0; n = strings.LastIndexByte(name[:n], '/') {
			if from := f.fetched[name[:n]] + f.fetched[name[:n]+"/"]; from != "" {
				return from
			}
		}
	}
	return ""
}

// clean spells a file's name one way, and keeps the slash of a folder.
func clean(name string) string {
	name = strings.TrimPrefix(name, "@")
	if name == "" || strings.HasPrefix(name, "-") {
		return ""
	}
	out := path.Clean(name)
	if strings.HasSuffix(name, "/") && out != "/" {
		out += "/"
	}
	return out
}

// holdsSecret reports whether an operand names a file of credentials, a person's own, or one that a secret was copied into.
func (f *flow) holdsSecret(operand string) bool {
	name := operand[strings.LastIndexByte(operand, '@')+1:]
	return f.secret[clean(name)] || ownFiles.MatchString(name) || ReadsCredentials(operand+"/")
}

// strange weighs whom a command sends to: somebody outside, somebody whom its words do not tell, or nobody.
func strange(c *shell.Command) int {
	weight := 2
	for _, w := range slices.Concat(c.Words, c.Data) {
		host := w.Text
		if _, address, ok := strings.Cut(host, "://"); ok {
			host = address
		} else if !strings.ContainsAny(host, "@:") {
			continue
		}
		host = host[strings.LastIndexByte(host, '@')+1:]
		if n := strings.IndexAny(host, ":/?#"); n >= 0 {
			host = host[:n]
		}
		switch {
		case host == "localhost", known(host), strings.Contains(host, ".") && hostscope.Of(host) != hostscope.Public:
			weight = 0
		case strings.Contains(host, "."):
			return 4
		}
	}
	return weight
}
