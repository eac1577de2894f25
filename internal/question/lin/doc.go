// Package lin asks whether the functions of a C file form a linearizable object [HW90]: in every
// client, do the calls take effect one at a time, each between its call and its return? The user
// writes no client and no specification (docs/lin.md).
//
// Input: a header or C file. Output: a result with the table of calls of the smallest client that
// goes wrong, and that client as a C file, which check answers with an execution; or which clients
// were covered.
//
//	value      file           what it has
//	Object     operations.go  the operations, found from signatures, names and comments
//	client     client.go      the calls of a client, and which thread makes them; clients.go lists clients
//	           roles.go       roles that names tell; pairs.go has what unlock gets of lock
//	writer     text.go        a client as C: as a program of threads, or one call at a time (turns.go)
//	order      order.go       real time: which calls return before which others begin
//	explored   explore.go     the results of all executions of a client
//	sequences  sequential.go  the specification: what the calls return one at a time; named.go has stacks and so on
//	search     search.go      results and orders that no sequence explains
//	           machine_code.go  objects instead of C
//	           returns.go       when calls have returned
//	           pending.go       calls that have not
//	           mutate.go        weaker code that clients should notice
//	           large_client.go  random clients with many calls; fuzz.go runs them, monitor.go judges histories
//	repairer   repair.go        fences and orders with which the object is right
//	           answer.go      the answer, confirmed by check
//
// Clients go through the C front end and the engines as the
// user's programs do, so every memory model means the same here as there.
//
// Limits: at most maxCalls concurrent calls; that a call waits for ever is a violation only where all calls of the
// client come to their end one at a time.
package lin
