// Package param decides questions for any number of threads: robustness against TSO
// and the safety of assertions and goals under SC, for programs whose threads are
// templates over a finite domain [BDM13 §6, App. D].
//
// Idea: instances of a template are copies of one text and have no names, so it is
// enough to count how many are in each state. A program becomes a Petri net: a place per
// value of every memory cell, a place per state of a fixed thread, and a counted
// place per state of a template; every instruction becomes transitions. A question
// becomes: can this place get a token? That is coverability, and decidable.
//
// Input: a flat program, with threads marked Unbounded, and a question. Output: no number of
// instances violates it, or some number does, and how many instances are enough. The engines for
// fixed numbers of threads then find an execution with that many instances; the caller puts the two
// together.
//
// States of threads and their next steps come from package lts. Files: net.go nets, local.go states
// with their role, build.go the net of a program, attack.go the phases of engine robust inside the net, pairs.go which two places can have
// tokens at once, cover.go the backward search, equation.go the marking equation,
// pnml.go the net as a PNML file.
//
// Deliberately absent: questions that are not upward closed or need names of threads
// (deadlock, final conditions, joins, barriers, conditions, allocation).
package param
