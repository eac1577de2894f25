// Package asker has a program checked by the workers of a server, and answers as a check on one machine would.
//
// The asker reads the program first, so that mistakes in it are reported at once. It submits the check and
// reads records as they come. When the check has ended it adds up the records that count, and the main
// module makes the answer from the sum: violations are replayed here, whatever the workers say.
package asker
