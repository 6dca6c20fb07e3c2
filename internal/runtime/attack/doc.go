// Package attack plays attack documents: it runs their actors' phases, counts events, captures values, expands templates and
// performs entry actions. It knows no protocol by name: a [Binding] for each plays the actors and reports events.
//
// Phase logic uses neither I/O nor a clock ([script], [phaseMachine]). An actor has one machine shared by all its sessions, and
// captured values are visible to all actors.
//
// Documents and peers are both untrusted: nothing they send may stop the run, another session, or the end of the run at its limit.
package attack
