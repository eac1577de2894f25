// Package family writes programs that come in sizes, as .fp text: families that
// papers measure their tools on, for people who want to measure ours.
//
// A leaf: it knows the language and nothing else.
package family
