package secret

import (
	"strings"
	"testing"
)

const prose = `Lists the open issues of a repository, newest first. Use this tool when the user asks what is left to do. Returns at most 100 issues with title, author and labels; a further page is fetched with the number in "next". `

const credentials = `Args:
  api_key: API key of the service (required), see the settings page
  token: access token, read from the environment variable if not given; a secret, never logged
  password (string): the user's password. page_token: token of the next page, see https://docs.example.com/auth?v=2
`

func BenchmarkFind(b *testing.B) {
	all := func() string { // every keyword of every rule, close together
		var s strings.Builder
		for _, r := range load().rules {
			for _, k := range r.Keywords {
				s.WriteString(k + " ")
			}
		}
		return s.String()
	}
	for _, bb := range []struct{ name, piece string }{
		{"prose", prose},
		{"credentials", credentials},
		{"keywords", all()},
		{"labels", "key=a1b2 secret:9z token=>7 password is x1y2z3 api_key = 12ab45cd67ef89 "},
		{"placeholders", "api_key = Q3m7vT8xLpZ2nRk7WbY5dHc9JfGs4AeU_example "},
		{"one run", "key=a1b2ghp_eyJaXsk-://@"},
		{"pem", "-----BEGIN PRIVATE KEY-----"},
		{"curl", "curl -H -u "},
	} {
		for _, size := range []int{1 << 10, 1 << 20} {
			in := strings.Repeat(bb.piece, size/len(bb.piece)+1)[:size]
			name := bb.name + "/1KB"
			if size == 1<<20 {
				name = bb.name + "/1MB"
			}
			b.Run(name, func(b *testing.B) {
				Find(in) // compiles what it needs
				b.SetBytes(int64(len(in)))
				b.ReportAllocs()
				for b.Loop() {
					Find(in)
				}
			})
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := parseRules(gitleaksTOML, ownTOML); err != nil {
			b.Fatal(err)
		}
	}
}
