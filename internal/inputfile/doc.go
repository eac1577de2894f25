// Package inputfile reads the files that users name. It refuses what is not a
// regular file before it opens it: opening a FIFO waits for a writer, and a device
// such as /dev/zero has no end.
package inputfile
