// Package read turns the text of a C program into trees with types. Nothing is lowered here.
//
// Input: source files and a function that reads the files they include. Output: units
// (the trees of package parse), annotations, positions, and diagnostics. The headers are
// our own (include/), so that no C compiler and no system header is needed.
package read
