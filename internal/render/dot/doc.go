// Package dot renders graphs for Graphviz: the happens-before relation of an
// execution, with a column per thread and the cycle in red.
//
// The output depends on the verdict alone.
package dot
