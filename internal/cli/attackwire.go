package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	tampering "gauntlet/internal/hostile"
)

func (a *app) attackWireCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "wire [NAME...]",
		Short: "List what documents can do to messages on their way",
		Long: `wire lists the hostilities that a document can do below the level of messages, by
x-gauntlet-wire on a phase of a server, with their parameters: the default of each, and
what is allowed. The largest number is its ceiling. Whatever is under way ends with the
client and with --timeout.`,
		Example: `  gauntlet attack wire
  gauntlet attack wire drip flood`,
		ValidArgs: tampering.Names(),
		RunE: func(cmd *cobra.Command, names []string) error {
			for _, n := range names {
				if !slices.Contains(tampering.Names(), n) {
					return usage(cmd, "%q: want one of %s", n, strings.Join(tampering.Names(), ", "))
				}
			}
			return a.writeTo("-", func(w io.Writer) error { return writeHostilities(w, names) })
		},
	}
}

// writeHostilities lists the hostilities of these names, all without names.
func writeHostilities(w io.Writer, names []string) error {
	for _, k := range tampering.Kinds() {
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
