// Package explicit is explicit-state reachability: every reachable state of a
// flat program under SC, TSO or PSO is visited once.
//
// It decides assertions and other checks, goal states, final conditions and
// deadlock, and collects final states. For finite-state programs the answer is
// exact: threads without stores in a loop have unbounded buffers, the others
// at most Limits.Buffer entries, and an answer that depends on the bound says so.
//
// Reductions: eager steps and symmetric threads (memory/reduce), thread-private memory
// without buffers (memory), persistent sets (persistent.go) and sleep sets (sleep.go).
// engine.Task.NoReduction leaves only the eager local steps.
package explicit
