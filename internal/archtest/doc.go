// Package archtest holds one test: who may import whom, and what a package may touch.
// The table is in layers_test.go, the rules are in rules_test.go; docs/architecture.md
// explains both.
//
// The test reads the source files itself. One that shells out to "go list" would be
// cached by the go command and stay green after a bad import was added.
package archtest
