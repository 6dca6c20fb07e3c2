package attack

import (
	"context"
	"testing"
)

// plainClient is a client of a document; drivingClient one upon which the agent acts.
type plainClient struct{}

func (plainClient) Send(context.Context, Entry, string, string) {}
func (plainClient) Moved()                                      {}
func (plainClient) Play(context.Context) error                  { return nil }
func (plainClient) Close()                                      {}

type drivingClient struct {
	plainClient
	lingers bool
}

func (d drivingClient) Lingers() bool { return d.lingers }

// Nothing comes any more only where all clients drive the agent and none says that it may still be at work.
func TestLingers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		players []Player
		want    bool
	}{
		{"no clients: whoever was prompted may go on", nil, true},
		{"a client that drives nobody", []Player{plainClient{}}, true},
		{"a driver whose agent is done", []Player{drivingClient{}}, false},
		{"a driver whose agent may be at work", []Player{drivingClient{lingers: true}}, true},
		{"one of two drivers", []Player{drivingClient{}, drivingClient{lingers: true}}, true},
		{"a driver beside a client that drives nobody", []Player{drivingClient{}, plainClient{}}, true},
	} {
		r := &Run{}
		for _, p := range tt.players {
			r.clients = append(r.clients, &Actor{player: p})
		}
		if got := r.lingers(); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
