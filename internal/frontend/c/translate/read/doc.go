// Package read turns the text of a C program into checked syntax trees. Nothing is
// lowered here.
//
// Input: source files and a function that reads the files they include. Output: syntax
// trees with types, annotations, positions, and diagnostics. The preprocessor, the parser
// and the type checker come from modernc.org/cc; its configuration is made by hand,
// with our own headers (include/), so that no C compiler and no system header is needed.
//
// Every text gets an answer: files and structs that contain themselves, which would keep
// cc busy forever, are found before cc reads them, and deep expressions are reshaped so
// that cc checks them in linear time.
package read
