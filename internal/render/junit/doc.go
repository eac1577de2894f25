// Package junit renders what became of programs' expectations as JUnit's XML, which
// continuous integration systems show: a test suite per program, a test case per
// expectation.
package junit
