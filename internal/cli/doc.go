// Package cli is the command line: flags, files, exit codes, progress, Ctrl-C.
//
// It asks the root package and hands the answers to the renderers; it decides
// nothing about programs. Answers go to stdout, everything else to stderr. The
// exit code is 0 if the property holds, 1 if it is violated, 2 if there is no
// answer, 3 if the input or the usage is wrong, 4 if fencepost itself failed.
package cli
