package login

import (
	"cmp"
	"path/filepath"
	"runtime"
)

// UsualPlace is where logins are kept unless the user says where: in a file that the user names, and on
// a system whose keyring is a service of the desktop, which must not be started for us, where none
// runs.
func UsualPlace(getenv func(string) string) Place {
	desktop := runtime.GOOS != "darwin" && runtime.GOOS != "windows"
	if getenv("GAUNTLET_LOGINS") != "" || desktop && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return File
	}
	return Automatic
}

// FileName is the file that logins are kept in: GAUNTLET_LOGINS, or one in the folder for configurations; "" where there is none.
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
