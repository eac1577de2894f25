// Package property describes the questions about a program: assertions, goal states,
// final conditions, deadlock. It also writes final states as text (Observer).
//
// Front ends produce a Set together with the ir program; engines and replay read it.
// Conditions are ir expressions over a list of variables, each a register of a thread
// or a memory cell, so that the same kind of expression is used everywhere.
package property
