package translate

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Invariants in C: //@ invariant e in front of a statement, //@ global e for one that
// holds always, both with forall i, j: in front of the condition. The comment becomes a
// call of a function we model before the parser sees the text, in the same line, so that
// conditions have the scope, the types and the meaning of C. The call is translated to
// code that never runs (property.Claim), beside the statement.

// Names of the functions that stand for annotations.
const (
	claimHere   = "__fp_inv"
	claimAlways = "__fp_all"
	claimBound  = "__fp_any"
)

// claimPrototypes declares them.
const claimPrototypes = "void " + claimHere + "(long); void " + claimAlways + "(long); long " + claimBound + "(void);\n"

var (
	claimWord = regexp.MustCompile(`^//@[ \t]*(invariant|global)\b[ \t]*`)
	claimVars = regexp.MustCompile(`^forall[ \t]+([A-Za-z_]\w*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*)[ \t]*:[ \t]*`)
	otherWord = regexp.MustCompile(`^//@[ \t]*replicate[ \t\r]*$`)
)

// withClaims is a text with its annotations turned into calls.
func (c *input) withClaims(name string, text []byte) []byte {
	if !c.opt.Claims {
		return text
	}
	var out bytes.Buffer
	last := 0
	for _, at := range annotationsIn(text) {
		comment := line(text[at:])
		out.Write(text[last:at])
		last = at + len(comment)
		out.Write(c.claimCall(name, text, at, comment))
	}
	out.Write(text[last:])
	return out.Bytes()
}

// claimCall is what replaces a comment.
func (c *input) claimCall(name string, text []byte, at int, comment []byte) []byte {
	span := source.NewFile(name, text).Span(at, at+len(comment))
	m := claimWord.FindSubmatch(comment)
	if m == nil {
		if !otherWord.Match(comment) {
			c.errorf(codeAnnotation, span, "no annotation is written like this").
				Note("there are //@ invariant CONDITION, //@ global CONDITION, with 'forall i:' in front of the condition if it is about every i, and //@ replicate")
		}
		return comment
	}
	cond := string(comment[len(m[0]):])
	call := claimHere
	if string(m[1]) == "global" {
		call = claimAlways
	}
	if strings.TrimSpace(cond) == "" {
		c.errorf(codeAnnotation, span, "the condition is missing")
		return comment
	}
	c.said[claimPlace{name, span.Line}] = source.Span{Pos: span.Pos, EndLine: span.EndLine, EndCol: span.EndCol}
	if v := claimVars.FindStringSubmatch(cond); v != nil {
		var b strings.Builder
		for _, bound := range strings.Split(v[1], ",") {
			fmt.Fprintf(&b, "long %s=%s();", strings.TrimSpace(bound), claimBound)
		}
		return []byte(call + "(({" + b.String() + cond[len(v[0]):] + ";}));")
	}
	head := call + "("
	if pad := len(m[0]) - len(head); pad > 0 { // the condition keeps its columns
		head += strings.Repeat(" ", pad)
	}
	return []byte(head + cond + ");")
}

// claimPlace is a line with an annotation.
type claimPlace struct {
	file string
	line int
}

// collectItems notes the statements that stand directly in a block: only in front of
// those can an annotation stand.
func (c *input) collectItems(n cc.Node) {
	if item, ok := n.(*cc.BlockItem); ok && c.opt.Claims {
		p := item.Position()
		c.items[source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}] = true
	}
}

// libClaim translates a condition that is claimed.
func libClaim(f *lowering, l *libCall) value {
	p := l.node.Position()
	pos, ok := f.in.said[claimPlace{p.Filename, p.Line}]
	if !ok {
		f.in.refuse(codeExtern, l.node, "%s has no body, and what it does is not known", l.name)
	}
	if !f.in.items[source.Pos{File: p.Filename, Line: p.Line, Col: p.Column}] {
		f.in.errorf(codeAnnotation, pos, "an annotation cannot stand here").Note("it belongs in front of a statement of a block, { ... }")
		panic(refusal{})
	}
	if f.code.at == nowhere {
		return nothing()
	}
	f.code.pos = pos
	from := f.code.at
	never := ir.NewOp(ir.Assume)
	never.Val = ir.Int(0)
	f.code.emit(never)
	first := f.code.fb.F.Edges[len(f.code.fb.F.Edges)-1].ID
	claim := ir.NewOp(ir.Assert)
	claim.Val = truthOf(f.exprs.operand(l.args[0]))
	claim.Class, claim.Msg = ir.Assertion, "invariant"
	f.code.fb.Edge(f.code.at, claim, from, f.code.pos)
	f.code.at, f.code.fresh = from, false
	if l.name == claimAlways && readsLocals(f, first) {
		f.in.errorf(codeAnnotation, pos, "a condition that holds always cannot be about local variables")
		panic(refusal{})
	}
	text := f.in.files[pos.File].Slice(pos)
	text = strings.TrimSpace(string(claimWord.ReplaceAll([]byte(text), nil)))
	f.claims = append(f.claims, property.Claim{Edge: first, Always: l.name == claimAlways, Text: text, Pos: pos})
	return nothing()
}

// readsLocals reports whether the edges from one on read registers that they do not
// set.
func readsLocals(f *lowering, first ir.EdgeID) bool {
	set, reads := map[ir.Reg]bool{}, false
	for i := range f.code.fb.F.Edges {
		if e := &f.code.fb.F.Edges[i]; e.ID >= first {
			e.Op.Defs(func(r ir.Reg) { set[r] = true })
		}
	}
	for i := range f.code.fb.F.Edges {
		if e := &f.code.fb.F.Edges[i]; e.ID >= first {
			e.Op.Uses(func(r ir.Reg) { reads = reads || !set[r] })
		}
	}
	return reads
}

// libBound is a variable of a condition that stands for every number.
func libBound(f *lowering, l *libCall) value {
	op := ir.NewOp(ir.Havoc)
	op.Dst = f.code.temp()
	f.code.emit(op)
	return integer(ir.R(op.Dst), ir.S64)
}

// unattached reports annotations that no statement took up.
func (c *input) unattached() {
	for at, pos := range c.said {
		used := slices.ContainsFunc(c.claims, func(cl property.Claim) bool { return cl.Pos.File == at.file && cl.Pos.Line == at.line })
		if !used && !c.diags.HasErrors() {
			c.diags.Warnf(codeUnused, pos, "nothing that runs comes here, so that this annotation says nothing")
		}
	}
}
