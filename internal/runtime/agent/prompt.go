package agent

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// checkPrompt refuses a prompt that would not stay one. It may come from a stranger's document:
// in its place it must not become an option of the command (python3 {prompt} would run what
// follows "-c"), the program itself, or a part of a script.
func checkPrompt(command []string, prompt string) error {
	const instead = `or have the agent read the variable ` + EnvPrompt
	if strings.Contains(command[0], placePrompt) {
		return errors.New("{prompt} stands for the program: it is what the document says, " + instead)
	}
	script := interprets.MatchString(strings.ToLower(filepath.Base(command[0])))
	for i, word := range command[1:] {
		switch before := command[i]; {
		case !strings.Contains(word, placePrompt):
		case script && takesScript.MatchString(before):
			return errors.New("{prompt} stands in a script, whose code it could become: hand it over as an argument behind the script, " + instead)
		case script && namesScript(command[1:i+1]):
			return errors.New("{prompt} stands where " + filepath.Base(command[0]) + " takes the file or module that it runs: put the script before {prompt}, " + instead)
		case strings.HasPrefix(word, placePrompt) && strings.HasPrefix(prompt, "-") && !slices.Contains(command[1:i+1], "--"):
			return errors.New("the prompt begins with - and would be an option of the agent's command: put -- before {prompt}, write it as --option={prompt}, " + instead)
		}
	}
	return nil
}

// namesScript reports whether an interpreter takes the word behind these for what it runs: there is
// none before it but options and "run" of deno and bun. The value of an option (node -r hook.js)
// passes for a script, so that no honest command is refused.
func namesScript(before []string) bool {
	return !slices.ContainsFunc(before, func(word string) bool { return !strings.HasPrefix(word, "-") && word != "run" })
}

var (
	// interprets are programs that run a script of their command line, with their versions.
	interprets = regexp.MustCompile(`^(?:sh|bash|dash|zsh|ksh|fish|python|node|deno|bun|ruby|perl|php|pwsh|powershell|cmd)[\d.]*(?:\.exe)?$`)
	// takesScript are the options that a script follows: -c, -lc, -e, --eval, /c.
	takesScript = regexp.MustCompile(`^(?:-[a-z]*[cep]|--eval|--print|-command|-encodedcommand|/[ck]|eval)$`)
)
