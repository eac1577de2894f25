// Package relation derives from a witness what its steps imply: the contents of the store
// buffers after each step, the pairs of accesses that were reordered, the pair that makes
// the execution impossible under sequential consistency, and the happens-before relation
// with a cycle in it.
//
// Input: a verdict.Witness or verdict.Execution, possibly read from a stored result.
// Output: plain data for renderings. The package imports verdict and nothing else of
// ours, so that a stored result can be rendered without engines.
//
// Files: buffers.go store buffers, reorder.go reordered pairs, graph.go the graph of
// accesses, decisive.go the pair to show first, accessors.go calls with one access, relation.go happens-before.
package relation
