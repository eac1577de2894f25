// Package native compiles C programs with a compiler at hand and runs them on the
// processor. It is one of the few packages that start processes.
package native
