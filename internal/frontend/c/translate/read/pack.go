package read

import (
	"bytes"
	"sort"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/lazyregexp"
)

// #pragma pack. cc hands pragmas over while it preprocesses, when the structs around them are not
// parsed yet. So the line becomes a declaration of the same effect on everything else: _Static_assert,
// which may stand at the same positions, with a condition that holds and has the number inside, and
// with the words of the pragma as its text. The number may be a macro, as in gcc.

var (
	packLine    = lazyregexp.New(`^[ \t]*#[ \t]*pragma[ \t]+pack[ \t]*\(([^()]*)\)`)
	packComment = lazyregexp.New(`/\*[^*]*\*/|\\\r?\n`)
	packName    = lazyregexp.New(`^[A-Za-z_]\w*$`)
)

// packMark begins the text of the assertions that stand for pragmas.
const packMark = "#pragma pack "

// packPragma is a line as cc must get it. It returns nil if the line is no #pragma pack, or not one that
// gcc knows.
func packPragma(line []byte) []byte {
	m := packLine.FindSubmatch(packComment.ReplaceAll(line, []byte(" ")))
	if m == nil {
		return nil
	}
	words := strings.Split(string(m[1]), ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	action, number := "set", ""
	if words[0] == "push" || words[0] == "pop" {
		action, words = words[0], words[1:]
		if len(words) > 0 && packName.MatchString(words[0]) && (len(words) > 1 || action == "pop") {
			action, words = action+" "+words[0], words[1:]
		}
	}
	switch {
	case len(words) > 1 || len(words) == 1 && strings.HasPrefix(action, "pop") || strings.ContainsAny(string(m[1]), "\"'"):
		return nil
	case len(words) == 1:
		number = words[0]
	}
	condition := "1"
	if number != "" {
		action, condition = action+" n", "("+number+")||1"
	} else if action == "set" {
		action = "reset"
	}
	// What is declared before the line may end on it, after the assertion.
	return append([]byte(`_Static_assert(`+condition+`,"`+packMark+action+`");`), bytes.Repeat([]byte("\n"), bytes.Count(line, []byte("\n")))...)
}

// packing is a #pragma pack in the order of the text.
type packing struct {
	seq    int // of its token
	assert *cc.StaticAssertDeclaration
}

// isPack reports whether an assertion stands for a #pragma pack.
func isPack(a *cc.StaticAssertDeclaration) bool {
	return strings.HasPrefix(a.Token4.SrcStr(), `"`+packMark)
}

// packs finds the limits that pragmas set at the ends of definitions. It is called when cc has checked
// what comes before the definition.
type packs struct {
	pragmas []packing
	sorted  bool
}

// at is the limit at a token, in bytes; 0: none.
func (p *packs) at(seq int) int64 {
	if !p.sorted {
		sort.Slice(p.pragmas, func(i, j int) bool { return p.pragmas[i].seq < p.pragmas[j].seq })
		p.sorted = true
	}
	type saved struct {
		name  string
		limit int64
	}
	var stack []saved
	limit := int64(0)
	for _, pragma := range p.pragmas {
		if pragma.seq > seq {
			break
		}
		words := strings.Fields(strings.Trim(pragma.assert.Token4.SrcStr(), `"`))[2:]
		name := ""
		if len(words) > 1 && words[1] != "n" {
			name = words[1]
		}
		switch words[0] {
		case "push":
			stack = append(stack, saved{name, limit})
		case "pop":
			i := len(stack) - 1
			for i >= 0 && name != "" && stack[i].name != name {
				i--
			}
			if i >= 0 {
				limit, stack = stack[i].limit, stack[:i]
			}
		case "reset":
			limit = 0
		}
		if words[len(words)-1] == "n" {
			limit = numberIn(pragma.assert.ConstantExpression)
		}
	}
	return limit
}

// numberIn is the first operand of the condition (n)||1. gcc ignores numbers that are no alignment.
func numberIn(e cc.ExpressionNode) int64 {
	if c, ok := e.(*cc.ConstantExpression); ok {
		e = c.ConditionalExpression
	}
	or, ok := e.(*cc.LogicalOrExpression)
	if !ok || or.LogicalOrExpression == nil {
		return 0
	}
	switch n := constant(or.LogicalOrExpression); n {
	case 1, 2, 4, 8, 16:
		return n
	}
	return 0
}
