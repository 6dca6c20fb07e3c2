package fleetcli

import (
	"fmt"
	"os"

	"gauntlet/internal/leaf/lazyregexp"
)

var notInID = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// chooseID is a name that no other worker has, as long as hosts have names of their own.
func (w *workerCommand) chooseID() string {
	id := w.id
	if id == "" {
		host, _ := os.Hostname() // for people alone
		id = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	return notInID.ReplaceAllString(id, "-")
}
