// Package trace derives from an execution how its memory accesses are ordered: events,
// Shasha-Snir traces [SS88] and the happens-before relation, with cycles and a
// canonical form. It also finds data races and checks triangular races.
//
// Input: a flat program and an execution of it (verdict.Witness). Output: a graph.
// Its nodes are loads, stores (a store and its flush are one node), read-modify-writes,
// atomic sections, and the operations of threads on mutexes, condition variables,
// barriers, blocks and other threads. Its edges are program order, store order,
// reads-from and conflict [BDM13 §3], and synchronisation. An execution has the trace of
// a sequentially consistent one if and only if the graph has no cycle [BDM13 Lemma 1].
//
// The package must not use package memory: replay may build on trace, and replay shares
// nothing with the engines.
package trace
