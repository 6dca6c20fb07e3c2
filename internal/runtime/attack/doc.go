// Package attack plays attack documents: it runs through the phases of their actors, counts events,
// captures values, fills templates and does what a phase does first. It knows no protocol by its
// name: a [Binding] for each plays the actors on the wire and tells what happens there.
//
// What a phase is and when it ends is worked out without I/O and without a clock
// ([script], [phaseMachine]). An actor has one machine, shared by
// all its conversations, and what its extractors capture is there for all actors.
//
// Documents and peers are both a stranger's. Nothing that one of them sends may stop the
// run, another conversation, or the end of the run at its limit.
package attack
