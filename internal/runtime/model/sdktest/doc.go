// Package sdktest holds what package model writes against what the official Go clients of
// Anthropic and OpenAI write and read: run go test in this directory.
package sdktest
