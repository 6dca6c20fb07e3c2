// Package archtest holds the tests of the project's structure: who may import whom and what a
// package may touch (the table in layers_test.go, the rules in rules_test.go), that the pages name
// what exists, and that the promises and threats of the documents name tests that exist.
// docs/architecture.md explains the table.
//
// The tests read the source files itself. A test that shells out to "go list" would be
// cached by the go command and stay green after a bad import was added.
package archtest
