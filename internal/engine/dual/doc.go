// Package dual decides reachability under TSO for programs with finite data, with store buffers of
// any length, by a backward search over load buffers.
//
// Idea: [AABN18] replace the store buffer of a thread by a load buffer. A store changes memory at
// once; what waits are the values that the thread will read. A larger load buffer can do whatever a
// smaller one can, so the states from which a bad one is reachable are an upward closed set with
// finitely many minimal elements, and a search from the bad states backward finds all of them. There
// is no bound on the buffers, and the search ends.
//
// Input: a flat program under TSO whose cells and registers take finitely many values; assertions,
// goals, final conditions and deadlock. Output: no violation in any execution, or an execution under TSO. With
// templates (Decide): whether some number of instances violates assertions or goals, and how many are enough.
//
// Files: dual.go the engine and its options, threads.go the threads and their transitions, words.go
// which own stores can wait at a state, pairs.go which states and values exclude each other, config.go sets of states and their order, target.go the bad
// states, predecessor.go and burst.go the steps of the search, small_steps.go the same without the
// normal form, search.go the search, witness.go from a path to an execution, deadlock.go and joins.go threads that
// wait, domain.go values that seem to grow, any.go any number of threads, tested.go whether a safe is about anything.
//
// Limits: docs/engines/dual.md. Not supported: allocation, conditions, barriers, data that
// grows, and loads and stores of different sizes that overlap.
package dual
