// Package inprocess runs servers in this process: mocks, and snapshots that answer like the captured server.
package inprocess

import (
	"context"
	"fmt"
	"math"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/mock"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/attackmcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/lock"
	"gauntlet/trace"
)

// A Server is an in-process server.
type Server struct {
	*mcpserver.Server
	play *attack.Run
	done chan struct{}
}

// NewMock returns a server for a mock file's text. It answers between Start and End.
func NewMock(file, text string, opt mcpserver.Options) (*Server, error) {
	doc, fault := mock.Parse(file, text)
	if fault != nil {
		if fault.Line > 0 {
			return nil, fmt.Errorf("%s:%d:%d: %s", file, fault.Line, fault.Column, fault.Msg)
		}
		return nil, fmt.Errorf("%s: %s", file, fault.Msg)
	}
	nobody := trace.NewRecorder(func(*trace.Message) error { return nil }, trace.RecorderOptions{})
	play, err := attack.New(doc, attack.Options{
		Recorder: nobody, Limit: math.MaxInt64, Bindings: []attack.Binding{attackmcp.New(attackmcp.Options{Negotiate: true, Serve: opt})},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &Server{attackmcp.Engine(play.Player(play.Servers()[0].Actor)), play, make(chan struct{})}, nil
}

// Start makes the server answer until ctx ends or End is called.
func (m *Server) Start(ctx context.Context) {
	go func() { // ends with ctx or by End, which waits for it
		defer close(m.done)
		m.play.Run(ctx)
	}()
}

// End ends the server and waits for that.
func (m *Server) End() {
	if m.play == nil {
		return // snapshots answer without being played
	}
	m.play.End("the server is not needed any more")
	<-m.done
}

// NewSnapshot returns a server for a snapshot's or lockfile's text; name selects one of several servers. The notes say what it
// lacks.
func NewSnapshot(file, text, name string, limits catalog.Limits, opt mcpserver.Options) (server *mcpserver.Server, notes []string, err error) {
	if lock.Is(text) {
		r, err := lock.Parse(file, text, limits)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range r.Damage {
			notes = append(notes, fmt.Sprintf("%s:%d:%d: %s", file, p.Location.Line, p.Location.Column, p.Message))
		}
		text = r.Snapshot()
	}
	held, err := catalog.Parse(file, text, limits)
	if err != nil {
		return nil, notes, err
	}
	chosen, err := mcpserver.Pick(held, name)
	if err != nil {
		return nil, notes, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range held.Problems {
		if p.Kind != finding.Malformed && (p.Location.Server == chosen.Name || p.Location.Server == "") {
			notes = append(notes, "the snapshot is incomplete: "+p.Message)
		}
	}
	server, err = mcpserver.New(mcpserver.FromSnapshot(chosen), opt)
	return server, notes, err
}
