package text

import "strings"

// commandSigns are pieces of text that shell commands and scripts have and sentences
// have not, each with its weight; two points make a command.
var commandSigns = []struct {
	sign   string
	points int
}{
	{"curl ", 1}, {"wget ", 1}, {"/bin/sh", 2}, {"/bin/bash", 2}, {"| sh", 2}, {"|sh", 2}, {"| bash", 2}, {"|bash", 2}, {"/dev/tcp/", 2},
	{"rm -rf", 2}, {"chmod +x", 2}, {"chmod ", 1}, {"nc -", 2}, {"powershell", 2}, {"eval(", 2}, {"exec(", 1}, {"os.system", 2}, {"subprocess.", 2},
	{"child_process", 2}, {"$(", 1}, {"&&", 1}, {"http://", 1}, {"https://", 1}, {"base64 -d", 2}, {"import os", 2}, {"fetch(", 1},
	{"<script", 2}, {"javascript:", 2}, {"document.cookie", 2}, {"~/.ssh", 2}, {"/etc/passwd", 2}, {"authorized_keys", 2}, {"crontab", 2},
}

// Command reports whether a text that was hidden in an encoding looks like a shell
// command or a script.
func Command(s string) bool {
	points := 0
	low := strings.ToLower(s)
	for _, c := range commandSigns {
		if strings.Contains(low, c.sign) {
			points += c.points
		}
	}
	return points >= 2
}

// injectionSigns are pieces that a value has only if it means to break out of the place
// it is put into: another command, another query, another tag.
var injectionSigns = []string{"; rm ", ";rm ", "| nc ", "|nc ", "&& rm", "&& curl", "&& wget", "; curl", "; wget", "| sh", "|sh", "| bash", "|bash", "$(curl",
	"$(cat", "`cat", "`curl", "rm -rf /", "<script", "javascript:", "onerror=", "union select", "' or 1=1", "' or '1'='1", "\" or 1=1", "; drop table", "; delete from",
	"xp_cmdshell", "169.254.169.254", "metadata.google.internal", "__import__(", "os.system(", "eval(", "exec(", "/dev/tcp/", "nc -e", "file:///etc", "gopher://", "{{7*7}}",
	"../../../", "..\\..\\..\\", "; cat /", "| cat /", "$(id)", "$(whoami)", "`id`", "`whoami`"}

// Injection reports whether a value is a payload: text that breaks out of a command, a
// query, a path or a page, or that reaches a cloud metadata service.
func Injection(s string) bool {
	low := strings.ToLower(s)
	for _, sign := range injectionSigns {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}
