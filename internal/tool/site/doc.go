// Site is the playground: the explorer page without a server.
//
// On a computer the program writes a directory of static files: the page, its scripts, and two more scripts that hold
// this same program, compiled for WebAssembly: a small part with the languages .fp and litmus, which the page loads
// first, and the whole. In a browser the program answers the requests of the page, in a worker, with package explorer.
//
//	main.go     writes the directory
//	main_js.go  answers requests in a browser
//
// The WebAssembly is inside a script, compressed, because a page from a disk may load scripts, but nothing else. So the
// directory works on every web host, and without one.
package main
