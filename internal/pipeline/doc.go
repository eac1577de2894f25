// Package pipeline runs the stages: load, front end, passes, engine, replay,
// result. It is the only package that knows them all, and the one place where a
// broken invariant (a panic) is caught and reported with stage and input.
package pipeline
