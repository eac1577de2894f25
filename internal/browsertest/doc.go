// Package browsertest opens pages in chromium, for tests.
//
// A tab notes everything that a page complains about or asks for, and Quiet demands that there was nothing. The tests
// of a package share one browser, in which each test has a tab. Where chromium is missing, tests are skipped with a
// notice. Only tests import this package.
package browsertest
