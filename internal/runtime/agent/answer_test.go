package agent

import (
	"os/exec"
	"strings"
	"testing"
)

// What an agent says to its user: the file for it comes before what it prints, and more than is kept is said.
func TestAnswer(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, tt := range []struct {
		name, script, want string
		cut                bool
	}{
		{"nothing", `true`, "", false},
		{"what it prints", `echo printed`, "printed\n", false},
		{"what it writes, by the variable", `echo printed; echo written >"$GAUNTLET_ANSWER"`, "written\n", false},
		{"an empty file says nothing", `echo printed; : >"$GAUNTLET_ANSWER"`, "printed\n", false},
		{"more than is kept", `i=0; while [ $i -lt 200 ]; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; i=$((i+1)); done`, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			exit, err := Run(t.Context(), Options{Command: []string{sh, "-c", tt.script}, Environ: []string{"PATH=/usr/bin:/bin"}})
			if err != nil {
				t.Fatal(err)
			}
			if exit.AnswerCut != tt.cut || !tt.cut && exit.Answer != tt.want {
				t.Errorf("%.80q, cut %v; want %q, cut %v", exit.Answer, exit.AnswerCut, tt.want, tt.cut)
			}
		})
	}
	exit, err := Run(t.Context(), Options{Command: []string{sh, "-c", `echo there >"$1"`, "sh", "{answer}"}, Environ: []string{"PATH=/usr/bin:/bin"}})
	if err != nil || strings.TrimSpace(exit.Answer) != "there" {
		t.Errorf("by the placeholder: %q, %v", exit.Answer, err)
	}
}
