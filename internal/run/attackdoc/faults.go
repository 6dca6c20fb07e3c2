package attackdoc

import (
	"fmt"
	"io"
	"slices"

	"gauntlet/internal/leaf/faults"
)

// WriteFaults lists the named faults, or all.
func WriteFaults(w io.Writer, names []string) error {
	for _, k := range faults.Kinds() {
		if len(names) > 0 && !slices.Contains(names, k.Name) {
			continue
		}
		says := k.Says
		switch {
		case k.HTTP:
			says += " (HTTP only)"
		case k.Answers:
			says += " (answers only)"
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", k.Name, says); err != nil {
			return err
		}
		for _, p := range k.Params {
			if _, err := fmt.Fprintf(w, "  %s (%s): %s; %s\n", p.Name, p.Show(p.Default), p.Says, p.Limit()); err != nil {
				return err
			}
		}
	}
	return nil
}
