// Package testkit has what the tests of several packages share: the corpus of programs,
// random programs with shrinking, and the comparison of an engine with the enumerator
// of package replay. Only tests import it.
//
// The tests of this package compare the parts of the tool with each other, on the corpus
// and on random programs, and check the examples of the papers.
package testkit
