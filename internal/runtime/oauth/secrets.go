package oauth

import "gauntlet/internal/leaf/redact"

// hide takes secrets, given as NAME=VALUE, out of a text.
func hide(secrets []string, text string) string { return redact.New(secrets).Replace(text) }
