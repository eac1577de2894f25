// Package fuzz runs a program again and again under random schedules, and looks for a violation.
//
// A schedule is one of probabilistic concurrency testing [BKMN10]: threads and buffers have random priorities,
// the one with the highest priority that can take a step takes it, and at a few random moments the one that is
// about to take a step gets a low priority instead. A buffer is scheduled like a thread: under TSO the buffer
// of a thread, under PSO its stores to one address.
//
// Input: a task. Output: the violation of the least seed, or how much was tried. An execution depends on the
// program, the model and the seed only, so a seed is enough to repeat it.
//
//	fuzz.go      the engine, seeds and workers
//	schedule.go  priorities
//	run.go       one execution
//	points.go    where threads were preempted and stores delayed
//
// Limits: the answer is never that the program is safe, and c11 is refused, since its executions are no
// sequences of steps of a memory.
package fuzz
