// Package task has the data that a check on several machines consists of, and the rule that keeps its counts
// exact.
//
// A task is a part of an exploration that depends on no other part: for the engine rf, a graph and everything
// that extends it. Its name is a hash of its bytes. A worker explores a task for a while and writes one
// Record: what it counted, and the tasks that are left. Queues deliver a task at least once, so two workers
// may explore the same one. The store keeps the first record of a name and refuses the second, and what the
// refused record would have left does not exist.
//
// The answer is the sum of the records that the root leads to, by way of the tasks that records leave. It is
// complete when each of these tasks has a record. Tree computes that. A record that the root does not lead to
// counts for nothing: there is one when a store lost a record after its tasks had been explored.
package task
