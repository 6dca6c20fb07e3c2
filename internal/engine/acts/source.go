package acts

import (
	"regexp"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// CredentialPaths are the ends of paths where credentials are kept. One that ends in a slash is a folder of which every file
// counts. Those that begin with ~ are in the user's home, and * is any one name.
const CredentialPaths = `id_rsa id_ed25519 id_ecdsa id_dsa .netrc _netrc .pypirc .git-credentials .pgpass credentials.json .credentials.json login.keychain-db wallet.dat logins.json
	.ssh/ .gnupg/ .aws/ .azure/ .password-store/ .config/gcloud/ keychains/ keyrings/ .kube/config .docker/config.json gh/hosts.yml etc/shadow ~/.npmrc
	.codex/auth.json .gemini/oauth_creds.json opencode/auth.json proc/*/environ .kube .docker .vault-token .cargo/credentials .cargo/credentials.toml credentials.tfrc.json rclone.conf
	.electrum/wallets/ .ethereum/keystore/ .config/solana/ config/master.key .s3cfg .boto .my.cnf .oci/ .databrickscfg .snowflake/ key4.db cookies.sqlite cookies.binarycookies
	.config/doctl/ .config/op/ .config/github-copilot/ .fly/config.yml .wrangler/config/ .gem/credentials .factory/auth.json .qwen/oauth_creds.json goose/secrets.yaml huggingface/token amp/secrets.json crush/crush.json`

// Printers are commands that print a secret which a program keeps, separated by semicolons. All of the words stand in one, in this order.
// * ends one of which the rest may be anything.
const Printers = `gh auth token; git credential fill; git credential-store get; git credential-cache get; git credential-osxkeychain get; op read; op item get; vault kv get; vault read; gcloud auth print-access-token;
	gcloud auth print-identity-token; gcloud auth application-default print-access-token; gcloud secrets versions access; aws configure export-credentials; aws configure get aws_secret_access_key; aws secretsmanager get-secret-value;
	aws ssm get-parameter --with-decryption; aws sts get-session-token; az account get-access-token; az keyvault secret show; kubectl get secret -o*; kubectl get secrets -o*; kubectl get secret --output*; kubectl get secrets --output*; kubectl config view --raw; security find-generic-password; security find-internet-password;
	security dump-keychain; pass show; gpg --export-secret-keys; gpg --export-secret-subkeys; secret-tool lookup; keyring get; ssh-keygen -y; doppler secrets; bw get; bw list; npm config get //*; rbw get; lpass show; heroku auth:token; fly auth token; flyctl auth token;
	vercel env pull; netlify env:list; docker-credential-osxkeychain get; docker-credential-secretservice get; docker-credential-pass get; docker-credential-desktop get`

// pathsAs writes the table of files as a pattern, with sep between the parts of a path.
func pathsAs(sep string) string {
	var out []string
	for p := range strings.FieldsSeq(CredentialPaths) {
		p = strings.ReplaceAll(regexp.QuoteMeta(strings.TrimPrefix(p, "~/")), `\*`, `[^/\s]+`)
		if !strings.HasSuffix(p, "/") {
			p += `(?:[^\w.-]|$)`
		}
		out = append(out, strings.ReplaceAll(p, "/", sep))
	}
	return strings.Join(out, "|") + `|login(?:\s|` + sep + `)data|default` + sep + `cookies`
}

// printersAs writes the table of commands as a pattern, with gap between words, of which a few may stand among them.
func printersAs(gap, letter string) string {
	var out []string
	for p := range strings.SplitSeq(Printers, ";") {
		words := strings.Join(strings.Fields(regexp.QuoteMeta(p)), gap+`(?:`+letter+`+`+gap+`){0,3}`)
		out = append(out, strings.ReplaceAll(words, `\*`, letter+`*`))
	}
	return `\b(?:` + strings.Join(out, "|") + `)`
}

// homeFolder matches how programs ask for the user's home.
var homeFolder = lazyregexp.New(`homedir\w*\(|expanduser\(|path\.home\(|\bdir\.home\b|home_dir\(|user\.home\b|\$\{?home\b|userprofile|\benv(?:\.|\[["']|\{["']?)home\b|environ(?:\.get\(|\[)["']home|getenv\(["']home|nshomedirectory|homedirectoryforcurrentuser|~/`)

var (
	// named matches a file of credentials in a program as spelled writes it, in the home or by a name that says it anywhere, and kept what
	// keeps a log-in by its name in a folder of a program's own, such as ~/.tool/auth.json.
	named = lazyregexp.Made(func() string {
		return `(?m)~[^\n]{0,60}/(?:` + pathsAs("/") + `)|(?:^|/)(?:id_rsa|id_ed25519|etc/shadow|\.aws/credentials|login/data|wallet\.dat)(?:/|$)`
	})
	kept = lazyregexp.New(`(?m)~[^\n]{0,60}/\.[\w./-]{1,60}/\.?(?:credentials?|auth|secrets?|tokens?|oauth_?creds|cookies|logins)(?:\.\w+)?(?:/|$)`)
	// printed matches a command that prints one.
	printed = lazyregexp.Made(func() string { return printersAs("/", `[^/\n]`) })
	// harmless matches what a folder of credentials has that is none.
	harmless = lazyregexp.New(`^[^\n]*\.pub\b|\.(?:ssh|aws)/(?:config|known_hosts|authorized_keys|allowed_signers)(?:/|$)|\.(?:example|sample)(?:/|$)`)
	// placed matches a variable that gets a path in the home.
	placed = lazyregexp.New(`(?m)(?:^|[\s;({$@])([a-z_]\w*)\s*:?=\s*([^\n;=]{0,80}~/[^\n;]{0,120})`)
	joints = lazyregexp.New("[\"'`, \t\r+/\\\\(){}\\[\\]$]+")
)

// How many variables of a program are followed into the paths that are made of them, and how long it may be for that.
const (
	mostPlaced    = 20
	longestPlaced = 256 << 10
)

// spelled writes a program as the paths and commands in it are joined: os.homedir() + "/.ssh", Path.home() / ".ssh" and join(home, ".ssh")
// are ~/.ssh, and ["gh", "auth", "token"] is gh/auth/token. Its lines stay.
func spelled(low string) string {
	low = homeFolder.ReplaceAllString(low, "~/")
	if len(low) > longestPlaced {
		return joints.ReplaceAllString(low, "/")
	}
	paths := map[string]string{}
	for _, m := range placed.FindAllStringSubmatch(low, mostPlaced) {
		paths[m[1]] = m[2]
	}
	var b strings.Builder
	for i := 0; i < len(low); {
		start := i
		for i < len(low) && (low[i] == '_' || low[i] >= '0' && low[i] <= '9' || low[i] >= 'a' && low[i] <= 'z') {
			i++
		}
		path, ok := paths[low[start:i]]
		switch {
		case start == i:
			b.WriteByte(low[i])
			i++
		case ok && (start == 0 || low[start-1] != '.') && !strings.HasPrefix(strings.TrimLeft(low[i:], " :"), "="):
			b.WriteString(path)
		default:
			b.WriteString(low[start:i])
		}
	}
	return joints.ReplaceAllString(b.String(), "/")
}

// takesSecret returns where a program takes a secret that a file or a program keeps. A token that a program prints is none where it only
// opens the door of the service that it is for.
func (r *reader) takesSecret() *span {
	s := spelled(opener.ReplaceAllStringFunc(r.low, blank))
	found := append(named.FindAllStringSubmatchIndex(s, mostHosts), kept.FindAllStringSubmatchIndex(s, mostHosts)...)
	if !anyWord(r.low, "bearer authorization") {
		found = append(found, printed.FindAllStringSubmatchIndex(s, mostHosts)...)
	}
	lines := strings.Split(r.low, "\n")
	for _, m := range found {
		n := strings.Count(s[:m[0]], "\n")
		rest, _, _ := strings.Cut(s[m[0]:], "\n")
		item := keychainItem.FindStringSubmatch(lines[n])
		if comment(strings.TrimSpace(lines[n])) || harmless.MatchString(rest) || item != nil && r.itemWeight(item[1]) < 4 { // codeActs has weighed it
			continue
		}
		at := len(strings.Join(lines[:n], "\n")) + min(n, 1)
		return &span{at, at + min(len(lines[n]), maxShown)}
	}
	return nil
}

// ReadsCredentials reports whether a command reads a file of credentials.
func ReadsCredentials(command string) bool {
	s := spelled(lowerASCII(command))
	m := named.FindStringIndex(s)
	return m != nil && !harmless.MatchString(s[m[0]:])
}
