// Package lazy decides reachability under TSO by a series of SC questions
// [BCDM15]: is the goal reachable under SC in R, which is the program at first; if
// not, an oracle names sequences of instructions, from a store to a later load of
// the same thread, along which buffering the store gives TSO something that SC lacks,
// and R is extended so that it buffers along these under SC.
//
// Input: a flat program, its assertions, goals and final condition. Output: a violation with a
// TSO execution of the program itself, or safe when the oracle finds nothing, or unknown.
//
// The oracle is a robustness check, the SC questions go to a reachability engine;
// both are functions handed in by pipeline, since engines do not know each other.
package lazy
