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
// Files that are trusted; internal/house/trust_test.go counts their lines, with those of package replay that belong to them:
//
//	file.go      the layout: a line that says what it is, the statement, the proof, a sum
//	stateset.go  a sorted set of states in little memory
//	local.go     local steps, which are taken at once
//	states.go    what decides which kind is checked; the kind "states": a set that is closed under the rules
//	ranks.go     the kind "ranks": such a set, with numbers that show which executions end
//	attacks.go   the kind "attacks": executions in which one thread delays its stores
//	attacks_file.go
//	             the check of a file with all of these
//	clauses/     what a program can do, as clauses
//	clauses.go   the kind "clauses": a proof that these have no model
//	lrat.go      steps of such proofs
//	histories.go the kind "histories": sequences of calls explain all that clients return
//	results.go   what a program of one thread returns
//	classes.go   the kind "classes": a tree with all executions
//
// Nothing relies on the others:
//
//	file_write.go, histories_write.go
//	             the writing of files
//	produce.go, ranks_find.go, attacks_find.go, clauses_find.go, classes_find.go
//	             the search for proofs of each kind
//	parts.go     the search for a tree in parts, which any number of processes can make
//	model_replay.go
//	             a model of clauses as an execution, by the rules of replay
package certificate
