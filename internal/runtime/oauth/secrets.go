package oauth

import "gauntlet/internal/leaf/redact"

// hide removes secrets, given as NAME=VALUE, from a text.
func hide(secrets []string, text string) string { return redact.New(secrets).Replace(text) }
