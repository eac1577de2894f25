// Package fences finds a cheapest set of fences that repairs a program [BDM13 §7], writes the fences
// into its text, and checks the changed text from scratch. It is the question of the command fences. The
// search is in package engine/fences, which gets the checks from here as functions.
package fences
