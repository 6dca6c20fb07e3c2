package agent

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
)

// checkPrompt rejects a prompt that would be interpreted. It may come from a stranger's document, and must not become an option of
// the command (python3 {prompt} would run what follows "-c"), the program itself, or part of a script.
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

// namesScript reports whether an interpreter would run the word after these: only options, and "run" of deno and bun, precede it.
// An option's value (node -r hook.js) counts as a script, so that no honest command is rejected.
func namesScript(before []string) bool {
	return !slices.ContainsFunc(before, func(word string) bool { return !strings.HasPrefix(word, "-") && word != "run" })
}

var (
	// interprets matches programs that run a script from their command line, with version suffixes.
	interprets = lazyregexp.New(`^(?:sh|bash|dash|zsh|ksh|fish|python|node|deno|bun|ruby|perl|php|pwsh|powershell|cmd)[\d.]*(?:\.exe)?$`)
	// takesScript matches options that a script follows: -c, -lc, -e, --eval, /c.
	takesScript = lazyregexp.New(`^(?:-[a-z]*[cep]|--eval|--print|-command|-encodedcommand|/[ck]|eval)$`)
)
