package attackdoc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gauntlet/internal/engine/fromscan"
	"gauntlet/internal/run/userfile"
	"gauntlet/oatf"
)

// WriteDrafts writes each document to its own new file.
func WriteDrafts(dir string, drafts []fromscan.Draft, say func(format string, args ...any)) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", dir, userfile.Reason(err))
	}
	for _, d := range drafts {
		name := filepath.Join(dir, d.Name)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("%s: %w", name, userfile.Reason(err))
		}
		_, err = io.WriteString(f, oatf.Serialize(d.Document))
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, userfile.Reason(err))
		}
		say("wrote %s: %s", name, d.Document.Attack.Name)
	}
	return nil
}
