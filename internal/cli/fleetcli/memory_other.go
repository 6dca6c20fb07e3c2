//go:build !linux

package fleetcli

// limitMemory leaves the bound to the collector on systems other than Linux.
func limitMemory(uint64) error { return nil }
