// Package lazyregexp has regular expressions that are compiled when they are first used. A command uses few of
// the expressions that its packages declare, and compiling all of them took a quarter of the time of a short command.
package lazyregexp
