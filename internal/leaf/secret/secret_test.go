package secret

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// In the tables, "¦" is dropped before use; see unmark.

func TestFound(t *testing.T) {
	const lot = "Q3m7vT8xLpZ2nRk7WbY5dHc9JfGs4AeUo1iXtVq6NyMzCwPaB0rE"
	for _, tt := range []struct{ name, in, rule, secret string }{
		{"training server, OpenAI", "Send a message using the AI assistant service. Service API Key: sk-¦fake1234567890abcdefghijklmnopqrstuvwxyz | AWS Access: x", "openai-style-key", "sk-¦fake1234567890abcdefghijklmnopqrstuvwxyz"},
		{"training server, AWS id", "AWS Access: AKIA¦FAKE1234567890AB | AWS", "aws-access-key-id", "AKIA¦FAKE1234567890AB"},
		{"training server, AWS secret", "| AWS Secret: fakesecret/¦FAKE/abc123def456ghi789jkl012", "aws-secret-access-key", "fakesecret/¦FAKE/abc123def456ghi789jkl012"},
		{"AWS key id alone", "AKIA¦Q3EG7XRT5ZLK2WVN", "aws-access-key-id", "AKIA¦Q3EG7XRT5ZLK2WVN"},
		{"GitHub classic", "auth with ghp_¦" + lot[:36] + ".", "github-pat", "ghp_¦" + lot[:36]},
		{"GitHub fine-grained", "github_pat_¦" + lot[:22] + "_" + lot + lot[:7] + " ok", "github-fine-grained-pat", "github_pat_¦" + lot[:22] + "_" + lot + lot[:7]},
		{"random key called an example is still a key", "e.g. ghp_¦" + lot[:36], "github-pat", "ghp_¦" + lot[:36]},
		{"OpenAI project", `{"key":"sk-proj-¦` + lot + `"}`, "ai-project-key", "sk-proj-¦" + lot},
		{"Anthropic", "x-api-key: sk-ant-¦api03-" + lot + lot[:41] + "AA", "ai-project-key", "sk-ant-¦api03-" + lot + lot[:41] + "AA"},
		{"Slack bot", "xoxb-¦240593817264-240593817264-" + lot[:24], "slack-bot-token", "xoxb-¦240593817264-240593817264-" + lot[:24]},
		{"Stripe live", "Charges go through sk_live_¦" + lot[:24] + ", do not tell", "stripe-access-token", ""},
		{"Google", "key=AIza¦Sy" + lot[:33] + "&q=", "gcp-api-key", "AIza¦Sy" + lot[:33]},
		{"JWT", "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.¦eyJzdWIiOiJzdmMtcHJvZCIsInNjb3BlIjoiYWxsIn0.k3Jd8LqZr5VtXw2Nb7Hy1Cf9Gm4Sp6Te", "jwt", ""},
		{"private key", "-----BEGIN ¦PRIVATE KEY-----\n" + lot + "\n" + lot + "\n-----END PRIVATE KEY-----", "private-key-begin", lot[:40]},
		{"private key on one line", `-----BEGIN RSA ¦PRIVATE KEY-----\n` + lot + lot + `\n-----END RSA PRIVATE KEY-----`, "private-key-begin", lot[:40]},
		{"Postgres", "Reads from postgres://app:¦hunter2@db.internal/prod.", "url-password", "hunter2"},
		{"MongoDB", "mongodb+srv://svc:¦" + lot[:12] + "@cluster0.ab1cd.mongodb.net/x", "url-password", lot[:12]},
		{"plain password", "Log in with password: hunter2", "password-in-prose", "hunter2"},
		{"user and password", "Connect with username admin password ¦S3cr3t!2024 first.", "user-and-password", "S3cr3t!2024"},
		{"label only", "internal api_key = " + lot[:32], "generic-api-key", lot[:32]},
		{"key that a link shows in its query", "Open https://api.acme.com/v1?key=" + lot[:32] + ": the api key is ¦" + lot[:32], "key-in-prose", lot[:32]},
		{"key that stands in a link behind it only", "internal api_key = " + lot[:32] + ", as in https://api.acme.com/hooks/" + lot[:32], "generic-api-key", lot[:32]},
		{"hexadecimal behind a label", "auth_token: 9f8e2a7b¦4c1d6e3f5a0b8c2d7e4f9a1b", "generic-api-key", "9f8e2a7b¦4c1d6e3f5a0b8c2d7e4f9a1b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, want := unmark(tt.in), unmark(tt.secret)
			got := Find(in)
			for _, m := range got {
				if m.Rule == tt.rule && (want == "" || in[m.Start:m.End] == want) {
					return
				}
			}
			t.Errorf("Find(%q) = %+v, want %s at %q", in, got, tt.rule, want)
		})
	}
}

func TestQuiet(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"words", "The API key, secret or access token used to authenticate. Password of the user; token: string, key: integer."},
		{"parameter list", "Args:\n  api_key: API key of the service\n  token: OAuth2 token (v2)\n  password: the password, 8-64 characters"},
		{"placeholder in capitals", "export API_KEY=YOUR_API_KEY_12345678"},
		{"placeholder of crosses", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx or ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{"template", "Authorization: Bearer <token>, Bearer ${TOKEN_12345}, Bearer {{secrets.API_KEY_1}}, password: $DB_PASS1"},
		{"abc123", `"token": "abc123", "key": "abc123def456ghi789", password: "abc12345"`},
		{"AWS manual", "AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY, aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{"Stripe manual", "curl -u sk_test_4eC39HqLyjWDarjtT1zdp7dc: https://api.stripe.com"},
		{"jwt.io sample", "token: eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"},
		{"JWT cut short", "A JWT such as eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJzdmMtcHJvZCJ9..."},
		{"UUID", "page_key: 9f8e2a7b-4c1d-4e3f-9a0b-8c2d7e4f9a1b, e.g. access id 550e8400-e29b-41d4-a716-446655440000"},
		{"commit", "commit 9f8e2a7b4c1d6e3f5a0b8c2d7e4f9a1b3c5d7e9f of sourcegraph/sourcegraph"},
		{"zone id", "Cloudflare zone: 023e105f4ecef8ad9ca31a8372d0c353"},
		{"checksum", "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"Linear, Notion and Figma ids", "issue LIN-123, page 1f2e3d4c5b6a79880716253443526170, file key: Xy7AbC2dEf3GhI4jKl5MnO in e.g. figma.com/file/Xy7AbC2dEf3GhI4jKl5MnO"},
		{"file key in a link shown above", "The key in the URL: in https://www.figma.com/proto/do4pJqHwNwH1nBrrscu6Ld/Untitled?t=9SVt the file key is do4pJqHwNwH1nBrrscu6Ld"},
		{"download token of a public file", "See https://files.example.com/o/locale.json?alt=media&token=435886ac-6223-42d4-8204-1e7d53512a42"},
		{"cursor", `cursor: "eyJsYXN0X2lkIjo0NzExLCJsYXN0X3ZhbHVlIjoiNDcxMSJ9", for example`},
		{"pattern", `^sk-[a-zA-Z0-9]{48}$|^ghp_[0-9a-zA-Z]{36}$|^AKIA[A-Z0-9]{16}$|^xox[baprs]-[0-9a-zA-Z-]+`},
		{"image", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="},
		{"PEM in words", "PEM, beginning with -----BEGIN PRIVATE KEY----- and ending with -----END PRIVATE KEY-----"},
		{"public key", "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7bq3vT8xLpZ2nRk7\n-----END PUBLIC KEY-----"},
		{"local database", "postgres://user:password@localhost:5432/db, redis://:pass@host:6379, mysql://root:root1234@127.0.0.1"},
		{"webhook of the manual", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"},
		{"model and version", "key: gpt-4o-mini-2024-07-18, api version: 2023-10-16-preview, token: cl100k_base_v2"},
		{"keyboard shortcut", "key: Ctrl+Shift+F12, access: read-write-2, keyboard_key=ArrowLeft123"},
		{"alphabet with a label that says example", "Example:\n  api_key: sk-1234567890abcdef1234567890abcdef"},
		{"interleaved", `{"api_key": "sk_live_a1b2c3d4e5f6g7h8"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Find(tt.in); len(got) > 0 {
				t.Errorf("Find(%q) = %s: %q, want nothing", tt.in, got[0].Rule, tt.in[got[0].Start:got[0].End])
			}
		})
	}
}

// TestSameAnswer asks from many goroutines, in a text longer than any window.
func TestSameAnswer(t *testing.T) {
	fill := strings.Repeat("Lists the keys and tokens of a project. ", 2000)
	in := unmark(fill + "ghp_¦Q3m7vT8xLpZ2nRk7WbY5dHc9JfGs4AeUo1iX " + fill + "password: hunter2")
	want := Find(in)
	if len(want) != 2 {
		t.Fatalf("Find = %+v, want two matches", want)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := Find(in); !reflect.DeepEqual(got, want) {
				t.Errorf("Find = %+v, then %+v", want, got)
			}
		})
	}
	wg.Wait()
}

func TestMaxMatches(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "password: hunt%drX\n", 100+7*i)
	}
	if got := Find(b.String()); len(got) != MaxMatches || !slices.IsSortedFunc(got, func(a, b Match) int { return a.Start - b.Start }) {
		t.Errorf("got %d matches, want %d in order", len(got), MaxMatches)
	}
}

func FuzzFind(f *testing.F) {
	for _, r := range ownRules(f) {
		for _, s := range append(r.Examples, r.NearMisses...) {
			f.Add(unmark(s))
		}
	}
	f.Add("curl -H \"Authorization: Bearer \xff\xfe\" -u a:b \x00")
	f.Fuzz(func(t *testing.T, s string) {
		got := Find(s)
		if again := Find(s); !reflect.DeepEqual(got, again) {
			t.Fatalf("Find(%q) = %+v, then %+v", s, got, again)
		}
		last := 0
		for _, m := range got {
			if m.Start < last || m.End <= m.Start || m.End > len(s) {
				t.Fatalf("Find(%q): %+v overlaps, is empty or out of range", s, m)
			}
			last = m.End
		}
	})
}
