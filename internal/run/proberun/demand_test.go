package proberun

import (
	"slices"
	"testing"
)

func TestReadDemand(t *testing.T) {
	for _, tt := range []struct {
		name, stderr string
		have, want   []string
	}{
		{"one variable", "ERROR APIFY_TOKEN is required but not set in the environment variables\n", nil, []string{"APIFY_TOKEN"}},
		{"a list", "Missing required environment variables:\n  - JIRA_BASE_URL\n  - JIRA_EMAIL\n  - JIRA_API_TOKEN\n", nil, []string{"JIRA_BASE_URL", "JIRA_EMAIL", "JIRA_API_TOKEN"}},
		{"what it has is not asked for again", "Error: API_KEY and API_SECRET must be set\n", []string{"API_KEY=x"}, []string{"API_SECRET"}},
		{"an option", "error: required option '--api-token <token>' not specified\n", nil, []string{"--api-token"}},
		{"a crash asks for nothing", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'\n    at MY_MODULE_LOADER (a.js)\n", nil, nil},
		{"a constant in a story asks for nothing", "listening, MAX_CONNECTIONS 10\n", nil, nil},
		{"nothing was said", "", nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := readDemand(tt.stderr, tt.have, "/srv/project")
			if got := d.names(); !slices.Equal(got, tt.want) {
				t.Errorf("it asks for %q, want %q", got, tt.want)
			}
		})
	}
}

// The kind of a value follows from the name.
func TestMadeUp(t *testing.T) {
	for name, want := range map[string]string{
		"JIRA_BASE_URL": "https://api.service.test", "WORKSPACE_DIR": "/srv/project", "SMTP_PORT": "8443", "AWS_REGION": "us-east-1", "HOST-NAME": "api.service.test", "ENDPOINT": "https://api.service.test", "USER_EMAIL": "ada@service.test", "PATH": "/srv/project", "DATABASE_FILE": "/srv/project/notes.txt",
	} {
		if got := MadeUp(name, "/srv/project"); got != want {
			t.Errorf("%s got %q, want %q", name, got, want)
		}
	}
	if a, b := MadeUp("API_KEY", ""), MadeUp("API_KEY", ""); len(a) < 20 || a == b {
		t.Errorf("two keys: %q, %q", a, b)
	}
}

// FuzzReadDemand: what is asked for is bounded, and never what the server has.
func FuzzReadDemand(f *testing.F) {
	f.Add("Missing required environment variables: A_B, C_D\n--api-key is required")
	f.Fuzz(func(t *testing.T, text string) {
		d := readDemand(text, []string{"A_B=1"}, "/srv")
		if len(d.env) > mostDemanded || len(d.args) > 2*mostDemanded || slices.Contains(d.names(), "A_B") {
			t.Fatalf("%q asked for %q", text, d.names())
		}
	})
}
