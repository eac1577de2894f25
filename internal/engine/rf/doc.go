// Package rf implements stateless model checking with one execution per reads-from class, under
// SC, TSO and PSO: two executions are in one class if every read reads from the same write in both.
// The order of writes that no read tells apart is not explored.
//
// Input: a flat program whose loops are bounded or end by themselves, and the questions in an
// engine.Task. Output: violations with witnesses, counts of classes, and the bounds that were met.
// The package needs the memory of one execution and of the graphs that the recursion passes
// through, whatever the number of classes. docs/engines/rf.md has the algorithm, the argument for it
// and its limits.
//
//	value      file           owns
//	graph      graph.go       the operations of each thread, and the source of each read
//	cells      cells.go       the partition of memory into ranges that accesses never split
//	consistency consistency.go the question of a memory model: is there an order of writes?
//	order      order.go       finding a witness: an execution of a graph; simulate.go has the steps
//	clocks     clocks.go      what must come before what in every witness; clock_parts.go adds parts
//	cellIndex  index.go       the writes and reads of each cell
//	runner     runner.go      package machine, and what operations do; seek.go brings it to the end of a witness
//	explorer   explore.go     the exploration; revisit.go has revisits
//	outcome    outcome.go     counts, violations, final states, errors
//	Parts      parts.go       an exploration in parts; part_encoding.go has tasks as bytes
//	Found      found.go       what a part has found, to be added up
//
// Names: x is the explorer, g a graph, o an operation, r a read, t and u are threads, i is the index
// of an operation in its thread, c a cell, w a write.
package rf
