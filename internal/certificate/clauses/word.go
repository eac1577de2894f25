package clauses

import "fencepost/internal/ir"

// word is a number of 64 bits, the lowest first.
type word [64]Lit

func number(v int64) (w word) {
	for i := range w {
		w[i] = no
		if v>>i&1 == 1 {
			w[i] = yes
		}
	}
	return w
}

// truth returns 1 or 0.
func truth(l Lit) word {
	w := number(0)
	w[0] = l
	return w
}

// known returns the number, if it is one.
func (w word) known() (v int64, ok bool) {
	for i, l := range w {
		switch l {
		case yes:
			v |= 1 << i
		case no:
		default:
			return 0, false
		}
	}
	return v, true
}

// wrap cuts a number to a width and extends it.
func wrap(t ir.Type, w word) word {
	fill := no
	if t.Signed {
		fill = w[t.Bits-1]
	}
	for i := int(t.Bits); i < 64; i++ {
		w[i] = fill
	}
	return w
}

func (c *circuit) chooseWord(s Lit, a, b word) word {
	if a == b || s == no {
		return b
	}
	for i := range a {
		a[i] = c.choose(s, a[i], b[i])
	}
	return a
}

// freshWord returns a number about which nothing is said, of a width.
func (c *circuit) freshWord(bits int) word {
	w := number(0)
	for i := range bits {
		w[i] = c.fresh()
	}
	return w
}

func not(w word) word {
	for i := range w {
		w[i] = -w[i]
	}
	return w
}

func (c *circuit) bitwise(a, b word, gate func(a, b Lit) Lit) word {
	for i := range a {
		a[i] = gate(a[i], b[i])
	}
	return a
}

// add returns a+b+carry.
func (c *circuit) add(a, b word, carry Lit) word {
	for i := range a {
		x := c.xor(a[i], b[i])
		a[i], carry = c.xor(x, carry), c.choose(x, carry, a[i])
	}
	return a
}

func (c *circuit) sub(a, b word) word { return c.add(a, not(b), yes) }

func (c *circuit) negate(a word) word { return c.sub(number(0), a) }

// nonzero is true if a number is not 0.
func (c *circuit) nonzero(a word) Lit { return c.some(a[:]...) }

func (c *circuit) equal(a, b word) Lit {
	out := yes
	for i := range a {
		if out = c.and(out, -c.xor(a[i], b[i])); out == no {
			return no
		}
	}
	return out
}

// less compares numbers.
func (c *circuit) less(signed bool, a, b word) Lit {
	top := 63
	for top > 0 && a[top-1] == a[63] && b[top-1] == b[63] { // the bits above are copies, which decide nothing
		top--
	}
	if signed {
		a[top], b[top] = -a[top], -b[top]
	}
	out := no
	for i := range top + 1 {
		out = c.choose(c.xor(a[i], b[i]), b[i], out)
	}
	return out
}

// shifted returns a shifted to the left by a known number of bits.
func shifted(a word, n int) word {
	out := number(0)
	copy(out[n:], a[:64-n])
	return out
}

func (c *circuit) mul(t ir.Type, a, b word) word {
	if _, ok := a.known(); ok {
		a, b = b, a
	}
	sum := number(0)
	for i := range int(t.Bits) { // the upper bits of b make no difference to the lower ones of the product
		part := shifted(a, i)
		for k := range part {
			part[k] = c.and(part[k], b[i])
		}
		for k := int(t.Bits); k < 64; k++ {
			part[k] = no
		}
		sum = c.add(sum, part, no)
	}
	return sum
}

// divide returns quotient and rest of numbers without a sign. The divisor is not 0.
func (c *circuit) divide(a, b word) (quotient, rest word) {
	quotient, rest = number(0), number(0)
	for i := 63; i >= 0; i-- {
		over := rest[63] // the rest is less than b, so twice the rest may need one bit more
		rest = shifted(rest, 1)
		rest[0] = a[i]
		fits := c.or(over, -c.less(false, rest, b))
		quotient[i] = fits
		rest = c.chooseWord(fits, c.sub(rest, b), rest)
	}
	return quotient, rest
}

// divideOf returns quotient and rest as ir defines them.
func (c *circuit) divideOf(t ir.Type, a, b word) (quotient, rest word) {
	some := c.nonzero(b)
	signA, signB := no, no
	if t.Signed {
		signA, signB = a[63], b[63]
	}
	abs := func(w word, sign Lit) word { return c.chooseWord(sign, c.negate(w), w) }
	q, r := c.divide(abs(a, signA), abs(b, signB))
	q, r = abs(q, c.xor(signA, signB)), abs(r, signA)
	return c.chooseWord(some, q, number(0)), c.chooseWord(some, r, number(0))
}

// shift shifts by the number in the lowest bits of n.
func (c *circuit) shift(a, n word, bits int, right bool, fill Lit) word {
	for k := 0; 1<<k < bits; k++ {
		moved := word{}
		for i := range moved {
			from := i - 1<<k
			if right {
				from = i + 1<<k
			}
			moved[i] = fill
			if from >= 0 && from < 64 {
				moved[i] = a[from]
			}
		}
		a = c.chooseWord(n[k], moved, a)
	}
	return a
}
