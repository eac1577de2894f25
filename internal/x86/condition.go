package x86

import (
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Condition is a condition on flags, by its number in instructions: the lowest bit negates.
type Condition uint8

// conditionNames has the names of the conditions, each with its number in front.
const conditionNames = " 0o 1no 2b 2c 2nae 3ae 3nb 3nc 4e 4z 5ne 5nz 6be 6na 7a 7nbe 8s 9ns :p :pe ;np ;po <l <nge =ge =nl >le >ng ?g ?nle "

// ConditionNamed returns the condition that a suffix of an instruction names, such as nz.
func ConditionNamed(name string) (Condition, bool) {
	for c := range Condition(16) {
		if name != "" && strings.Contains(conditionNames, " "+string(rune('0'+c))+name+" ") {
			return c, true
		}
	}
	return 0, false
}

// String returns the name of a condition that assemblers use.
func (c Condition) String() string {
	_, names, _ := strings.Cut(conditionNames, " "+string(rune('0'+c)))
	name, _, _ := strings.Cut(names, " ")
	return name
}

// reads are the flags that the pairs of conditions read.
var reads = [8][]Flag{{OF}, {CF}, {ZF}, {CF, ZF}, {SF}, {PF}, {SF, OF}, {ZF, SF, OF}}

// Reads returns the flags that a condition reads.
func (c Condition) Reads() []Flag { return reads[c/2] }

// Holds returns the condition over flags, which are 0 or 1.
func (c Condition) Holds(flag func(Flag) *ir.Expr) *ir.Expr {
	var e *ir.Expr
	or := func(x *ir.Expr) {
		if e == nil {
			e = x
		} else {
			e = ir.Binary(ir.LOr, ir.S64, e, x)
		}
	}
	for _, f := range c.Reads() {
		switch {
		case c < 12 || f == ZF:
			or(word.Ne(flag(f), ir.Int(0)))
		case f == SF:
			or(word.Ne(flag(SF), flag(OF)))
		}
	}
	if c&1 == 1 {
		return ir.Negate(e)
	}
	return e
}

// MoveIf is cmov: it loads its source and writes its destination in any case. holds returns the condition.
func MoveIf(m Machine, bits int, holds func() *ir.Expr) {
	v := m.Read(Second, bits)
	m.Write(First, bits, ir.Conditional(holds(), v, m.Read(First, bits)))
}
