// Package search is breadth-first search over states that are byte strings: a
// visited set of full states, a frontier, several workers, recovery of the path
// to any state, limits on memory and time.
//
// It knows nothing of programs: what the successors of a state are comes in as a
// Problem. States are never replaced by hashes, so a completed search is a proof.
//
// The search goes level by level. All states at distance d are expanded before
// any at distance d+1, whatever the number of workers, so findings come with a
// shortest path in steps, counts do not depend on the number of workers, and
// with one worker the path does not either.
package search
