package smt

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// sexpr is an S-expression: an atom, or a list.
type sexpr struct {
	atom string
	list []sexpr
}

func (x sexpr) String() string {
	if x.atom != "" {
		return x.atom
	}
	parts := make([]string, len(x.list))
	for i, y := range x.list {
		parts[i] = y.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// value returns numbers in the usual notation: -3 for (- 3), and bit-vectors of 64 bits as signed
// numbers.
func (x sexpr) value() string {
	for prefix, base := range map[string]int{"#x": 16, "#b": 2} {
		if digits, ok := strings.CutPrefix(x.atom, prefix); ok {
			if v, err := strconv.ParseUint(digits, base, 64); err == nil {
				return strconv.FormatInt(int64(v), 10)
			}
		}
	}
	if len(x.list) == 2 && x.list[0].atom == "-" && x.list[1].atom != "" {
		return "-" + x.list[1].atom
	}
	return x.String()
}

// readExpr reads one S-expression.
func readExpr(r io.ByteScanner) (sexpr, error) {
	b, err := nonSpace(r)
	switch {
	case err != nil:
		return sexpr{}, err
	case b == '(':
		return readList(r)
	case b == ')':
		return sexpr{}, fmt.Errorf("a ')' without its '('")
	}
	return readAtom(r, b)
}

func nonSpace(r io.ByteScanner) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil || b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			return b, err
		}
	}
}

func readList(r io.ByteScanner) (sexpr, error) {
	var x sexpr
	for {
		b, err := nonSpace(r)
		if err != nil {
			return x, err
		}
		if b == ')' {
			return x, nil
		}
		if err := r.UnreadByte(); err != nil {
			return x, err
		}
		y, err := readExpr(r)
		if err != nil {
			return x, err
		}
		x.list = append(x.list, y)
	}
}

// readAtom reads a symbol, number or string that begins with b.
func readAtom(r io.ByteScanner, b byte) (sexpr, error) {
	atom := []byte{b}
	quote := byte(0)
	if b == '|' || b == '"' {
		quote = b
	}
	for {
		c, err := r.ReadByte()
		if err != nil {
			return sexpr{atom: string(atom)}, nil // the end of the text ends the atom
		}
		switch {
		case quote != 0:
			atom = append(atom, c)
			if c == quote {
				return sexpr{atom: string(atom)}, nil
			}
		case strings.IndexByte(" \n\t\r()", c) >= 0:
			return sexpr{atom: string(atom)}, r.UnreadByte()
		default:
			atom = append(atom, c)
		}
	}
}
