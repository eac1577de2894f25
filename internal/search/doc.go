// Package search implements breadth-first search over states that are byte strings: with a visited
// set of full states, several workers, the path to any state, and limits on memory and time.
//
// It knows nothing of programs: a Problem computes the successors of a state. States are never
// replaced by hashes, so a completed search is a proof.
//
// The search goes level by level. All states at distance d are expanded before
// any at distance d+1, whatever the number of workers, so findings come with a
// shortest path in steps, counts do not depend on the number of workers, and
// with one worker the path does not either.
package search
