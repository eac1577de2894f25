// Package statement is the common part of three languages of labelled instructions:
// .fp (frontend/fp), Trencher's .txt (frontend/trencher) and Memorax's .rmm
// (frontend/memorax). Each has its own grammar.
//
// Input: the tree of a file (tree.go), which a language builds with the lexer and the
// parser here. Output: a structured ir program, the properties asked of it, fence sites
// and diagnostics. The stages are analyse (labels and registers of a thread) and lower
// (one automaton per thread instance). A language may have statements of its own, which
// it translates itself (Compiler.Other).
//
// Limits: nesting is at most maxDepth, shared memory at most maxMemory bytes, templates
// at most maxInstances, the whole program at most maxEdges edges; a program past a limit
// gets a diagnostic. Time is linear in the input and in the edges made.
//
// What is deliberately absent: any simplification that loses a step that a user wrote
// and a thread can reach, and any knowledge of memory models.
package statement
