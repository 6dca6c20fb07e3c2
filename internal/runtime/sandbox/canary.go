package sandbox

import (
	"crypto/rand"
	"math/big"
	"slices"
	"strings"

	"gauntlet/internal/leaf/redact"
)

// A Canary (a honeytoken) is a secret of the right form that opens nothing: nobody but the
// sandbox has it, so whoever sends it has read it there.
type Canary struct {
	Name  string // "aws_secret_key", for people and reports
	Value string // the part that cannot be guessed: 80 bits at least
	Path  string // the file that holds it, "" for none; "~/" at its beginning is HOME
	Env   string // the variable that holds it, "" for none
	// Metadata is the path at the metadata service that holds it, "" for none.
	Metadata string
	// Owners are the domains of the service that the credential claims to be for: the credential's kind or the file around it names
	// them. A server that uses a credential where it belongs does what it is there for.
	Owners []string
}

// BelongsTo reports whether the canary claims to be for the service at a host.
func (c *Canary) BelongsTo(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc(c.Owners, func(o string) bool { return host == o || strings.HasSuffix(host, "."+o) })
}

// The alphabets of credentials.
const (
	base32Upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	alnum       = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	hexLower    = "0123456789abcdef"
)

// randomOf returns n characters of an alphabet that nobody can guess.
func randomOf(alphabet string, n int) string {
	out := make([]byte, n)
	size := big.NewInt(int64(len(alphabet)))
	for i := range out {
		at, err := rand.Int(rand.Reader, size)
		if err != nil { // crypto/rand ends the program before it fails
			panic(err)
		}
		out[i] = alphabet[at.Int64()]
	}
	return string(out)
}

var (
	ofAWS       = []string{"amazonaws.com", "aws.amazon.com"}
	ofGitHub    = []string{"github.com", "githubusercontent.com"}
	ofNPM       = []string{"npmjs.org", "npmjs.com"}
	ofOpenAI    = []string{"openai.com"}
	ofAnthropic = []string{"anthropic.com"}
	ofGoogle    = []string{"googleapis.com", "google.com"}
	ofSlack     = []string{"slack.com"}
)

func newCanaries() []Canary {
	return []Canary{
		{Name: "env_aws_key_id", Value: "AKIA" + randomOf(base32Upper, 16), Env: "AWS_ACCESS_KEY_ID", Owners: ofAWS},
		{Name: "env_aws_secret_key", Value: randomOf(alnum, 40), Env: "AWS_SECRET_ACCESS_KEY", Owners: ofAWS},
		{Name: "env_openai_key", Value: "sk-proj-" + randomOf(alnum, 48), Env: "OPENAI_API_KEY", Owners: ofOpenAI},
		{Name: "env_anthropic_key", Value: "sk-ant-api03-" + randomOf(alnum, 93) + "AA", Env: "ANTHROPIC_API_KEY", Owners: ofAnthropic},
		{Name: "env_github_token", Value: "ghp_" + randomOf(alnum, 36), Env: "GITHUB_TOKEN", Owners: ofGitHub},
		{Name: "env_npm_token", Value: "npm_" + randomOf(alnum, 36), Env: "NPM_TOKEN", Owners: ofNPM},
		{Name: "env_slack_token", Value: "xoxb-" + randomOf("0123456789", 12) + "-" + randomOf(alnum, 24), Env: "SLACK_BOT_TOKEN", Owners: ofSlack},
		{Name: "env_database_password", Value: randomOf(alnum, 24), Env: "DATABASE_PASSWORD"},
		{Name: "ssh_private_key", Value: "", Path: "~/.ssh/id_ed25519"}, // its value is made with the file
		{Name: "ssh_rsa_key", Value: "", Path: "~/.ssh/id_rsa"},         // likewise
		{Name: "gh_token", Value: "gho_" + randomOf(alnum, 36), Path: "~/.config/gh/hosts.yml", Owners: ofGitHub},
		{Name: "pypi_token", Value: "pypi-AgEIcHlwaS5vcmc" + randomOf(alnum, 120), Path: "~/.pypirc", Owners: []string{"pypi.org"}},
		{Name: "claude_token", Value: "sk-ant-oat01-" + randomOf(alnum, 95), Path: "~/.claude/.credentials.json", Owners: ofAnthropic},
		{Name: "codex_token", Value: "sk-proj-" + randomOf(alnum, 48), Path: "~/.codex/auth.json", Owners: ofOpenAI},
		{Name: "aws_secret_key", Value: randomOf(alnum, 40), Path: "~/.aws/credentials", Owners: ofAWS},
		{Name: "gcloud_refresh_token", Value: "1//0g" + randomOf(alnum, 98), Path: "~/.config/gcloud/application_default_credentials.json", Owners: ofGoogle},
		{Name: "azure_client_secret", Value: randomOf(alnum, 40), Path: "~/.azure/service_principal_entries.json", Owners: []string{"microsoftonline.com", "azure.com"}},
		{Name: "dotenv_password", Value: randomOf(alnum, 32), Path: "~/.env", Owners: []string{"db.internal"}},
		{Name: "browser_password", Value: randomOf(alnum, 40), Path: "~/.mozilla/firefox/k3j9x2wq.default-release/logins.json"},
		{Name: "git_token", Value: "ghp_" + randomOf(alnum, 36), Path: "~/.git-credentials", Owners: ofGitHub},
		{Name: "npm_token", Value: "npm_" + randomOf(alnum, 36), Path: "~/.npmrc", Owners: ofNPM},
		{Name: "kube_token", Value: randomOf(alnum, 64), Path: "~/.kube/config", Owners: []string{"k8s.internal"}},
		{Name: "mcp_api_key", Value: randomOf(hexLower, 48), Path: "~/.cursor/mcp.json"},
		{Name: "docker_password", Value: randomOf(alnum, 36), Path: "~/.docker/config.json", Owners: []string{"docker.io", "docker.com"}},
		{Name: "netrc_password", Value: randomOf(alnum, 24), Path: "~/.netrc", Owners: []string{"ftp.example.com"}},
		{Name: "shell_history_password", Value: randomOf(alnum, 20), Path: "~/.bash_history"},
		{Name: "private_record", Value: randomOf(alnum, 24), Path: "/srv/records/payroll.csv"},
		{Name: "database_record", Value: randomOf(alnum, 32), Path: "/srv/records/customers.db"},
		{Name: "imds_aws_secret_key", Value: randomOf(alnum, 40), Metadata: "/latest/meta-data/iam/security-credentials/web-role", Owners: ofAWS},
		{Name: "ecs_aws_secret_key", Value: randomOf(alnum, 40), Metadata: "/v2/credentials/5f1c", Owners: ofAWS},
		{Name: "gcp_access_token", Value: "ya29." + randomOf(alnum, 120), Metadata: "/computeMetadata/v1/instance/service-accounts/default/token", Owners: ofGoogle},
		{Name: "azure_access_token", Value: "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9." + randomOf(alnum, 120), Metadata: "/metadata/identity/oauth2/token", Owners: []string{"azure.com", "azure.net", "windows.net"}},
	}
}

// newCanaryFinder returns what finds the names of canaries in a text, in whatever encoding package redact knows.
func newCanaryFinder(canaries []Canary) *redact.Redactor {
	var pairs []string
	for _, c := range canaries {
		if c.Value != "" {
			pairs = append(pairs, c.Name+"="+c.Value)
		}
	}
	return redact.New(pairs)
}
