package secret

import _ "embed"

//go:generate go run gen.go

// The rules are gitleaks' own file, byte for byte. Importing its config package instead would link 22 modules (viper, zerolog, …),
// adding 3 MB to the binary and 3 ms to every start, for one string. TestRulesAreGitleaks compares the copy with the module if
// available, and with gitleaksSum everywhere.
const (
	gitleaksModule = "github.com/zricethezav/gitleaks/v8@v8.30.1"
	gitleaksSum    = "e163e53b9e7e8a8511e77271e2b323ed057759542a6d988258afe3a1fa329caf" // SHA-256 of data/gitleaks.toml
)

//go:embed data/gitleaks.toml
var gitleaksTOML []byte

//go:embed data/own.toml
var ownTOML []byte
