// Package litmus is the front end for litmus tests in the format of herd7,
// litmus7 and diy7, for the architectures X86 and X86_64 and in C.
// docs/languages/litmus.md is its definition.
//
// Input: one source file. Output: a structured ir program with one thread per
// column, the final condition and what to observe, and what is needed to print
// results as herd prints them (Unit.Summarize). The stages are parse (header,
// initial state, instruction columns, conditions; syntax only, with recovery),
// declare (types and sizes of locations), lower (one automaton per column) and
// props (conditions and observed variables). In a test in C the functions are
// translated by package translate, which knows the types; the other stages are the same.
//
// Limits: at most maxThreads columns, maxInstructions instructions, maxMemory
// bytes of memory and maxDepth nested parentheses; past each stands a
// diagnostic. Time is linear in the input.
//
// What is deliberately absent: other architectures, vector and non-temporal
// instructions, the stack, self-modifying code, faults, and any knowledge of
// memory models.
package litmus
