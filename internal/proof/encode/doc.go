// Package encode expresses a prepared program as terms of SMT-LIB: memory, states, steps, and questions about them.
//
// A Problem has the program, the layout of its memory, and the solver. Its methods return constants for any memory and
// for the registers of a thread, run an action on them, and ask whether a condition follows from others. So a question
// such as "does the step keep the condition?" is a few calls:
//
//	m, regs := pr.Memory("m"), pr.Registers(c, "a")
//	after := pr.Run(action, "a", encode.Run{Regs: regs, Mem: m})
//	holds := pr.Implied(append(known, after.Guard...), goal)
//
// Input: a program from package program. Output: terms, and answers of the solver. An answer that is not known counts
// as "does not follow".
//
// The files:
//
//	problem.go           constants for memory and registers
//	layout.go, array_fields.go, blocks.go   memory as regions that no access crosses
//	arithmetic.go, vector_width.go          numbers as integers or as bit-vectors
//	expression.go        expressions as terms
//	memory.go            reading and writing regions
//	execute.go           actions on terms
//	decide.go            questions, with a state that answers no
//	solvers.go           one solver, or a second one that confirms the first
//	known_answers.go     what follows from earlier answers
//	passing.go, ghost_code.go, unsupported.go   what the preparation asks the solver
//
// Packages invariant and engine/mover ask the questions.
//
// Limits: numbers are mathematical integers, which never wrap, or bit-vectors.
package encode
