//go:build !linux

package wire

// ProtectProcess does nothing: see its documentation for Linux.
func ProtectProcess() error { return nil }

// WhileReadable runs start: see its documentation for Linux.
func WhileReadable(start func() error) error { return start() }
