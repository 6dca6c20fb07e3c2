package clause

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// delimiters part addresses and paths from what is around them.
const delimiters = "\"'`()[]{}<>,;|=*"

// special reads a chunk that may hold addresses, mailboxes or paths, piece by piece. Like
// all readers of words it returns where it stopped, which is behind end where a phrase
// goes on in the next chunk.
func (t *tokenizer) special(i, end int) int {
	for i < end {
		stop := i
		for stop < end && strings.IndexByte(delimiters, t.s[stop]) < 0 {
			stop++
		}
		i = t.piece(i, stop)
		if i == stop && i < end {
			t.punctuate(i, i+1)
			i++
		}
	}
	return i
}

// piece reads one run without delimiters: an address or words.
func (t *tokenizer) piece(i, end int) int {
	// "file:~/.ssh" and "to:me@example" carry the address behind the colon.
	if c := strings.IndexByte(t.s[i:end], ':'); c > 1 && i+c+1 < end && !isPublicIP(t.s[i:i+c]) && !strings.HasPrefix(t.s[i+c:end], "://") {
		t.plain(i, i+c)
		t.punctuate(i+c, i+c+1)
		i += c + 1
	}
	stop := i
	for stop < end && t.s[stop] < utf8.RuneSelf {
		stop++
	}
	for stop > i && strings.IndexByte(".:!?", t.s[stop-1]) >= 0 {
		stop--
	}
	cls := placeClasses(t.s[i:stop])
	if cls.empty() {
		return t.plain(i, end)
	}
	if cls.has(webURL) && t.place != nil && t.place(hostOf(t.s[i:stop])) {
		cls.add(ownPlace)
	}
	t.emit(i, stop, cls, 0, 0)
	if stop < end && t.s[stop] >= utf8.RuneSelf {
		return t.plain(stop, end)
	}
	t.punctuate(stop, end)
	return end
}

// placeClasses classifies a run of ASCII as an address, a mailbox or a path.
func placeClasses(s string) (set classSet) {
	switch {
	case len(s) < 3:
	case webAddress(s) && !strings.Contains(hostOf(s), ".") && !strings.Contains(hostOf(s), ":") && !collector(s):
		set = setOf(path) // "https://undefined/" is no place of anybody
	case webAddress(s):
		set = setOf(webURL, address)
		if collector(s) {
			set.add(badPlace)
		}
	case strings.Contains(s, "://"): // a server's own scheme names its resources
		set = setOf(path)
	case isMailbox(s):
		set = setOf(address)
		if collector(s) {
			set.add(badPlace)
		}
	case isPhone(s), isPublicIP(s):
		set = setOf(address)
	case isPath(s):
		set = setOf(path)
		if Credential(s) {
			set.add(credFile)
		}
		if startsUp(s) {
			set.add(startup)
		}
	case isFileName(s):
		set = setOf(fileName)
	}
	return set
}

func hostOf(url string) string {
	if i := strings.Index(url, "://"); i >= 0 {
		url = url[i+3:]
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	return url
}

// Credential reports whether a value is the path of a file that holds credentials.
func Credential(s string) bool {
	return strings.IndexByte(s, ' ') < 0 && strings.ContainsAny(s, "/\\._") && sensitivePath(s) && !strings.HasSuffix(s, ".pub") && !strings.HasSuffix(s, ".example")
}

// isFileName reports whether s is one name with the ending of a common kind of file.
func isFileName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot <= 0 || strings.ContainsAny(s, "/\\:") {
		return false
	}
	switch strings.ToLower(s[dot+1:]) {
	case "txt", "log", "json", "lock", "env", "md", "yml", "yaml", "cfg", "conf", "ini", "pem", "key", "csv", "db", "sqlite", "sh", "bak", "dat", "html", "xml":
		return true
	}
	return false
}

// isPhone reports whether s is an international telephone number or a wallet address.
func isPhone(s string) bool {
	if s[0] == '+' && len(s) >= 8 {
		return runLen(s, 1, func(c byte) bool { return c >= '0' && c <= '9' || c == '-' || c >= 'A' && c <= 'Z' }) == len(s)-1
	}
	return len(s) == 42 && s[0] == '0' && s[1] == 'x' && runLen(s, 2, isHex) == 40
}

// isIBAN reports whether s has the form of an international bank account number: two
// letters of a country that takes part, two digits, and 11 to 30 capitals and digits that are not all the same. Check digits are not
// computed: an attacker's account need not exist.
func isIBAN(s string) bool {
	if len(s) < 15 || len(s) > 34 || s[2] < '0' || s[2] > '9' || s[3] < '0' || s[3] > '9' || !ibanCountries[s[:2]] {
		return false
	}
	if strings.Count(s[4:], s[4:5]) == len(s)-4 {
		return false // "DE00000000000000000000" stands for any
	}
	digits := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c < 'A' || c > 'Z':
			return false
		}
	}
	return digits >= 8 && s[0] >= 'A' && s[1] >= 'A'
}

// ibanCountries are the countries of the IBAN registry of ISO 13616. Other identifiers have the same form ("AC" and 32 digits is an
// account of Twilio's).
var ibanCountries = func() map[string]bool {
	out := map[string]bool{}
	for c := range strings.FieldsSeq("AD AE AL AT AZ BA BE BG BH BI BR BY CH CR CY CZ DE DJ DK DO EE EG ES FI FK FO FR GB GE GI GL GR GT HN HR HU IE IL IQ IS IT " +
		"JO KW KZ LB LC LI LT LU LV LY MC MD ME MK MN MR MT MU NI NL NO OM PK PL PS PT QA RO RS RU SA SC SD SE SI SK SM SO ST SV TL TN TR UA VA VG XK YE") {
		out[c] = true
	}
	return out
}()

// isPublicIP reports whether s is the address of a machine outside the local network,
// with or without a port.
func isPublicIP(s string) bool {
	if s[0] < '0' || s[0] > '9' || strings.Count(s, ".") != 3 {
		return false
	}
	a, err := netip.ParseAddr(s)
	if p, perr := netip.ParseAddrPort(s); perr == nil {
		a, err = p.Addr(), nil
	}
	return err == nil && !publicResolvers[a] && !a.IsPrivate() && !a.IsLoopback() && !a.IsUnspecified() && !a.IsMulticast()
}

// publicResolvers are what everybody writes for an example of an address, and nobody can collect data at.
var publicResolvers = map[netip.Addr]bool{
	netip.AddrFrom4([4]byte{8, 8, 8, 8}): true, netip.AddrFrom4([4]byte{8, 8, 4, 4}): true, netip.AddrFrom4([4]byte{1, 1, 1, 1}): true,
	netip.AddrFrom4([4]byte{1, 0, 0, 1}): true, netip.AddrFrom4([4]byte{9, 9, 9, 9}): true,
}

func webAddress(s string) bool {
	for _, scheme := range []string{"http://", "https://", "ftp://", "ws://", "wss://", "www."} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// collectors are parts of addresses that no honest documentation sends data to: request
// bins and out-of-band test services, and names that admit what they are.
var collectors = []string{"webhook.site", "requestbin", "pipedream.net", "ngrok", "burpcollaborator", "interact.sh", ".oast.",
	"canarytokens", "requestcatcher", "beeceptor", "evil", "attacker", "malicious", "malware", "exfil", "hacker", "pwned", "phish", "steal",
	"://c2.", "@c2.", ".onion", "169.254.169.254", "attkr"}

func collector(s string) bool {
	low := strings.ToLower(s)
	for _, c := range collectors {
		if strings.Contains(low, c) {
			return true
		}
	}
	return false
}

func isMailbox(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.Contains(s[at:], ".") && strings.Count(s, "@") == 1 && !strings.ContainsAny(s, "/\\")
}

// isPath tells file paths from "and/or", "text/plain" and "read/write".
func isPath(s string) bool {
	switch {
	case strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "~\\"):
		return true
	case s[0] == '/' && len(s) > 2 && isLetter(s[1]) || strings.HasPrefix(s, "/."):
		return true
	case s[0] == '.' && isLetter(s[1]) && !strings.ContainsAny(s, "()"):
		return true
	case len(s) > 3 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
		return true
	case strings.Contains(s, "/.") || strings.HasPrefix(s, "%") || strings.HasPrefix(s, "$HOME"):
		return true
	}
	return sensitivePath(s)
}

// sensitivePath reports whether an element of the path is one that holds credentials.
func sensitivePath(s string) bool {
	rest := s
	for rest != "" {
		i := strings.IndexAny(rest, "/\\")
		part := rest
		if i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		var low [40]byte
		if len(part) > len(low) {
			continue
		}
		for j := 0; j < len(part); j++ {
			low[j] = lower(part[j])
		}
		if w := words().words[string(low[:len(part)])]; w != nil && (w.set.has(credFile) || w.set.has(credName)) {
			return true
		}
	}
	return false
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// startsUp reports whether a path leads to a file that is run or read at each start.
func startsUp(s string) bool {
	for _, end := range []string{"authorized_keys", ".bashrc", ".zshrc", ".profile", ".bash_profile", "crontab", ".gitconfig", ".git/hooks", "LaunchAgents", ".cursorrules", "CLAUDE.md", "AGENTS.md", "mcp.json"} {
		if strings.Contains(s, end) {
			return true
		}
	}
	return false
}
