// Package waiting has the passes about loops in which a thread waits. Delays drops loops that only count,
// with what is computed for them, and Await replaces loops that read memory until a condition holds
// by one operation that waits.
//
// Input and output are flat programs. transform says when Delays runs; questions call Await, which
// keeps what a question is about.
//
// Receivers: a is an awaits, d a delayer, n an analysis.Loops.
package waiting
