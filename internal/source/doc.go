// Package source holds input files and positions inside them.
//
// Input: names and bytes. Output: positions (file, line, column) that every
// later stage carries along. It is the first stage of the pipeline and imports
// nothing of ours. Columns count bytes, starting at 1.
package source
