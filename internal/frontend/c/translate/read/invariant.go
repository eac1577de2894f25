package read

import (
	"bytes"
	"fmt"
	"strings"

	"fencepost/internal/lazyregexp"
	"fencepost/internal/source"
)

// Invariants in C: //@ invariant e in front of a statement, //@ global e for one that
// holds always, both with forall i, j: in front of the condition; and //@ abstract e, a read
// abstraction of the load in the statement that follows; and //@ ghost x = e; y = f;, assignments
// to ghost variables. The comment becomes a
// call of a function we model before the parser sees the text, in the same line, so that
// conditions have the scope, the types and the meaning of C. The call is translated to
// code that never runs, beside the statement.

// Names of the functions that stand for annotations.
const (
	InvariantHere   = "__fp_inv"
	InvariantAlways = "__fp_all"
	InvariantBound  = "__fp_any"
	BoundPointer    = "__fp_ptr"
	Abstraction     = "__fp_abs"
	GhostCode       = "__fp_g"
)

// invariantPrototypes declares them.
const invariantPrototypes = "void " + InvariantHere + "(long); void " + InvariantAlways + "(long); void " + Abstraction + "(long); void " + GhostCode + "(long); long " + InvariantBound + "(void); void *" + BoundPointer + "(long);\n"

var (
	InvariantWord  = lazyregexp.New(`^//@[ \t]*(invariant|global|abstract|ghost)\b[ \t]*`)
	boundVariables = lazyregexp.New(`^forall[ \t]+([A-Za-z_]\w*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*)[ \t]*:[ \t]*`)
	boundPointers  = lazyregexp.New(`^forall[ \t]+((?:struct[ \t]+|union[ \t]+)?[A-Za-z_]\w*)[ \t]*(\*[ \t]*[A-Za-z_]\w*(?:[ \t]*,[ \t]*\*[ \t]*[A-Za-z_]\w*)*)[ \t]*:[ \t]*`)
	otherWord      = lazyregexp.New(`^//@[ \t]*replicate[ \t\r]*$`)
)

// withInvariants is a text with its annotations turned into calls.
func (c *Input) withInvariants(name string, text []byte) []byte {
	if !c.opt.Invariants {
		return text
	}
	var out bytes.Buffer
	last := 0
	for _, at := range annotationsIn(text) {
		comment := line(text[at:])
		out.Write(text[last:at])
		last = at + len(comment)
		out.Write(c.invariantCall(name, text, at, comment))
	}
	out.Write(text[last:])
	return out.Bytes()
}

// invariantCall returns the text that replaces a comment.
func (c *Input) invariantCall(name string, text []byte, at int, comment []byte) []byte {
	span := source.NewFile(name, text).Span(at, at+len(comment))
	m := InvariantWord.FindSubmatch(comment)
	if m == nil {
		if !otherWord.Match(comment) {
			c.Errorf(CodeAnnotation, span, "this is not an annotation").
				Note("annotations are //@ invariant CONDITION, //@ global CONDITION (with 'forall i:' before the condition if it is about every i), //@ abstract CONDITION, //@ ghost ASSIGNMENTS and //@ replicate")
		}
		return comment
	}
	cond := string(comment[len(m[0]):])
	call := map[string]string{"invariant": InvariantHere, "global": InvariantAlways, "abstract": Abstraction, "ghost": GhostCode}[string(m[1])]
	if strings.TrimSpace(cond) == "" {
		what := "the condition is missing"
		if call == GhostCode {
			what = "the assignments are missing"
		}
		c.Errorf(CodeAnnotation, span, "%s", what)
		return comment
	}
	c.Invariants[Position{name, span.Line}] = source.Span{Pos: span.Pos, EndLine: span.EndLine, EndCol: span.EndCol}
	if what := notOneExpression(cond, call == GhostCode); what != "" {
		c.Errorf(CodeAnnotation, span, "%s", what)
		return comment
	}
	if call == GhostCode {
		if cond = assignments(cond); cond == "" {
			c.Errorf(CodeAnnotation, span, "ghost code consists of assignments with ';' between them").
				Note("it has no jumps and no loops; write a choice as x = condition ? e : x")
			return comment
		}
	}
	bound, rest := quantified(cond)
	if bound != "" {
		if call == Abstraction {
			c.Errorf(CodeAnnotation, span, "an abstraction is about one value, and cannot have forall")
			return comment
		}
		return []byte(call + "(({" + bound + rest + ";}));")
	}
	head := call + "("
	pad := len(m[0]) - len(head)
	if call == GhostCode {
		pad -= len("((")
	}
	if pad > 0 { // the condition keeps its columns
		head += strings.Repeat(" ", pad)
	}
	return []byte(head + cond + ");")
}

// quantified takes forall from a condition, and returns declarations of its variables: numbers, or pointers to all
// blocks of a type.
func quantified(cond string) (bound, rest string) {
	var b strings.Builder
	if v := boundPointers.FindStringSubmatch(cond); v != nil {
		for _, name := range strings.Split(v[2], ",") {
			fmt.Fprintf(&b, "%s %s=%s(sizeof(%s));", v[1], strings.TrimSpace(name), BoundPointer, v[1])
		}
		return b.String(), cond[len(v[0]):]
	}
	v := boundVariables.FindStringSubmatch(cond)
	if v == nil {
		return "", cond
	}
	for _, name := range strings.Split(v[1], ",") {
		fmt.Fprintf(&b, "long %s=%s();", strings.TrimSpace(name), InvariantBound)
	}
	return b.String(), cond[len(v[0]):]
}

// notOneExpression says why the text of an annotation is not an expression, or several with ';' between them: as a part of a
// call it would end the call, or the rest of it would be statements of the program. "" if nothing is wrong.
func notOneExpression(code string, several bool) string {
	var open []byte
	for i := 0; i < len(code); i++ {
		switch ch := code[i]; ch {
		case '\'', '"':
			for i++; i < len(code) && code[i] != ch; i++ {
				if code[i] == '\\' {
					i++
				}
			}
			if i >= len(code) {
				return "a quotation mark in this annotation has no end"
			}
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case ')', ']':
			if len(open) == 0 || open[len(open)-1] != ch {
				return "the parentheses in this annotation do not match"
			}
			open = open[:len(open)-1]
		case ';':
			if !several {
				return "a condition is one expression, without ';'"
			}
			if len(open) > 0 {
				return "the parentheses in this annotation do not match"
			}
		case '\\':
			return "an annotation is one line, without '\\'"
		case '/':
			if i+1 < len(code) && (code[i+1] == '/' || code[i+1] == '*') {
				return "an annotation cannot have a comment in it"
			}
		}
	}
	if len(open) > 0 {
		return "the parentheses in this annotation do not match"
	}
	return ""
}

// statementWord matches what is a statement and no expression.
var statementWord = lazyregexp.New(`^(if|else|for|while|do|switch|case|default|return|goto|break|continue)\b`)

// assignments returns ghost code as one expression: it cannot jump and cannot loop. "" if the code has statements other
// than expressions.
func assignments(code string) string {
	if strings.ContainsAny(code, "{}") {
		return ""
	}
	out := "("
	for _, e := range strings.Split(strings.TrimRight(code, "; \t\r"), ";") {
		if e := strings.TrimSpace(e); e == "" || statementWord.MatchString(e) {
			return ""
		}
		out += "(" + e + "),"
	}
	return out + "0)"
}

// Position is a line with an annotation.
type Position struct {
	File string
	Line int
}
