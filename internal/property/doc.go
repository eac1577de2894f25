// Package property describes what is asked of a program: assertions, goal states,
// final conditions, deadlock.
//
// Front ends produce a Set beside the ir program; engines and replay read it.
// Conditions are ir expressions over a list of named things (registers of
// threads, memory cells), so that there is one kind of expression everywhere.
package property
