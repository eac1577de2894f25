// Package machine runs threads event by event on package memory's state, for engines that explore
// executions. An event is an operation that other threads can notice, with the local steps after
// it, or an update: a store that leaves a buffer. The package describes each event by the bytes it
// accesses, stops threads at the bounds of loops and after idle rounds, and returns to earlier
// states.
//
// Input: a flat program, compiled by package memory. Deliberately absent: the order of events, what
// is explored, and what is asked about the program.
//
//	file            has
//	machine.go      the machine, the state of each thread
//	event.go        events and their accesses
//	reads_from.go   where the bytes of a load come from
//	processes.go    the numbers of threads and buffers
//	enabled.go      what can happen next
//	perform.go      the steps of an event
//	accesses.go     the accesses of an event
//	section.go      atomic sections as single events
//	loops.go        bounds of loops; spin loops
//	taint.go        registers that depend on memory or on choices
//
// Names: m is the machine, e an event, t a thread, p a process, lb a label, st a step of package
// memory, op an operation.
package machine
