// Package digraph finds strongly connected components of directed graphs. Nodes are the numbers from 0; the caller
// keeps the arcs and shows them through a function.
package digraph
