package faults

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table in docs/attack-tests.md")

// The documentation says what there is, with every ceiling.
func TestDoc(t *testing.T) {
	const begin, end = "<!-- kinds -->\n", "<!-- /kinds -->"
	path := filepath.Join("..", "..", "..", "docs", "attack-tests.md")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	var b strings.Builder
	b.WriteString("| `do` | what it does | parameters: default; what is allowed |\n|---|---|---|\n")
	for _, k := range Kinds() {
		var parts []string
		for _, p := range k.Params {
			parts = append(parts, fmt.Sprintf("`%s`, %s: `%s`; %s", p.Name, p.Says, p.Show(p.Default), p.Limit()))
		}
		says := k.Says
		switch {
		case k.HTTP:
			says += " (HTTP only)"
		case k.Answers:
			says += " (answers only)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, says, strings.Join(parts, "<br>"))
	}
	if got == b.String() {
		return
	}
	t.Error("docs/attack-tests.md does not have the table of hostilities; -update writes it")
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
