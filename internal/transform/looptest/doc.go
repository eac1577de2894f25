// Package looptest has random functions for tests of passes: loops that count, wait and branch, as
// text of package irtext, and what other threads could see of their executions.
package looptest
