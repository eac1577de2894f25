package statement

import "fencepost/internal/ir"

// Constant evaluates a constant expression of the file's scope.
func (c *Compiler) Constant(e *Expr, what string) (int64, bool) {
	return (&Scope{Compiler: c}).constant(e, what)
}

// ConstRange evaluates the bounds of a range.
func (c *Compiler) ConstRange(s *Scope, lo, hi *Expr) (int64, int64) {
	l, ok1 := s.constant(lo, "a bound")
	h, ok2 := s.constant(hi, "a bound")
	if ok1 && ok2 && l > h {
		c.Errorf(codeRange, lo.Start, hi.End, "the range %d..%d has no values", l, h)
	}
	return l, h
}

var Types = map[string]ir.Type{"byte": ir.U8, "half": ir.U16, "word": ir.U32, "long": ir.S64}
