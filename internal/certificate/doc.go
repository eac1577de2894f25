// Package certificate checks proofs that a program is safe, and makes them.
//
// A certificate is a file: what is stated about which program under which model, and a proof. Check reads it and
// accepts or refuses it. It is written from the definitions: it knows the rules of package replay, programs and
// properties, and no engine, no pass and no other implementation of the memory models. docs/certificates.md has the
// arguments why what Check accepts is true.
//
// Input: a flat program, its properties, a model and the file. Output: what the proof covers, or an error that says
// what is wrong. Refuted is the error if the proof leads to a violation.
//
// Deliberately absent: trust in the one who made the file. Whatever bytes it has, Check ends, and accepts only proofs.
//
// Files:
//
//	file.go      the layout: a line that says what it is, the statement, the proof, a sum
//	stateset.go  a sorted set of states in little memory
//	local.go     local steps, which are taken at once
//	states.go    the kind "states": a set that is closed under the rules
//	ranks.go     the kind "ranks": such a set, with numbers that show which executions end
//	ranks_find.go
//	             the search for these numbers
//	attacks.go   the kind "attacks": executions in which one thread delays its stores
//	attacks_file.go
//	             the search for all of these, and the check of a file with them
//	clauses/     what a program can do, as clauses
//	clauses_file.go
//	             the kind "clauses": a proof that these have no model
//	model_replay.go
//	             a model of them as an execution, by the rules of replay
//	lrat.go      proofs that clauses have no model
//	histories.go the kind "histories": sequences of calls explain all that clients return
//	results.go   what a program of one thread returns
//	produce.go   the search that makes such a set; nothing relies on it
//	classes.go   the kind "classes": a tree with all executions
//	classes_file.go
//	             the search that makes such a tree, and the reading of one
//	parts.go     the search in parts, which any number of processes can make
package certificate
