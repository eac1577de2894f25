// Package litmus runs litmus tests under memory models and reports what herd would: the final states, and
// whether the condition holds. It is the question of the commands litmus and stress; stress also runs the
// test on the processor and compares its outcomes with the outcomes under TSO.
package litmus
