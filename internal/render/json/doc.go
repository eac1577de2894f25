// Package json renders results for programs: one object in the layout that
// verdict.Schema names, indented, the same bytes for the same results.
package json
