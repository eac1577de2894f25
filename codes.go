package fencepost

import "fencepost/internal/codes"

// Explanation says what a diagnostic's code means, what to do, and which program is
// answered with it.
type Explanation = codes.Entry

// Explain finds the explanation of a code such as C0301.
func Explain(code string) (Explanation, bool) { return codes.Find(code) }

// Explanations are the explanations of all codes, in their order.
func Explanations() []Explanation { return codes.All() }
