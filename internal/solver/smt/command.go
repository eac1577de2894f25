package smt

import (
	"fmt"
	"strings"
)

// Command is a declaration, a definition or an assertion.
type Command struct{ text string }

// String returns the command as SMT-LIB has it.
func (c Command) String() string { return c.text }

// Declare returns the declaration of a constant.
func Declare(constant Term) Command {
	if constant.n.form != symbol {
		panic("BUG: not a constant: " + constant.String())
	}
	return Command{fmt.Sprintf("(declare-const %s %s)", constant, constant.Sort())}
}

// Define returns the definition of a constant.
func Define(constant, value Term) Command {
	if constant.n.form != symbol || !constant.Sort().equal(value.Sort()) {
		panic("BUG: a definition of wrong sorts: " + constant.String())
	}
	return Command{fmt.Sprintf("(define-fun %s () %s %s)", constant, value.Sort(), value)}
}

// Assert returns the assertion of a condition, for all questions.
func Assert(cond Term) Command { return Command{"(assert " + cond.String() + ")"} }

// Function is a function of terms, with a meaning or without one.
type Function struct {
	name   string
	params []Sort
	result Sort
	// Command declares or defines the function.
	Command Command
}

// Uninterpreted returns a function without a meaning.
func Uninterpreted(name string, result Sort, params ...Sort) *Function {
	sorts := make([]string, len(params))
	for i, s := range params {
		sorts[i] = s.String()
	}
	return &Function{name, params, result, Command{fmt.Sprintf("(declare-fun %s (%s) %s)", name, strings.Join(sorts, " "), result)}}
}

// Defined returns a function with a body, in which constants stand for its arguments.
func Defined(name string, body Term, params ...Term) *Function {
	sorts, list := make([]Sort, len(params)), make([]string, len(params))
	for i, p := range params {
		sorts[i], list[i] = p.Sort(), fmt.Sprintf("(%s %s)", p, p.Sort())
	}
	return &Function{name, sorts, body.Sort(), Command{fmt.Sprintf("(define-fun %s (%s) %s %s)", name, strings.Join(list, " "), body.Sort(), body)}}
}

// Apply returns the function applied to terms.
func (f *Function) Apply(args ...Term) Term {
	ok := len(args) == len(f.params)
	for i := range args {
		ok = ok && args[i].n.sort.equal(f.params[i])
	}
	return construct(applied, f.name, f.result, ok, args...)
}
