package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. It has the methods of regexp.Regexp.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns the regular expression of a text. A text that is wrong panics at its first use.
func New(text string) *Regexp {
	return &Regexp{compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// FindAllSubmatchIndex is FindAllSubmatchIndex of the compiled expression.
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllSubmatchIndex(b, n)
}

// FindSubmatch is FindSubmatch of the compiled expression.
func (r *Regexp) FindSubmatch(b []byte) [][]byte {
	return r.compiled().FindSubmatch(b)
}

// Match is Match of the compiled expression.
func (r *Regexp) Match(b []byte) bool {
	return r.compiled().Match(b)
}

// ReplaceAll is ReplaceAll of the compiled expression.
func (r *Regexp) ReplaceAll(src, repl []byte) []byte {
	return r.compiled().ReplaceAll(src, repl)
}

// ReplaceAllFunc is ReplaceAllFunc of the compiled expression.
func (r *Regexp) ReplaceAllFunc(src []byte, repl func([]byte) []byte) []byte {
	return r.compiled().ReplaceAllFunc(src, repl)
}

// FindAll is FindAll of the compiled expression.
func (r *Regexp) FindAll(b []byte, n int) [][]byte {
	return r.compiled().FindAll(b, n)
}

// FindAllIndex is FindAllIndex of the compiled expression.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllIndex(b, n)
}

// FindAllString is FindAllString of the compiled expression.
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.compiled().FindAllString(s, n)
}

// FindAllStringSubmatch is FindAllStringSubmatch of the compiled expression.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindIndex is FindIndex of the compiled expression.
func (r *Regexp) FindIndex(b []byte) []int {
	return r.compiled().FindIndex(b)
}

// FindStringSubmatch is FindStringSubmatch of the compiled expression.
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.compiled().FindStringSubmatch(s)
}

// MatchString is MatchString of the compiled expression.
func (r *Regexp) MatchString(s string) bool {
	return r.compiled().MatchString(s)
}

// FindAllSubmatch is FindAllSubmatch of the compiled expression.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindSubmatchIndex is FindSubmatchIndex of the compiled expression.
func (r *Regexp) FindSubmatchIndex(b []byte) []int {
	return r.compiled().FindSubmatchIndex(b)
}

// ReplaceAllString is ReplaceAllString of the compiled expression.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is ReplaceAllStringFunc of the compiled expression.
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(src, repl)
}

// FindStringSubmatchIndex is FindStringSubmatchIndex of the compiled expression.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// ExpandString is ExpandString of the compiled expression.
func (r *Regexp) ExpandString(dst []byte, template, src string, match []int) []byte {
	return r.compiled().ExpandString(dst, template, src, match)
}
