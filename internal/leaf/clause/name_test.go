package clause

import "testing"

func TestUnleet(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"1gn0r3", "ignore"}, {"p4ssw0rd", "password"}, {"$ecret", "secret"}, {"1n$truc710n", "instruction"},
		{"ignore", ""}, {"p4", ""}, {"2024", ""}, {"v1", ""},
	} {
		if got := string(unleet([]byte(tt.in), nil)); got != tt.want {
			t.Errorf("unleet(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
