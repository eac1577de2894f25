// Package pb solves the minimum-cost hitting set problem of fence insertion: find a cheapest set of
// items that hits every clause, where a clause is a set of items and an item has a positive cost.
// It finds one such set or all of them, exactly.
//
// Input: costs by item, clauses as lists of items. Output: sets of items, sorted.
// The answer depends on the input alone: among cheapest sets Minimum takes the one
// that is first in lexicographic order. A leaf: it knows nothing of programs.
//
// Made for some hundred items and clauses. Limits: no other constraints than clauses.
package pb
