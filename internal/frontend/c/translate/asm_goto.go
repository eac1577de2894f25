package translate

import (
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/lang/c/parse"
)

// asm goto: jumps out of the text to labels of C. Outputs are written before such a jump too.

// outside returns the label of C that %l[name] or %l5 names. An operand with + counts twice.
func (b *asmBlock) outside(ref string) *parse.Label {
	ref = strings.TrimPrefix(ref, "%l")
	i := -1
	if name, ok := strings.CutPrefix(ref, "["); ok {
		i = slices.IndexFunc(b.labels, func(l *parse.Label) bool { return strings.EqualFold(l.Text, strings.TrimSuffix(name, "]")) })
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
	b.jump(b.outside(ref))
}
