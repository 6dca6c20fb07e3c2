// Package indicator decides from a recorded conversation whether an agent complied with an attack: indicators of an
// attack document in, verdicts out (§6, §9, SDK §4 of the Open Agent Threat Format).
//
// It reads the trace and the indicators but not the execution profile, so that a trace recorded anywhere can be judged.
// Surfaces are compared only with the methods in the trace: a method that a protocol adds needs no change here.
//
// The specification does not say how the messages of a trace combine. Here an indicator matches if any message matches, and
// is an error only if every message it examined failed; otherwise it does not match, and the evidence counts the failures.
package indicator
