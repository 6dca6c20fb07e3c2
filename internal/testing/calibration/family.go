package calibration

import (
	"cmp"
	"slices"
	"strings"
)

// Families gives every case without a family one: servers whose names differ only in a
// number at the end, or of which the smaller shares half its tool names with the larger,
// are one family. The name of a family is that of its first server.
func Families(cases []Case) {
	root := make([]int, len(cases))
	for i := range root {
		root[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	for i := range cases {
		for j := range i {
			if areRelated(cases[i].Truth, cases[j].Truth) {
				a, b := find(i), find(j)
				root[max(a, b)] = min(a, b)
			}
		}
	}
	for i := range cases {
		if cases[i].Family = cases[i].Truth.Family; cases[i].Family == "" {
			cases[i].Family = cases[find(i)].Truth.Server
		}
	}
}

func areRelated(a, b *Truth) bool {
	if a.Family != "" || b.Family != "" {
		return a.Family == b.Family
	}
	if trimNumber(a.Server) == trimNumber(b.Server) {
		return true
	}
	if len(a.Tools) > len(b.Tools) {
		a, b = b, a
	}
	shared := 0
	for name := range a.Tools {
		if _, ok := b.Tools[name]; ok {
			shared++
		}
	}
	return shared > 0 && 2*shared >= len(a.Tools)
}

func trimNumber(name string) string { return strings.TrimRight(name, "0123456789") }

// Split deals families out to n folds of about equally many tools and returns the indices
// of the cases of each. A family is never divided.
func Split(cases []Case, n int) [][]int {
	members := map[string][]int{}
	tools := map[string]int{}
	var names []string
	for i := range cases {
		f := cases[i].Family
		if members[f] == nil {
			names = append(names, f)
		}
		members[f] = append(members[f], i)
		tools[f] += len(cases[i].Truth.Tools)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(tools[b], tools[a]), strings.Compare(a, b)) })
	out, load := make([][]int, min(n, len(names))), make([]int, min(n, len(names)))
	for _, f := range names {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		out[least] = append(out[least], members[f]...)
		load[least] += tools[f]
	}
	for _, fold := range out {
		slices.Sort(fold)
	}
	return out
}
