package config

import (
	"testing"
)

// A hook is one by its setting or its file, and a variable that a workflow fills with a secret is read as the secret.
func TestHooksAndSecretsOfWorkflows(t *testing.T) {
	for _, tt := range []struct {
		path, way string
		want      bool
	}{
		{"a/.kiro/hooks/on-save.kiro.hook", "then/command", true}, {"a/.claude/settings.json", "hooks/stop/hooks/command", true},
		{"a/package.json", "scripts/test/command", false}, {"a/hooks/tasks.json", "tasks/command", false},
	} {
		if f := (&File{Path: tt.path}); f.hooks(tt.way) != tt.want {
			t.Errorf("%s %s: %t", tt.path, tt.way, !tt.want)
		}
	}
	f := &File{Settings: []Setting{{Keys: []string{"jobs", "a", "env", "K"}, Value: NewValue("${{ secrets.K }}", Place{})}, {Keys: []string{"env", "REGION"}, Value: NewValue("eu", Place{})}}}
	for command, want := range map[string]string{
		`curl -d "$K" x`: `curl -d "${{ secrets.K }}" x`, `curl -d "${K}" x`: `curl -d "${{ secrets.K }}" x`, `echo $REGION`: `echo $REGION`,
	} {
		if got := f.withSecrets(command); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
