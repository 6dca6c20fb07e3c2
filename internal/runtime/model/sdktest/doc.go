// Package sdktest compares what package model writes with what the official Go clients of Anthropic and OpenAI write and read: run
// go test in this directory.
package sdktest
