package classify

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"gauntlet/capability"
)

//go:embed rules.txt
var rulesText string

// A circumstance is something that is so where an act stands, or of the whole server.
type circumstance uint32

const (
	remote circumstance = 1 << iota
	db
	clouddb
	browser
	git
	fsServer
	local
	inName
	inText
	provision // manages what holds a database, not what it holds
	store     // exists to remember things between calls
	ssh       // works on other hosts over SSH
	secrets   // of a vault of secrets
	last      // the object ends the name
	first     // the object begins the name
	alert     // speaks of the sort of secret that is none: token counts, scanning alerts
)

var circumstances = map[string]circumstance{
	"remote": remote, "db": db, "clouddb": clouddb, "browser": browser, "git": git, "fs": fsServer,
	"local": local, "name": inName, "text": inText, "alert": alert, "provision": provision, "ssh": ssh, "store": store, "last": last, "first": first, "secrets": secrets,
}

// A rule says what an act on an object means.
type rule struct {
	tag     capability.Tag
	weight  int
	acts    classes
	objects classes
	none    bool // also a name without an act
	want    circumstance
	refuse  circumstance
}

var rules = mustParseRules(rulesText)

func mustParseRules(data string) []rule {
	rs, err := parseRules(data)
	if err != nil {
		panic("classify: rules.txt: " + err.Error())
	}
	return rs
}

func parseRules(data string) ([]rule, error) {
	var out []rule
	n := 0
	for line := range strings.Lines(data) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		r, err := parseRule(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func parseRule(line string) (r rule, err error) {
	head, body, ok := strings.Cut(line, ":")
	tag, weight, _ := strings.Cut(strings.TrimSpace(head), " ")
	fields := strings.Fields(body)
	if !ok || len(fields) < 3 || fields[1] != "x" {
		return r, fmt.Errorf("%q is not of the form tag weight : acts x objects guards", line)
	}
	if r.tag, err = capability.ParseTag(tag); err != nil {
		return r, err
	}
	if r.weight, err = strconv.Atoi(weight); err != nil {
		return r, err
	}
	for act := range strings.SplitSeq(fields[0], "|") {
		if act == "none" {
			r.none = true
			continue
		}
		r.acts = r.acts.with(lex.classSet(act))
	}
	r.objects = lex.classSet(strings.Split(fields[2], "|")...)
	for _, g := range fields[3:] {
		c, ok := circumstances[g[1:]]
		switch {
		case ok && g[0] == '+':
			r.want |= c
		case ok && g[0] == '-':
			r.refuse |= c
		default:
			return r, fmt.Errorf("guard %q", g)
		}
	}
	return r, nil
}

var (
	actClasses    = lex.classSet("read", "search", "write", "destroy", "copy", "run", "build", "send", "fetch", "navigate", "listen", "connect", "generate", "plain", "render", "manage", "upload", "download", "renew", "reveal", "fileread", "open", "capture", "clone", "webget", "pull", "scaffold", "convert", "halt", "docact", "install")
	objectClasses = lex.classSet("file", "fileweak", "code", "interp", "app", "appbuild", "container", "process", "expr", "template", "templatelang", "db", "dbweak", "sqltext", "dbread",
		"url", "web", "host", "live", "saas", "saasweak", "msg", "querytext", "kvstore", "guidance", "httpreq", "chart", "memstore", "registry", "vaultitem", "chain", "repo", "image", "llm", "localport", "secret", "secretweak", "secretalert", "browser", "js", "git", "brand", "clouddb", "dbengine", "livesoft", "attackmod", "docs", "ownstate", "pkg", "tunnel", "dmltext")
	negationWords = lex.classSet("neg")
)
