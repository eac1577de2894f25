// Package smc implements stateless model checking under SC, TSO and PSO. It explores
// executions instead of states, exactly one for every Shasha-Snir trace [AAAJLS15], by optimal
// dynamic partial-order reduction (DPOR) with wakeup trees [AAJS17].
//
// Input: a flat program whose loops are bounded or end by themselves, and the questions in an
// engine.Task. Output: violations with witnesses, counts of executions, and the bounds that were
// met. The package needs memory for one execution and for the wakeup trees only.
//
// Events are run by package machine. The exploration is split into values that own their fields:
//
//	value       file            owns
//	execution   execution.go    events, their pasts, accesses per word, reversible races
//	path        path.go         the execution and its nodes, and where in it the machine is
//	inserter    wakeup.go       insertion into wakeup trees
//	reverser    reverse.go      reversals of races at the end of an execution
//	tail        tail.go         the end of an execution in which no race is possible
//	goalWatch   goals.go        arrivals of threads at the locations of goals
//	outcome     outcome.go      counts, violations, final states, errors
//	world       shared.go       what several workers share
//	explorer    explorer.go     the depth-first search, which uses all of these
//
// Names of receivers and of variables with the same meaning everywhere:
//
//	x   *explorer         m   *machine          ex  *execution      pa  *path
//	in  *inserter         rv  *reverser         g   *goalWatch      o   *outcome
//	w   *world            ps  *processes        th  *threads        c   *chains
//	e   event that happens                      d   event that is compared with e, often a sleeping one
//	i   number of an event in the execution     n   node
//	p   number of a process                     t   number of a thread
//	tl  *tail
//	v   wakeup sequence                         r   reversible race
//	lb  label             st  step of package memory
//	op  operation         ord ordinal of a store among the stores of its thread
package smc
