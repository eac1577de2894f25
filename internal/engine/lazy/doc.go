// Package lazy decides reachability under TSO by a series of SC questions [BCDM15]. The first
// question is whether the goal is reachable under SC in R, which is the program at first. If not,
// an oracle returns sequences of instructions, from a store to a later load of the same thread,
// such that delaying the store past the load shows a behaviour that SC does not have. R is extended
// so that it buffers along these sequences under SC, and the question is asked again.
//
// Input: a flat program, its assertions, goals and final condition. Output: a violation with a
// TSO execution of the program itself, or safe when the oracle finds nothing, or unknown.
//
// The oracle is a robustness check, the SC questions go to a reachability engine;
// both are functions that the caller passes in, since engines do not import each other.
//
// Receivers of the extension: w extender, x Extended.
package lazy
