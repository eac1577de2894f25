package translate

import (
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// asm goto: jumps out of the text to labels of C. Outputs are written before such a jump too.

// gotoLabel reads a label of asm goto.
func (b *asmBlock) gotoLabel(e *cc.AsmExpressionList) string {
	p, ok := Unparen(e.AssignmentExpression).(*cc.PrimaryExpression)
	if !ok || p.Case != cc.PrimaryExpressionIdent {
		b.In.Reject(codeAsm, b.stmt, "a label is needed here")
	}
	return p.Token.SrcStr()
}

// outside returns the label of C that %l[name] or %l5 names. An operand with + counts twice.
func (b *asmBlock) outside(ref string) string {
	ref = strings.TrimPrefix(ref, "%l")
	i := -1
	if name, ok := strings.CutPrefix(ref, "["); ok {
		i = slices.IndexFunc(b.labels, func(l string) bool { return strings.EqualFold(l, strings.TrimSuffix(name, "]")) })
	} else if n, err := strconv.Atoi(ref); err == nil {
		i = n - len(b.operands)
		for _, o := range b.operands {
			if strings.Contains(o.constraint, "+") {
				i--
			}
		}
	}
	if i < 0 || i >= len(b.labels) {
		b.In.Reject(codeAsm, b.stmt, "%%l%s names no label", ref)
	}
	return b.labels[i]
}

// leave jumps to a label of C.
func (b *asmBlock) leave(ref string) {
	b.write(false)
	b.stmts.jumpTo(b.outside(ref))
}
