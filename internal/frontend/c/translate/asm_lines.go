package translate

import (
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/x86"
)

// The lines of an assembly statement, with labels and jumps. A label with a number can be there
// several times: 1b is the last one before the jump, 1f the next one after it.

// asmLine is an instruction with the labels before it. The instruction is empty at the end of the
// text.
type asmLine struct {
	labels []string
	text   string
	at     ir.Loc // where jumps to the line go; nowhere: no jump goes there
}

var (
	asmDialects = lazyregexp.New(`\{([^{}|]*)(?:\|[^{}]*)?\}`) // AT&T's and Intel's syntax
	asmLabel    = lazyregexp.New(`^(\.?\w+(?:%=)?):\s*(.*)$`)
	asmComment  = lazyregexp.New(`(?m)(?:^|\s)(?:# |//).*$`)
	asmJump     = lazyregexp.New(`^j(\w+) (\.?\w+(?:%=)?|%l(?:\d+|\[\w+\]))$`)
	asmLayout   = lazyregexp.New(`^\.(?:p2align|align|balign|cfi_|loc|file|type|size|global|globl|local|weak|hidden)`)
)

// asmLines cuts the text of an assembly statement. A prefix stays with its instruction.
func asmLines(template string) []asmLine {
	text := strings.ReplaceAll(strings.ToLower(template), "\t", " ")
	if !strings.Contains(text, "%{") {
		text = asmDialects.ReplaceAllString(text, "$1")
	}
	text = asmComment.ReplaceAllString(text, "")
	var out []asmLine
	var labels []string
	prefix, section := "", false
	for _, p := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		p = strings.Join(strings.Fields(p), " ")
		for m := asmLabel.FindStringSubmatch(p); m != nil; m = asmLabel.FindStringSubmatch(p) {
			labels, p = append(labels, m[1]), m[2]
		}
		switch {
		case strings.HasPrefix(p, ".pushsection"), strings.HasPrefix(p, ".section"), strings.HasPrefix(p, ".subsection"):
			section = true // what is in another section is not executed here
		case p == ".popsection", p == ".previous":
			section = false
		case p == "", section, asmLayout.MatchString(p):
		case p == "lock", p == "rep":
			prefix = p + " "
		default:
			out = append(out, asmLine{labels, prefix + p, Nowhere})
			labels, prefix = nil, ""
		}
	}
	return append(out, asmLine{labels, strings.TrimSpace(prefix), Nowhere})
}

// findFlags finds the flags that the statement reads, so that only these are computed.
func (b *asmBlock) findFlags() {
	need := func(flags ...x86.Flag) {
		for _, f := range flags {
			if b.machine.flags[f] == ir.NoReg {
				b.machine.flags[f] = b.Code.Temp()
			}
		}
	}
	for _, o := range b.operands {
		if o.flag != nil {
			need(o.flag.Reads()...)
		}
	}
	for _, l := range b.lines {
		word, _, _ := strings.Cut(strings.TrimPrefix(l.text, "lock "), " ")
		if strings.HasPrefix(word, "adc") || strings.HasPrefix(word, "sbb") || strings.HasPrefix(word, "rcl") || strings.HasPrefix(word, "rcr") || word == "cmc" {
			need(x86.CF)
		}
		for _, kind := range []string{"set", "cmov", "j"} {
			rest, ok := strings.CutPrefix(word, kind)
			if !ok || rest == "" {
				continue
			}
			c, known := x86.ConditionNamed(rest)
			if !known && kind == "cmov" {
				c, known = x86.ConditionNamed(rest[:len(rest)-1])
			}
			if known {
				need(c.Reads()...)
			}
		}
	}
}

// findLabels finds the lines that jumps go to, and refuses jumps that go nowhere.
func (b *asmBlock) findLabels() {
	for i := range b.lines {
		if m := asmJump.FindStringSubmatch(b.lines[i].text); m != nil {
			if strings.HasPrefix(m[2], "%l") {
				b.outside(m[2])
				continue
			}
			to := b.target(i, m[2])
			if to < 0 {
				b.In.Refuse(codeAsm, b.stmt, "the jump %q goes to no label of the statement", b.lines[i].text)
			}
			if b.lines[to].at == Nowhere {
				b.lines[to].at = b.Code.Label("")
			}
		}
	}
}

// target returns the line that a jump in line i goes to, -1 if there is none.
func (b *asmBlock) target(i int, label string) int {
	has := func(k int, name string) bool {
		for _, l := range b.lines[k].labels {
			if l == name {
				return true
			}
		}
		return false
	}
	if number, way := label[:len(label)-1], label[len(label)-1]; label[0] >= '0' && label[0] <= '9' {
		switch way {
		case 'b':
			for k := i; k >= 0; k-- {
				if has(k, number) {
					return k
				}
			}
		case 'f':
			for k := i + 1; k < len(b.lines); k++ {
				if has(k, number) {
					return k
				}
			}
		}
		return -1
	}
	for k := range b.lines {
		if has(k, label) {
			return k
		}
	}
	return -1
}

// line translates a line.
func (b *asmBlock) line(i int) {
	l := &b.lines[i]
	if l.at != Nowhere {
		b.Code.Here(l.at)
	}
	switch m := asmJump.FindStringSubmatch(l.text); {
	case l.text == "":
	case m == nil:
		b.instruction(l.text)
	case m[1] == "mp" && strings.HasPrefix(m[2], "%l"):
		b.leave(m[2])
	case m[1] == "mp":
		b.Code.Jump(b.lines[b.target(i, m[2])].at)
	default:
		c, ok := x86.ConditionNamed(m[1])
		if !ok {
			b.In.Refuse(codeAsm, b.stmt, "the instruction %q is not supported", l.text)
		}
		holds := b.condition(c)
		from, next := b.Code.Start(), b.Code.Label("")
		to := next
		if strings.HasPrefix(m[2], "%l") {
			to = b.Code.Label("")
		} else {
			to = b.lines[b.target(i, m[2])].at
		}
		b.Code.Assume(from, holds, to)
		b.Code.Assume(from, ir.Negate(holds), next)
		if strings.HasPrefix(m[2], "%l") {
			b.Code.At, b.Code.Fresh = to, false
			b.leave(m[2])
		}
		b.Code.At, b.Code.Fresh = next, false
	}
}

// asmHints are instructions that change nothing, beside those of package x86.
var asmHints = map[string]bool{
	"rep nop": true, "rep": true, "cld": true, "endbr64": true,
	".byte 0xf3, 0x90": true, ".byte 0xf3,0x90": true,
}

// instruction translates one instruction.
func (b *asmBlock) instruction(p string) {
	p = b.numbers(p)
	fence, known := x86.FenceNamed(p)
	switch {
	case fence == ir.FullFence, isLockedNop(p):
		b.Mem.FullFence()
		return
	case fence == ir.StoreStoreFence:
		b.Mem.StoreFence()
		return
	case known, asmHints[p], strings.HasPrefix(p, "prefetch"), strings.HasPrefix(p, "clflush"), strings.HasPrefix(p, "clwb "):
		op := ir.NewOp(ir.Nop)
		if p == "lfence" {
			op.Sync.Marks = ir.Machine
		}
		b.Code.Emit(op)
		return
	}
	if b.foreignBarrier(p) {
		return
	}
	locked := strings.HasPrefix(p, "lock ")
	word, rest, _ := strings.Cut(strings.TrimPrefix(p, "lock "), " ")
	if word == "rep" {
		word, rest, _ = strings.Cut(rest, " ")
		word = "rep " + word
	}
	in := &asmInstruction{asmBlock: b, text: p, locked: locked}
	if plain := strings.TrimPrefix(word, "rep "); plain != word && strings.HasPrefix(plain, "bsf") {
		word, in.repeated = plain, true
	}
	for _, a := range splitOperands(rest) {
		in.args = append(in.args, b.argument(a, p))
	}
	in.run(word)
}

// splitOperands cuts at commas outside parentheses.
func splitOperands(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		out = append(out, last)
	}
	return out
}
