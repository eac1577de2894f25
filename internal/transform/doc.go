// Package transform is ir -> ir passes: one table of them (Passes), run in order,
// with the ir verifier after each.
//
// A pass returns a new program and leaves its argument alone. Locations,
// registers and threads that a property may refer to keep their ids: passes only
// append to what they find.
package transform
