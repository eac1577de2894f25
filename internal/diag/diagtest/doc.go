// Package diagtest compares diagnostics with comments in the text they are about, for the
// tests of front ends. Only tests import it.
package diagtest
