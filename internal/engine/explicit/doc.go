// Package explicit is explicit-state reachability: every reachable state of a
// flat program under SC, TSO or PSO is visited once.
//
// It decides assertions and other checks, goal states, final conditions and
// deadlock, and collects final states. For finite-state programs the answer is
// exact: threads without stores in a loop have unbounded buffers, the others
// at most Limits.Buffer entries, and an answer that depends on the bound says so.
//
// The only reduction is that local steps run eagerly (memory.System.Settle).
package explicit
