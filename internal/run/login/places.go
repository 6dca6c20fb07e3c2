package login

import (
	"cmp"
	"path/filepath"
	"runtime"
)

// UsualPlace returns the default place of logins: the file if the user names one, or if the keyring is a desktop service that is
// not running and must not be started for us.
func UsualPlace(getenv func(string) string) Place {
	desktop := runtime.GOOS != "darwin" && runtime.GOOS != "windows"
	if getenv("GAUNTLET_LOGINS") != "" || desktop && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return File
	}
	return Automatic
}

// FileName returns the file of logins: GAUNTLET_LOGINS, or one in the configuration folder; or "".
func FileName(getenv func(string) string) string {
	if named := getenv("GAUNTLET_LOGINS"); named != "" {
		return named
	}
	home := getenv("HOME")
	folder := cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	if home == "" && getenv("XDG_CONFIG_HOME") == "" && getenv("APPDATA") == "" {
		return "" // not in the current directory, which may be anybody's
	}
	switch runtime.GOOS {
	case "darwin":
		folder = filepath.Join(home, "Library", "Application Support")
	case "windows":
		folder = getenv("APPDATA")
	}
	return filepath.Join(folder, "gauntlet", "logins.json")
}
