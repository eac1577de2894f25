package dual

import "slices"

// Own messages. A message of a thread's own is a store that has reached memory and whose value the
// thread still reads from its buffer. Which ones are possible at a state follows from the thread
// alone: the stores since the last transition that empties the buffer, in their order, without stores
// that a later one to the same cell has replaced. A buffer loses its oldest messages first. So the
// own messages of a buffer are the end of such a word, and a configuration with other own messages
// is not reachable.
//
// Two facts are kept per state: the words, of cells only, and apart from them the values that stores
// to a cell can have. Both are computed forward over the transitions of the thread.

// pending says which own messages are possible at a state.
type pending struct {
	words  map[string]bool // ends of words of cells, as texts; nil: all
	values map[int64]bool  // cell and value; nil: all
}

// maxWords bounds the pairs of a state and a word of one thread. With more, words are not used.
const maxWords = 1 << 15

func valueKey(cell, value int32) int64 { return int64(cell)<<32 | int64(value) }

// wordOf appends a cell to a word. Cells have two bytes.
func wordOf(word string, cell int32) string {
	return word + string([]byte{byte(cell >> 8), byte(cell)})
}

// without returns a word without a cell.
func without(word string, cell int32) string {
	for i := 0; i < len(word); i += 2 {
		if word[i] == byte(cell>>8) && word[i+1] == byte(cell) {
			return word[:i] + word[i+2:]
		}
	}
	return word
}

// findPending computes what can be pending at the states of a thread.
func (th *thread) findPending(opt Options) {
	th.waits = make([]pending, len(th.states))
	if !opt.NoValues {
		th.findValues()
	}
	if !opt.NoWords {
		th.findWords()
	}
}

// findValues computes the values that own messages can have.
func (th *thread) findValues() {
	for s := range th.waits {
		th.waits[s].values = map[int64]bool{}
	}
	work := []int32{th.init}
	seen := make([]bool, len(th.states))
	for s := range th.states {
		work = append(work, int32(s))
		seen[s] = true
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		seen[s] = false
		for _, i := range th.out[s] {
			tr := &th.trans[i]
			if tr.kind == exclusive {
				continue
			}
			to, grew := th.waits[tr.to].values, false
			add := func(k int64) {
				if !to[k] {
					to[k], grew = true, true
				}
			}
			for k := range th.waits[s].values {
				if tr.kind != write || k>>32 != int64(tr.cell) {
					add(k)
				}
			}
			if tr.kind == write {
				add(valueKey(tr.cell, tr.value))
			}
			if grew && !seen[tr.to] {
				seen[tr.to] = true
				work = append(work, tr.to)
			}
		}
	}
}

// findWords computes the words, unless there are too many.
func (th *thread) findWords() {
	type at struct {
		state int32
		word  string
	}
	seen := map[at]bool{}
	var work []at
	add := func(a at) {
		if !seen[a] {
			seen[a] = true
			work = append(work, a)
		}
	}
	for s := range th.states { // a thread that is started begins with an empty buffer at any of its states
		add(at{int32(s), ""})
	}
	for len(work) > 0 {
		a := work[len(work)-1]
		work = work[:len(work)-1]
		if len(seen) > maxWords {
			return
		}
		for _, i := range th.out[a.state] {
			switch tr := &th.trans[i]; tr.kind {
			case write:
				add(at{tr.to, wordOf(without(a.word, tr.cell), tr.cell)})
			case exclusive: // which ends with an empty buffer
			default:
				add(at{tr.to, a.word})
			}
		}
	}
	for s := range th.waits {
		th.waits[s].words = map[string]bool{}
	}
	for a := range seen {
		words := th.waits[a.state].words
		for i := 0; i <= len(a.word); i += 2 {
			words[a.word[i:]] = true
		}
	}
}

// nothing reports whether no own message is possible at a state.
func (w *pending) nothing() bool { return len(w.words) == 1 }

// allows reports whether a buffer is possible at a state, as far as own messages go.
func (w *pending) allows(b []message) bool {
	if w.words == nil && w.values == nil {
		return true
	}
	var room [32]byte
	word := room[:0]
	for _, o := range b {
		if !o.self() {
			continue
		}
		word = append(word, byte(o.cell()>>8), byte(o.cell()))
		if w.values == nil {
			continue
		}
		if v := o.value(); v != anything {
			if !w.values[valueKey(o.cell(), v)] {
				return false
			}
		}
	}
	return w.words == nil || w.words[string(word)]
}

// selfWord returns the word of the own messages of a buffer.
func selfWord(b []message) string {
	word := ""
	for _, o := range b {
		if o.self() {
			word = wordOf(word, o.cell())
		}
	}
	return word
}

// before returns the cells of which an own message can stand before all other own messages of a
// buffer.
func (w *pending) before(b []message, cells int) []int32 {
	var out []int32
	word := selfWord(b)
	for c := range int32(cells) {
		if !slices.ContainsFunc(b, func(o message) bool { return o.self() && o.cell() == c }) {
			if w.words == nil || w.words[wordOf("", c)+word] {
				out = append(out, c)
			}
		}
	}
	return out
}
