// Package fuzz asks a program's own questions of executions under random schedules, for programs that are too
// large to be decided (docs/fuzz.md).
//
// Input: a program and the seeds. Output: one result per model: unsafe with an execution, or unknown.
package fuzz
