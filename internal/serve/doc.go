// Package serve is the web server of `fencepost serve`: it sends the explorer page and answers its requests.
//
// The server runs programs of strangers only in the sense that it searches their states; it reads no file, and starts no
// process but its own workers (docs/adr/0024). What it guards against: pages of other sites that ask it in the user's browser (Host and Origin are
// checked, and a request must be JSON), other users of the network (an address that is not this machine's needs a token),
// and requests that take too much (limits of size, time and memory, and of searches at once, in all and per client).
//
//	server.go   the handler, and who may ask
//	search.go   the answers, and how many are searched at once
//	process.go  the workers, as the server sees them
//	work.go     a worker
package serve
