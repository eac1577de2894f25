// Package trace derives from an execution what its memory accesses say about
// order: events, Shasha-Snir traces [SS88] and the happens-before relation, with
// cycles and a canonical form.
//
// Input: a flat program and an execution of it (verdict.Witness). Output: a graph
// whose nodes are loads, stores (issue and flush are one node), read-modify-writes,
// atomic sections and what threads do to mutexes, conditions, barriers, blocks and
// each other, and whose edges are program order, store order, source and
// conflict [BDM13 §3], and synchronisation. An execution has the trace of a sequentially consistent one
// if and only if the graph has no cycle [BDM13 Lemma 1].
//
// The package must not use package memory: replay may build on it, and shares
// nothing with the engines.
package trace
