package callgraph

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	table, err := ParseTable(`
# a comment
open               file      path=0 mode=1|mode
requests.*         net_egress
requests.exceptions.*  pure
db.**.execute      sql       text=0
db.**              pure
os.path.*          pure
os.*               fs_read
api/v*/x.Client().*.*  net_egress
fs.stat            fs_read?
.read_text         fs_read
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{"open", "open"},
		{"opens", ""},
		{"requests.get", "requests.*"},
		{"requests.get().json", ""},
		{"requests.exceptions.Timeout", "requests.exceptions.*"},
		{"db.connect().cursor().execute", "db.**.execute"},
		{"db().execute", "db.**.execute"},
		{"db.connect().cursor().close", "db.**"},
		{"db", "db.**"},
		{"db2.connect", ""},
		{"os.path.join", "os.path.*"},
		{"os.listdir", "os.*"},
		{"api/v79/x.Client().Issues.Get", "api/v*/x.Client().*.*"},
		{"api/v79/x.Client().Issues", ""},
		{".read_text", ".read_text"},
		{"", ""},
	} {
		got := ""
		if r := table.findRow(tt.name); r != nil {
			got = r.pattern
		}
		if got != tt.want {
			t.Errorf("find(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
	if r := table.findRow("fs.stat"); !r.weak || len(r.tags) != 1 {
		t.Errorf("a ? makes a row weak: got %+v", r)
	}
}

func TestBadRows(t *testing.T) {
	for _, tt := range []struct{ row, want string }{
		{"open", "want a name and what it does"},
		{"open fs_red", "neither a kind of row nor tags"},
		{"open file mode", "want role=position"},
		{"open pure\nopen file", "line 2: open has two rows"},
	} {
		if _, err := ParseTable(tt.row); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ParseTable(%q) = %v, want %q", tt.row, err, tt.want)
		}
	}
}

func TestVerbOf(t *testing.T) {
	for _, tt := range []struct{ sql, want string }{
		{"select 1", "SELECT"},
		{"  \n-- why\n/* because */ (DELETE from t)", "DELETE"},
		{"WITH x AS (SELECT 1) SELECT * FROM x", "WITH"},
		{"with gone as (delete from t returning *) select * from gone", "INSERT"},
		{"", ""},
		{"/* never closed", ""},
		{"42", ""},
	} {
		if got := verbOf(tt.sql); got != tt.want {
			t.Errorf("verbOf(%q) = %q, want %q", tt.sql, got, tt.want)
		}
	}
}

func TestSecretPath(t *testing.T) {
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"/home/me/.ssh/id_rsa", true}, {"~/.aws/credentials", true}, {".env", true}, {"conf/.env.local", true}, {"/etc/shadow", true}, {"server.pem", true},
		{"notes.txt", false}, {"environment.md", false}, {"my.env.txt", false}, {"shadow.go", false}, {"ssh/readme", false},
	} {
		if got := secretPath.MatchString(tt.path); got != tt.want {
			t.Errorf("%q is a secret's file: %v, want %v", tt.path, got, tt.want)
		}
	}
}

func TestSensitive(t *testing.T) {
	for _, tt := range []struct {
		key  string
		want bool
	}{
		{"SERVICE_API_KEY", true}, {"github_token", true}, {"DB_PASSWORD", true}, {"AWS_SECRET_ACCESS_KEY", true},
		{"HOME", false}, {"KEYBOARD", false}, {"LOG_LEVEL", false}, {"TOKENIZER", false},
	} {
		if got := isSensitiveKey(tt.key); got != tt.want {
			t.Errorf("sensitive(%q) = %v, want %v", tt.key, got, tt.want)
		}
	}
}
