// Package supervise runs work that must end in time: it has the time limits, interruptions, and what becomes of work that
// does not stop.
//
// Work runs on a goroutine of its own (Start). It gets a context, and should return soon after the end of that context.
// Run waits for it. Work that does not stop within the grace after the end of its context, or that exceeds another limit,
// is abandoned: Run returns a *NotStopped, and the work goes on until it notices. An engine that has an answer
// (HasAnswer) is never abandoned: what is left to do, such as replay, is short, and no answer is lost.
//
// A scope, which a context carries (WithScope), remembers the abandoned work. The next question in the same scope begins
// when that work has ended (Wait), so that an old question takes no time and memory from a new one.
//
// Work that takes turns keeps to a budget (package budget), which Start puts into its context. A leaf beside budget.
package supervise
