// Package testkit is what the tests of several packages share: the corpus
// runner, random programs with shrinking, and the differential comparison of an
// engine with the enumerator of package replay. Only tests import it.
package testkit
