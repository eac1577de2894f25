package lin

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/query"
)

// Clients as C. The same text is explored, shown to the user, and answered by check.

// Names in clients; the functions of a library rarely have them.
const (
	objectName = "lin_object"
	resultName = "lin_result"
	blockName  = "lin_block"
	doneName   = "lin_returned"
	goName     = "lin_may_begin"
	orderName  = "lin_order"
	shownName  = "lin_shown"
	overName   = "lin_over"

	legalName = "lin_legal"
)

// writer writes clients of an object.
type writer struct {
	object  *Object
	include string
	prelude string // of an object instead: types, and functions that call its code
	returns query.Return
	hasMain bool // the file has a main
	heap    bool // blocks are on the heap, since operations free them
}

// program returns a client whose calls respect an order. excluded, if not nil, are results that an assertion excludes; if there are none, that all calls return, and
// why a comment that says so.
func (w *writer) program(c *client, o order, excluded []int64, why string) string {
	if excluded == nil {
		return w.text(c, o, "", "", why)
	}
	text := assertion(excluded)
	if c.pending != 0 && len(excluded) == 0 {
		text = "  assert(!\"these calls return\");\n"
	}
	return w.text(c, o, "", text, why)
}

// allows returns a client whose results satisfy a condition.
func (w *writer) allows(c *client, o order, condition string) string {
	function := fmt.Sprintf("\nstatic int %s(void) {\n  return %s;\n}\n", legalName, condition)
	return w.text(c, o, function, fmt.Sprintf("  assert(%s());\n", legalName), "")
}

// text returns a client that ends with an assertion, unless that is "", for which there may be a function.
func (w *writer) text(c *client, o order, function, assertion, why string) string {
	var b strings.Builder
	m := w.impose(c, o)
	if why != "" {
		fmt.Fprintf(&b, "// %s\n", strings.ReplaceAll(why, "\n", "\n// "))
	}
	if assertion != "" {
		b.WriteString("#include <assert.h>\n")
	}
	if m.flags || c.checks || w.returns == query.ReturnDrains {
		b.WriteString("#include <stdatomic.h>\n#include <stdlib.h>\n")
	}
	w.head(&b, c)
	imposes := m.flags && len(m.added) > 0
	if imposes && m.open {
		fmt.Fprintf(&b, "static atomic_int %s[%d]; // by call; loads of it leave stores in the buffer\n", goName, len(c.concurrent()))
	}
	if imposes && !m.open || c.checks {
		fmt.Fprintf(&b, "static atomic_int %s[%d]; // by call: it has returned\n", doneName, len(c.concurrent()))
	}
	if c.checks {
		declareShown(&b, c, assertion == "")
	}
	n := 0
	for t, calls := range c.threads {
		if len(calls) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\nstatic void *thread_%d(void *unused) {\n", t+1)
		for range calls {
			if m.flags {
				m.before(&b, n)
			}
			b.WriteString(w.call(c, len(c.prefix)+n, "  "))
			if w.returns == query.ReturnDrains {
				b.WriteString("  atomic_thread_fence(memory_order_seq_cst);\n")
			}
			if m.flags {
				m.after(&b, n)
			}
			if c.checks {
				m.shows(&b, c, n)
			}
			n++
		}
		b.WriteString("  return 0;\n}\n")
	}
	for _, n := range m.later() {
		fmt.Fprintf(&b, "\nstatic void *clock_%d(void *unused) {\n  atomic_store(&%s[%d], 1);\n  return 0;\n}\n", n+1, goName, n)
	}
	b.WriteString(function)
	b.WriteString("\nint main(void) {\n")
	w.begin(&b, c)
	threads(&b, c, m)
	w.end(&b, c)
	b.WriteString(assertion)
	switch {
	case c.checks && assertion == "":
		fmt.Fprintf(&b, "  atomic_store(&%s, 1);\n  exit(0);\n}\n", overName)
	case c.checks:
		b.WriteString("  exit(0); // other calls may wait\n}\n")
	default:
		b.WriteString("  return 0;\n}\n")
	}
	return b.String()
}

// head writes what stands before the functions.
func (w *writer) head(b *strings.Builder, c *client) {
	b.WriteString("#include <pthread.h>\n")
	if w.heap {
		b.WriteString("#include <stdlib.h>\n")
	}
	if w.prelude != "" {
		b.WriteString("\n" + w.prelude + "\n")
	} else if w.hasMain {
		fmt.Fprintf(b, "#define main lin_main_of_file\n#include %q\n#undef main\n\n", w.include)
	} else {
		fmt.Fprintf(b, "#include %q\n\n", w.include)
	}
	switch o := w.object; {
	case o.Type == "":
	case o.Made && o.Opaque:
		fmt.Fprintf(b, "static %s %s;\n", o.Type, objectName)
	case o.Made:
		fmt.Fprintf(b, "static %s *%s;\n", o.Type, objectName)
	default:
		fmt.Fprintf(b, "static %s %s;\n", o.Type, objectName)
	}
	for _, op := range []*Operation{w.object.Init, w.object.Destroy} {
		w.given(b, op)
	}
	declared := map[int]bool{}
	for _, one := range c.all() {
		for j, p := range one.op.Params {
			if p.Kind == BlockArg && !declared[one.args[j]] {
				declared[one.args[j]] = true
				fmt.Fprintf(b, "static %s;\n", w.blockOf(p.Type, numbered(blockName, one.args[j])))
			}
		}
	}
	declareKept(b, c.all())
	if n := c.slotOf(); n[len(n)-1] > 0 {
		fmt.Fprintf(b, "static long %s[%d];\n", resultName, n[len(n)-1])
	}
}

// numbered returns a name with a number.
func numbered(name string, n int) string { return fmt.Sprintf("%s%d", name, n) }

// blockOf declares a block: one of some type, or 64 bytes where any pointer is taken.
func (w *writer) blockOf(typ, name string) string {
	switch {
	case w.heap && typ == "void":
		return "long *" + name
	case w.heap:
		return typ + " *" + name
	case typ == "void":
		return "long " + name + "[8]"
	}
	return typ + " " + name
}

// begin writes the calls before the threads.
func (w *writer) begin(b *strings.Builder, c *client) {
	if w.prelude != "" {
		b.WriteString("  fencepost_start(); // constructors of globals\n")
	}
	if w.heap {
		w.allocate(b, c)
	}
	if w.object.Init != nil {
		text := w.plain(w.object.Init)
		if w.object.Made {
			text = objectName + " = " + text
		}
		fmt.Fprintf(b, "  %s;\n", text)
	}
	for i := range c.prefix {
		b.WriteString(w.call(c, i, "  "))
	}
}

// allocate writes how blocks come from the heap.
func (w *writer) allocate(b *strings.Builder, c *client) {
	made := map[int]bool{}
	for _, one := range c.all() {
		for j, p := range one.op.Params {
			if n := one.args[j]; p.Kind == BlockArg && !made[n] {
				made[n] = true
				count := 1
				if p.Type == "void" {
					count = 8
				}
				fmt.Fprintf(b, "  %s%d = calloc(%d, sizeof *%s%d);\n", blockName, n, count, blockName, n)
			}
		}
	}
}

// block returns the address of a block.
func (w *writer) block(n int) string {
	if w.heap {
		return numbered(blockName, n)
	}
	return numbered("&"+blockName, n)
}

// end writes the calls after the threads.
func (w *writer) end(b *strings.Builder, c *client) {
	from := len(c.prefix) + len(c.concurrent())
	for i := range c.suffix {
		b.WriteString(w.call(c, from+i, "  "))
	}
	if w.object.Destroy != nil && c.pending == 0 {
		fmt.Fprintf(b, "  %s;\n", w.plain(w.object.Destroy))
	}
}

// plain returns a call of a function that begins or ends the life of the object.
func (w *writer) plain(op *Operation) string {
	var args []string
	for i, p := range op.Params {
		switch p.Kind {
		case ObjectArg:
			args = append(args, w.objectArg())
		case BlockArg, OutArg:
			name := givenName(op, i)
			if p.Flexible {
				name = "(void *)" + name
			}
			args = append(args, name)
		default:
			args = append(args, fmt.Sprint(p.Low))
		}
	}
	return fmt.Sprintf("%s(%s)", op.Name, strings.Join(args, ", "))
}

// givenName returns the memory that a function gets which begins or ends the life of the object.
func givenName(op *Operation, i int) string { return fmt.Sprintf("lin_for_%s_%d", op.Name, i+1) }

// given declares this memory: arrays with as many elements as the capacity that the function is told.
func (w *writer) given(b *strings.Builder, op *Operation) {
	if op == nil {
		return
	}
	for i, p := range op.Params {
		switch {
		case (p.Kind == BlockArg || p.Kind == OutArg) && (p.Type == "void" || p.Flexible):
			fmt.Fprintf(b, "static long %s[%d];\n", givenName(op, i), 16*capacity)
		case p.Kind == BlockArg || p.Kind == OutArg:
			fmt.Fprintf(b, "static %s %s[%d];\n", p.Type, givenName(op, i), capacity)
		}
	}
}

// object returns the argument for the object.
func (w *writer) objectArg() string {
	if w.object.Made {
		return objectName
	}
	return "&" + objectName
}

// expression returns a call as an expression. Out-parameters are the variables lin_out_1 and so on.
func (w *writer) expression(calls []call, n int) string {
	var args []string
	outs, one := 0, &calls[n]
	for i, p := range one.op.Params {
		if text, is := handedText(calls, n, i); is {
			args = append(args, text)
			continue
		}
		switch p.Kind {
		case ObjectArg:
			args = append(args, w.objectArg())
		case ValueArg, KeyArg, FixedArg:
			args = append(args, fmt.Sprint(one.args[i]))
		case BlockArg:
			args = append(args, w.block(one.args[i]))
		case OutArg:
			outs++
			args = append(args, fmt.Sprintf("&lin_out_%d", outs))
		default:
			panic("BUG: a parameter without a kind")
		}
	}
	return fmt.Sprintf("%s(%s)", one.op.Name, strings.Join(args, ", "))
}

// call writes a call as a statement that stores its results.
func (w *writer) call(c *client, n int, indent string) string {
	calls, slot := c.all(), c.slotOf()[n]
	one := &calls[n]
	text := w.expression(calls, n)
	pending, shown := c.isPending(n), c.isShown(n)
	stored := func(value, typ string) string {
		line := fmt.Sprintf("%s[%d] = %s;\n", resultName, slot, w.number(c, value, typ))
		switch {
		case pending:
			return ""
		case shown:
			line = fmt.Sprintf("atomic_store_explicit(&%s[%d], %s, memory_order_relaxed);\n", shownName, slot, w.number(c, value, typ))
		}
		slot++
		return line
	}
	var before, after []string
	outs := 0
	for _, p := range one.op.Params {
		if p.Kind == OutArg {
			outs++
			name := fmt.Sprintf("lin_out_%d", outs)
			zero := "0"
			if p.Members != nil {
				zero = "{0}"
			}
			before = append(before, fmt.Sprintf("%s %s = %s;\n", p.Type, name, zero))
		}
	}
	returned := handed{result: true}
	switch {
	case one.op.Result == "void":
		text += ";\n"
	case one.op.keeps(returned):
		text = keptName(n, returned) + " = " + text + ";\n"
		after = append(after, stored(keptName(n, returned), one.op.Result))
	case pointer(one.op.Result):
		before = append(before, fmt.Sprintf("%s lin_value = %s;\n", one.op.Result, text))
		text = ""
		after = append(after, stored("lin_value", one.op.Result))
	case pending:
		text += ";\n"
	default:
		text = stored(text, one.op.Result)
	}
	outs = 0
	for j, p := range one.op.Params {
		if p.Kind == OutArg {
			outs++
			name := fmt.Sprintf("lin_out_%d", outs)
			if h := (handed{param: j}); one.op.keeps(h) {
				after = append(after, fmt.Sprintf("%s = %s;\n", keptName(n, h), name))
			}
			for _, member := range p.Members {
				after = append(after, stored(name+"."+member, "long"))
			}
			if p.Members == nil {
				after = append(after, stored(name, p.Type))
			}
		}
	}
	if len(before)+len(after) == 0 {
		return indent + text
	}
	lines := slices.Concat(before, []string{text}, after) // what is not stored is ""
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	return indent + "{\n" + indent + "  " + strings.Join(lines, indent+"  ") + indent + "}\n"
}

// number returns an expression for a value as a number: of a pointer, the number of the block that it points to, 0 for none and
// -1 for others.
func (w *writer) number(c *client, value, typ string) string {
	if !pointer(typ) {
		return value
	}
	var b strings.Builder
	for _, one := range c.all() {
		for j, p := range one.op.Params {
			if p.Kind == BlockArg && (typ == p.Type+" *" || typ == "void *") {
				fmt.Fprintf(&b, "%s == (void *)%s ? %d : ", value, w.block(one.args[j]), one.args[j])
			}
		}
	}
	return fmt.Sprintf("%s%s ? -1 : 0", b.String(), value)
}

// assertion writes that the results are not these.
func assertion(excluded []int64) string {
	if len(excluded) == 0 {
		return "  assert(!\"all calls return\");\n"
	}
	var wild []*int64
	for i := range excluded {
		wild = append(wild, &excluded[i])
	}
	return fmt.Sprintf("  assert(!(%s));\n", are(wild))
}

// are returns a condition for results; nil stands for any.
func are(values []*int64) string {
	var parts []string
	for i, v := range values {
		if v != nil {
			parts = append(parts, fmt.Sprintf("%s[%d] == %d", resultName, i, *v))
		}
	}
	if len(parts) == 0 {
		return "1"
	}
	return strings.Join(parts, " && ")
}
