// Package fences finds a cheapest set of fences that repairs a program: makes it
// robust against TSO, or makes its assertions hold under TSO or PSO [BDM13 §7].
//
// Input: a flat program with fence sites, a cost for each fence, and a function that checks the
// program with a set of fences (the robustness engine or a reachability engine, which the caller
// passes in). Output: a set of fences, or that none exists, or that the check has no answer; and,
// for every fence, an execution that is bad without it.
//
// The set is cheapest among all sets of fences at these sites, up to the bounds of the check:
// clause.go has the argument. docs/engines/fences.md is the page for users.
package fences
