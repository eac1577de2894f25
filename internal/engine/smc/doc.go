// Package smc is stateless model checking under SC, TSO and PSO: executions are
// explored instead of states, exactly one for every Shasha-Snir trace [AAAJLS15],
// by optimal dynamic partial-order reduction with wakeup trees [AAJS17].
//
// It takes flat programs without endless loops and answers with violations and counts.
// Memory is that of one execution and of the wakeup trees.
package smc
