package translate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/source"
)

// Where memory orders are written. An order stands in the text as an argument of atomic_*_explicit or of a builtin, or it
// is not written: atomic_store(&x, v) and operators on _Atomic objects are seq_cst. The first is changed where it stands.
// The others become the explicit form.
//
// The position of an order is the innermost one in a file that may be changed: of an argument, where the argument stands;
// in the definition of a macro, the token of the definition, which all expansions share. A macro that is one order and nothing
// else is replaced where it is used.
//
// An order that is no single word, one that a function gets as a parameter, and an operator that is more than its call
// (an assignment whose value is used, an update of a pointer, a float or a _Bool) are known and read-only.

// orderForm says how an order stands in the text. The zero value is unset.
type orderForm uint8

const (
	_         orderForm = iota
	orderWord           // memory_order_relaxed or __ATOMIC_RELAXED, which is replaced
	shortCall           // atomic_store(...), which gets its orders as arguments
	loadOf              // x, which becomes a call
	storeTo             // x = v
	updateOf            // x += v, x++
)

// orderMark is an access with an order.
type orderMark struct {
	file       *source.File
	start, end int
	form       orderForm
	access     ir.OrderedAccess
	text       string
	edges      []ir.EdgeID
	readOnly   bool
	builtin    bool // the word is one of the builtins: __ATOMIC_RELAXED
	// Of an operator: where its operands stand, and the function that it becomes.
	left, right [2]int
	function    string
	again       string // what makes the old value the new one, which is used
}

// orderKey tells marks apart: a compare-exchange has two, and with a->b the loads of a and of a->b begin at one offset.
type orderKey struct {
	file       string
	start, end int
	kind       ir.AccessKind
}

// noteOrder notes the order of what was emitted since the function had some edges.
func (f *siteMarks) noteOrder(e *parse.Expr, use *OrderUse, order ir.Order, edges int) {
	if f.marks == nil || !f.Opt.Orders {
		return
	}
	kind := map[*OrderUse]ir.AccessKind{LoadOrder: ir.LoadAccess, StoreOrder: ir.StoreAccess, UpdateOrder: ir.UpdateAccess, FenceOrder: ir.FenceAccess}[use]
	if kind == ir.LoadAccess && slices.ContainsFunc(f.Code.Fb.F.Edges[edges:], func(e ir.Edge) bool { return e.Op.Kind == ir.RMW }) {
		kind = ir.FailureAccess
	}
	first, last := f.withoutParentheses(e)
	list := f.writtenAt(first)
	if len(list) == 0 {
		return
	}
	of := list[0]
	for _, w := range list {
		if word := wordAt(w.file.Text, w.offset); w.whole && word != "" && !bytes.HasPrefix(bytes.TrimLeft(w.file.Text[w.offset+len(word):], " \t"), []byte("(")) {
			of = w
		}
	}
	file, offset := of.file, of.offset
	at := &orderMark{file: file, start: offset, readOnly: first != last, form: orderWord}
	word := wordAt(file.Text, offset)
	at.end = offset + len(word)
	written := word
	if of.whole && !isOrder(word) {
		if written = wordAt(list[0].file.Text, list[0].offset); !isOrder(written) {
			written = string(f.In.Text(first))
		}
	}
	switch {
	case f.isPasted(first):
		at.readOnly = true
	case isOrder(written):
		at.builtin = strings.HasPrefix(written, builtinOrder)
	case strings.HasPrefix(word, "atomic_") && callEnd(file.Text, at.end) > 0:
		at.form = shortCall
	default:
		at.readOnly = true
	}
	at.text = strings.TrimSpace(lineAt(file.Text, offset))
	f.addOrder(at, kind, order, edges)
}

// builtinOrder begins the names of orders of builtins.
const builtinOrder = "__ATOMIC_"

// isOrder reports whether a word is the name of an order, and not the beginning of one that a macro completes.
func isOrder(word string) bool {
	name, ok := strings.CutPrefix(word, "memory_order_")
	if !ok {
		if name, ok = strings.CutPrefix(word, builtinOrder); name != strings.ToUpper(name) {
			return false
		}
	}
	return ok && slices.Contains([]string{"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"}, strings.ToLower(name))
}

// isPasted reports whether a token of a file that may be changed is not written there, but made by ## in a macro.
func (f *siteMarks) isPasted(tok int32) bool {
	p := f.In.Position(f.In.Tree.Source.Tokens[tok].Pos)
	file := f.marks.files[p.File]
	if file == nil {
		return false
	}
	_, _, ok := f.tokenStart(file, tok)
	return !ok
}

// withoutParentheses returns the first and the last token of an expression inside its parentheses.
func (f *siteMarks) withoutParentheses(e *parse.Expr) (first, last int32) {
	first, last = e.Tokens()
	tokens := f.In.Tree.Source.Tokens
	for first < last && tokens[first].Kind == lex.LParen && tokens[last].Kind == lex.RParen {
		first, last = first+1, last-1
	}
	return first, last
}

// addOrder adds a mark, or the edges to the one that there is.
func (f *siteMarks) addOrder(at *orderMark, kind ir.AccessKind, order ir.Order, edges int) {
	at.access = ir.OrderedAccess{Kind: kind, Written: order}
	key := orderKey{at.file.Name, at.start, at.end, kind}
	if old := f.marks.orders[key]; old != nil {
		if old.access.Written != order {
			old.readOnly = true
		}
		at = old
	} else {
		f.marks.orders[key] = at
		f.marks.orderList = append(f.marks.orderList, at)
	}
	for _, e := range f.Code.Fb.F.Edges[edges:] {
		if hasOrder(&e.Op, kind) {
			at.edges = append(at.edges, e.ID)
		}
	}
}

// hasOrder reports whether an operation is an access of a kind.
func hasOrder(op *ir.Op, kind ir.AccessKind) bool {
	switch kind {
	case ir.LoadAccess:
		return op.Kind == ir.Load
	case ir.StoreAccess:
		return op.Kind == ir.Store || op.Kind == ir.RMW
	case ir.UpdateAccess, ir.FailureAccess:
		return op.Kind == ir.RMW
	default:
		return op.Kind == ir.Fence || op.Kind == ir.Nop
	}
}

// written is a position of a token in a file that may be changed: where it stands, or where a macro is used that it comes from. whole
// says that these macros are the token and nothing else.
type written struct {
	file   *source.File
	offset int
	whole  bool
}

// writtenAt returns the positions of a token in files that may be changed, the innermost first.
func (f *siteMarks) writtenAt(tok int32) (out []written) {
	s := f.In.Tree.Source
	if tok < 0 || int(tok) >= len(s.Tokens) {
		return nil
	}
	whole := true
	note := func(at lex.Pos) {
		p := f.In.Position(at)
		if file := f.marks.files[p.File]; file != nil {
			if offset, ok := file.Offset(source.Pos{Line: p.Line, Col: p.Col}); ok && offset < len(file.Text) {
				out = append(out, written{file, offset, whole})
			}
		}
	}
	note(s.Tokens[tok].Pos)
	var outwards func(from uint32)
	outwards = func(from uint32) {
		for from != 0 {
			e := &s.Expansions[from]
			if e.IsArgument { // it was written where the macro is used, or came out of other macros there
				outwards(e.Inner)
			}
			whole = whole && len(e.Body) == 1
			note(e.Call)
			from = e.Parent
		}
	}
	outwards(s.Tokens[tok].From)
	return out
}

// wordAt returns the word that begins at an offset.
func wordAt(text []byte, offset int) string {
	end := offset
	for end < len(text) && (text[end] == '_' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return string(text[offset:end])
}

// lineAt returns the line of an offset.
func lineAt(text []byte, offset int) string {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	end := bytes.IndexByte(text[offset:], '\n')
	if end < 0 {
		return string(text[start:])
	}
	return string(text[start : offset+end])
}

// callEnd returns where the closing parenthesis of the arguments stands that begin at an offset, or -1.
func callEnd(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			i = quoted(text, i)
			continue
		case bytes.HasPrefix(text[i:], []byte("/*")):
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return -1
			}
			i += end + 4
			continue
		case c == '(':
			depth++
		case bytes.HasPrefix(text[i:], []byte("//")):
			i = lineEnd(text, i)
			continue
		case c == ')' && depth > 0:
			if depth--; depth == 0 {
				return i
			}
		case depth == 0 && c != ' ' && c != '\t' && c != '\n' && c != '\\' && c != '\r':
			return -1
		}
		i++
	}
	return -1
}

// aroundCommas returns parentheses for the argument of a macro that has a comma outside of parentheses.
func aroundCommas(text []byte) (open, shut string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			i = quoted(text, i) - 1
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			return "(", ")"
		}
	}
	return "", ""
}

// sortOrders brings the marks into the order of the text, the outer ones first.
func (m *marks) sortOrders() {
	slices.SortStableFunc(m.orderList, func(a, b *orderMark) int {
		return cmp.Or(cmp.Compare(m.order[a.file.Name], m.order[b.file.Name]), cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.access.Kind, b.access.Kind))
	})
}

// orderSites returns the accesses as sites. One word that is the order of accesses of several kinds stays as it is.
func (m *marks) orderSites() []ir.FenceSite {
	m.sortOrders()
	fixed := map[orderKey]bool{} // operators that cannot become calls, in one of the expansions of their text
	for _, a := range m.orderList {
		if a.form == 0 && a.access.Kind != ir.LoadAccess {
			fixed[orderKey{a.file.Name, a.start, 0, a.access.Kind}] = true
		}
	}
	for i, a := range m.orderList {
		if (a.form == storeTo || a.form == updateOf) && fixed[orderKey{a.file.Name, a.start, 0, a.access.Kind}] {
			a.readOnly = true
		}
		if i > 0 && a.form == orderWord {
			if b := m.orderList[i-1]; b.form == orderWord && b.file == a.file && b.start == a.start {
				a.readOnly, b.readOnly = true, true
			}
		}
	}
	var out []ir.FenceSite
	for _, a := range m.orderList {
		access := a.access
		expansions := 0
		if len(a.edges) > 1 {
			expansions = len(a.edges)
		}
		out = append(out, ir.FenceSite{
			Pos: a.file.Span(a.start, a.end), Edges: a.edges, Before: a.text, ReadOnly: a.readOnly, Expansions: expansions, Access: &access,
		})
	}
	return out
}

// writeOrders writes accesses with other orders. Where several pieces of text begin or end at one offset, what is inside
// closes first.
func (m *marks) writeOrders(choices map[*orderMark]ir.Order) (closing, edits []source.Edit) {
	for i, a := range m.orderList {
		order, ok := choices[a]
		if !ok {
			continue
		}
		replace := func(from, to int, text string) {
			edits = append(edits, source.Edit{File: a.file.Name, Start: from, End: to, Text: text})
		}
		closes := func(from, to int, text string) {
			closing = append([]source.Edit{{File: a.file.Name, Start: from, End: to, Text: text}}, closing...)
		}
		name := "memory_order_" + order.String()
		switch a.form {
		case orderWord:
			if a.builtin {
				name = builtinOrder + strings.ToUpper(order.String())
			}
			replace(a.start, a.end, name)
		case shortCall:
			if a.access.Kind == ir.FailureAccess {
				continue // with the other order
			}
			if next := i + 1; next < len(m.orderList) && m.orderList[next].start == a.start && m.orderList[next].file == a.file {
				name += ", memory_order_" + choices[m.orderList[next]].String()
			}
			replace(a.end, a.end, "_explicit")
			end := callEnd(a.file.Text, a.end)
			closes(end, end, ", "+name)
		case loadOf:
			open, shut := aroundCommas(a.file.Text[a.left[0]:a.left[1]])
			replace(a.start, a.start, "atomic_load_explicit(&"+open)
			closes(a.end, a.end, shut+", "+name+")")
		case storeTo, updateOf:
			function := "atomic_store_explicit(&"
			if a.form == updateOf {
				function = "atomic_fetch_" + a.function + "_explicit(&"
			}
			if a.again != "" {
				function, name = "("+function, name+")"+a.again
			}
			open, shut := aroundCommas(a.file.Text[a.left[0]:a.left[1]])
			replace(a.start, a.left[0], function+open)
			if a.right == [2]int{} {
				closes(a.left[1], a.end, shut+", 1, "+name+")")
				break
			}
			first, last := aroundCommas(a.file.Text[a.right[0]:a.right[1]])
			closes(a.left[1], a.left[1], shut)
			replace(a.left[1], a.right[0], ", "+first)
			closes(a.end, a.end, last+", "+name+")")
		default:
			panic("BUG: an order is written where the text is not to be changed")
		}
	}
	return closing, edits
}
