// Package param answers questions about programs with any number of threads: robustness against TSO, and
// assertions and goals under SC and TSO. It is the question of check --param and robust --param.
//
// Engine param, or engine dual for assertions and goals under TSO, decides whether some instance violates. The execution that shows it comes from the engines
// for fixed threads, which are asked about instances of growing size at the same time. The first to
// finish answers. If that engine says that k instances are enough for a violation and they are not, one
// of the two is wrong, which is an internal error.
package param
