package probing

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

var _ = add(Probe{
	ID: "P20", Asks: "whether errors show the inside of the server: frames of its stack", Effect: probe.Reads, HTTP: true, Stdio: true,
	Signal: "error-hygiene", Judge: judgeErrors, Unless: "no request was answered with an error",
})

// frames are how programs write where they were: a function or file, and a line.
var frames = []*lazyregexp.Regexp{
	lazyregexp.New(`\bat (?:[\w.$<>\[\] ]{1,120} \()?(?:file://)?(?:/|[A-Za-z]:\\|node:)[^\s()<>"]{1,300}:[0-9]{1,6}:[0-9]{1,5}`),
	lazyregexp.New(`File \\?"[^"\n\\]{1,200}\\?", line [0-9]{1,6}`),
	lazyregexp.New(`goroutine [0-9]{1,9} \[[a-z ]{1,40}\]:`),
	lazyregexp.New(`\bat [\w.$]{3,200}\([\w$]{1,80}\.(?:java|kt|scala):[0-9]{1,6}\)`),
	lazyregexp.New(`\bin [^\s:<>"]{1,200}\.cs:line [0-9]{1,6}`),
}

// judgeErrors looks for frames in everything that was answered with an error.
func judgeErrors(e *probe.Protocol) Verdict {
	errors := 0
	for i := range e.Exchanges {
		x := &e.Exchanges[i]
		if !isError(x) {
			continue
		}
		errors++
		for _, re := range frames {
			if at := re.FindString(x.Body); at != "" && !strings.Contains(x.Sent, at) {
				v := brokenBy(x, fmt.Sprintf("the error after %s shows where in the program it arose: %s", nameOf(x), excerpt.Quote(at, 160)))
				v.Severity = finding.Low
				return v
			}
		}
	}
	if errors == 0 {
		return Verdict{}
	}
	return held("what was answered with errors holds no frame of a stack")
}

// isError reports whether an answer says that something went wrong.
func isError(x *probe.Exchange) bool {
	if !x.Answered {
		return false
	}
	m := message(x.Body)
	return x.Status >= 400 || m.Get("error").Kind() == rawjson.Object || m.Get("result").Get("isError").Raw() == "true"
}

func nameOf(x *probe.Exchange) string {
	if x.Step == "" {
		return x.ID
	}
	return x.ID + " (" + x.Step + ")"
}

// reportLeaks reports planted secrets in errors of tools, and else the frames of a stack in any error.
func reportLeaks(p *check.Pass) {
	reportProved("SEC-020")(p)
	e := p.Probes.Protocol
	if e == nil {
		return
	}
	p.Looked(len(e.Exchanges))
	if v := judgeErrors(e); v.State == Broken {
		reportProtocol(p, "SEC-020", v.Text, v.Severity, v.By)
	}
}
