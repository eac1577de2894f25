// Package codes explains the codes of diagnostics: what each means, what to do, and
// a small program that is answered with it. The texts are data, one file per family;
// a test holds them against the code and runs every example. A leaf.
package codes
