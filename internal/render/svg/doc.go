// Package svg draws the happens-before relation of executions: a column per
// thread, program order downwards, the cycle in colour.
//
// The drawing needs nothing installed and nothing loaded: where the nodes stand
// follows from threads and program order, so there is no layout to search for
// (docs/adr/0012 has the comparison with an embedded Graphviz). The output
// depends on the verdict alone.
package svg
