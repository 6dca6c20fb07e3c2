// Package indicator tells from a recorded conversation whether an agent complied with an
// attack: indicators of an attack document in, verdicts out (§6, §9, SDK §4 of the Open
// Agent Threat Format).
//
// It reads the trace and the indicators and never the document's execution profile, so
// that a trace recorded anywhere can be judged. Surfaces are compared with the methods in
// the trace and with nothing else: a method that a protocol adds needs no change here.
//
// Where the specification leaves open how the messages of a trace make one result, this
// holds: an indicator matched if any message matched; it is an error only if every
// message it looked at failed; else it did not match, and the evidence says how many failed.
package indicator
