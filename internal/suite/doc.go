// Package suite runs many tests: it finds them in files and directories, runs
// them side by side, hands on their results in the order of the tests, counts
// them, and holds them against a table of expected answers.
//
// What a test is answered by is passed in as a function: the package knows
// verdicts and files, and nothing of programs.
package suite
