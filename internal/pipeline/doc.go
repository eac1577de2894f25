// Package pipeline has the stages that every question goes through, a file each:
//
//   - run.go opens a run: the name of the stage, the barrier for panics, the time limit.
//   - read.go reads the files with the front end of their language (one table), under the limits
//     of limits.go.
//   - flatten.go runs the passes, and refuses what no engine takes; template.go does so for programs
//     of any number of threads.
//   - ask.go asks an engine, makes the witness short, replays it, and adds the texts of the source.
//   - conclude.go assembles the result. It is the only file that does, and the only one that says
//     Safe.
//
// relation.go, words.go and cause.go say what an execution shows. asked.go stores in a result what
// was asked. engines.go is the table of engines.
//
// Packages below internal/question ask: each has a command, options of its own, and the order of
// the stages. A panic, which means a broken invariant, is caught here and reported with stage and
// input.
package pipeline
