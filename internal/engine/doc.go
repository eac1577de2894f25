// Package engine is the contract between the pipeline and the engines, and what
// engines share in answering: tasks, outcomes, and witnesses made from steps of
// package memory.
//
// Engines never import each other, front ends, or anything that does I/O.
package engine
