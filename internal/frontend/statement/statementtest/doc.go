// Package statementtest has what the tests of the languages of statements share:
// files of examples with the expected translation, fuzz targets, and checks that hold
// for every language. Only tests import it.
package statementtest
