//go:build !cgo

package syntax

// Available says whether this build can parse.
const Available = false

type grammar struct{}

// Python and its siblings are there in name only.
func Python() *Language { return nil }

// JavaScript is there in name only.
func JavaScript() *Language { return nil }

// TypeScript is there in name only.
func TypeScript() *Language { return nil }

// TSX is there in name only.
func TSX() *Language { return nil }

// Parse returns ErrUnavailable.
func Parse(*Language, []byte, func() bool) (*Tree, error) { return nil, ErrUnavailable }
