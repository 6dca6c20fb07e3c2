package discover

import (
	"os"
	"runtime"
	"testing"
)

func TestThisHost(t *testing.T) {
	home, other := "HOME", "USERPROFILE"
	if runtime.GOOS == "windows" {
		home, other = other, home
	}
	vars := map[string]string{home: "/home/ada", other: "/home/other"}
	h := ThisHost(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if h.Home != "/home/ada" || h.Cwd != dir || h.OS != runtime.GOOS || h.FS == nil {
		t.Errorf("%+v, want the home of the user and the directory %s", h, dir)
	}
	if v, ok := h.Env(other); v != "/home/other" || !ok {
		t.Errorf("variable %s = %q, %v", other, v, ok)
	}
}
