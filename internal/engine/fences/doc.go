// Package fences finds a cheapest set of fences that repairs a program: makes it
// robust against TSO, or makes its assertions hold under TSO or PSO [BDM13 §7].
//
// Input: a flat program with places where fences can be written, a cost for each,
// and a function that checks the program with some fences in place (the robustness
// engine or a reachability engine; pipeline passes it in). Output: a set of fences,
// or that none exists, or that the check could not tell; with, for every
// fence, an execution that is bad without it.
//
// The set is cheapest among all sets of fences at these places, within the bounds
// of the check: clause.go has the argument. docs/engines/fences.md is for readers.
package fences
