package rawjson

import "testing"

func TestWholeNumber(t *testing.T) {
	for _, tt := range []struct{ token, want string }{
		{"7", "7"}, {`"7"`, "7"}, {"7.0", "7"}, {"0.7e1", "7"}, {`"7.0"`, "7"}, {"-1", "-1"}, {"-0", "0"},
		{"7.5", ""}, {`"seven"`, ""}, {`"0x7"`, ""}, {`"7_0"`, ""}, {`"Infinity"`, ""}, {"null", ""}, {`""`, ""}, {"", ""},
		{`" 7"`, "7"}, {`"7 "`, "7"}, {`"7 7"`, ""}, {`" "`, ""}, {"9007199254740992", ""}, {"1e400", ""}, {"[7]", ""},
	} {
		if got, ok := WholeNumber(tt.token); got != tt.want || ok != (tt.want != "") {
			t.Errorf("WholeNumber(%s) = %q, %v, want %q", tt.token, got, ok, tt.want)
		}
	}
}
