package lin

import "strings"

// Pairs: a call that ends another one, as unlock does, gets back what that was given or returned: the node of a queue lock, the
// slot of an array lock, the state that a section began with. The type says which argument that is.

// handed is an argument of a call that ends another one: a result of that one.
type handed struct {
	result bool // what it returned; otherwise its parameter
	param  int  // of the call that began: one for results, or a block
}

// pair says that a call of end ends what a call of begin begins.
func pair(begin, end *Operation) {
	begin.Ends, end.ended, end.begin = end, true, begin
	end.handed = map[int]handed{}
	used := map[handed]bool{}
	for i := range end.Params {
		for _, h := range begin.gives(&end.Params[i]) {
			if !used[h] {
				end.handed[i], used[h] = h, true
				break
			}
		}
	}
}

// gives lists what of a call can be an argument for a parameter of the call that ends it.
func (o *Operation) gives(p *Param) []handed {
	typ := p.Type
	switch p.Kind {
	case BlockArg:
		typ = pointerTo(typ)
	case ValueArg, KeyArg:
	default:
		return nil
	}
	var out []handed
	for j := range o.Params {
		switch given := &o.Params[j]; {
		case given.Kind == OutArg && given.Type == typ, given.Kind == BlockArg && p.Kind == BlockArg && given.Type == p.Type,
			given.Kind == p.Kind && given.Type == p.Type && given.Name == p.Name:
			out = append(out, handed{param: j})
		}
	}
	if o.Result == typ {
		out = append(out, handed{result: true})
	}
	return out
}

// pointerTo returns the type of pointers to a type.
func pointerTo(typ string) string {
	if pointer(typ) {
		return typ + "*"
	}
	return typ + " *"
}

// keeps reports whether what a call returns is an argument of the call that ends it.
func (o *Operation) keeps(h handed) bool {
	if o.Ends == nil {
		return false
	}
	for _, one := range o.Ends.handed {
		if one == h {
			return true
		}
	}
	return false
}

// beginOf returns the call that begins what a call ends: the one before it. It is nil if there is none.
func beginOf(calls []call, n int) *call {
	if n > 0 && calls[n].op.begin != nil && calls[n-1].op == calls[n].op.begin {
		return &calls[n-1]
	}
	return nil
}

// handOver gives calls that end others the arguments of those.
func handOver(calls []call) {
	for n := range calls {
		begin := beginOf(calls, n)
		if begin == nil {
			continue
		}
		for i, h := range calls[n].op.handed {
			if !h.result && begin.op.Params[h.param].Kind != OutArg {
				calls[n].args[i] = begin.args[h.param]
			}
		}
	}
}

// keptName is a variable with a result for the call that ends a call.
func keptName(n int, h handed) string {
	if h.result {
		return numbered("lin_kept", n)
	}
	return numbered("lin_kept", n) + numbered("_", h.param+1)
}

// handedText returns the argument for parameter i of call n, if it is a result of the call before.
func handedText(calls []call, n, i int) (string, bool) {
	h, is := calls[n].op.handed[i]
	if begin := beginOf(calls, n); !is || begin == nil || !h.result && begin.op.Params[h.param].Kind != OutArg {
		return "", false
	}
	return keptName(n-1, h), true
}

// declareKept writes the variables that a client needs for this.
func declareKept(b *strings.Builder, calls []call) {
	for n := range calls {
		op := calls[n].op
		if h := (handed{result: true}); op.keeps(h) {
			b.WriteString("static " + op.Result + " " + keptName(n, h) + ";\n")
		}
		for j := range op.Params {
			if h := (handed{param: j}); op.Params[j].Kind == OutArg && op.keeps(h) {
				b.WriteString("static " + op.Params[j].Type + " " + keptName(n, h) + ";\n")
			}
		}
	}
}
