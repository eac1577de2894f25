// Package worker explores tasks of the checks in a store.
//
// Each of a worker's slots takes a task, explores it for a while, stores the record, enqueues the tasks that
// the record leaves, and acknowledges, in this order (see package store). Slots take turns among the open
// checks. What fails because the server is away is repeated until the server is back.
//
// A slot that finds the queue of a check empty looks whether the check is complete. If a task of the tree has
// neither a record nor a message in the queue, the server has lost it, and the slot enqueues it again.
package worker
