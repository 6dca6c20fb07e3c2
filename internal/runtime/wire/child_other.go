//go:build !linux

package wire

// ProtectProcess does nothing: see its documentation for Linux.
func ProtectProcess() error { return nil }
