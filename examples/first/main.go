// Command first scans a file with gauntlet as a library, prints the report, and exits as gauntlet scan does.
package main

import (
	"io"
	"log"
	"os"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/report"
	"gauntlet/scan"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: first FILE.json")
	}
	code, err := scanFile(os.Args[1], os.Stdout)
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	os.Exit(code)
}

// scanFile writes the report on the servers in a file and returns the exit code.
func scanFile(name string, w io.Writer) (int, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	c, err := catalog.Parse(name, string(text), catalog.Limits{})
	if err != nil {
		return 0, err // nothing could be read
	}
	r := scan.Run(c, scan.Options{})
	r.MergeCauses() // one finding for one cause, as gauntlet shows it
	pretty, err := report.Formats().Lookup("pretty")
	if err != nil {
		return 0, err
	}
	return r.ExitCode(finding.High, false), pretty.Write(w, r, report.Options{})
}
