package html

import (
	"sort"
	"strconv"

	"fencepost/verdict"
)

// memory has the bytes of memory at a step of a witness, as far as the witness tells: the
// initial value of a byte is known if a step read it before a store overwrote it. Cells
// are the cells that steps name; cells that overlap see each other's bytes.
type memory struct {
	cells []cell
	index map[cellKey]int
	at    map[uint64][]int // by byte: the cells that have it
	bytes map[uint64]byte  // known ones
}

type cellKey struct {
	addr uint64
	size int
}

type cell struct {
	cellKey
	name   string
	signed bool             // has held a negative value
	names  map[int64]string // the texts of values: of addresses and of floating point
	freed  bool
	shown  string
}

// change is a cell that a step wrote to, or whose value or state it changed.
type change struct {
	cell  int
	value string
}

// freedText is shown for a cell of a block that was freed.
const freedText = "freed"

// accessesMemory reports whether a step reads or writes a cell.
func accessesMemory(s verdict.Step) bool {
	switch s.Kind {
	case verdict.StepLoad, verdict.StepStore, verdict.StepFlush, verdict.StepRMW:
		return !s.Free
	}
	return false
}

// newMemory returns the memory before the first step. hidden says of machine code which steps no line of the source tells of:
// only they access some words of the stack and of libraries, which are no cells then.
func newMemory(w *verdict.Witness, hidden []bool) *memory {
	m := &memory{index: map[cellKey]int{}, at: map[uint64][]int{}, bytes: map[uint64]byte{}}
	for i, s := range w.Steps {
		if !accessesMemory(s) || hidden != nil && hidden[i] {
			continue
		}
		key := cellKey{s.Addr, s.Size}
		i, ok := m.index[key]
		if !ok {
			i = len(m.cells)
			m.index[key] = i
			m.cells = append(m.cells, cell{cellKey: key, name: s.Cell(), names: map[int64]string{}})
		}
		if s.Points+s.Number != "" {
			m.cells[i].names[s.Value] = s.ValueText()
		}
		if s.WrittenPoints+s.WrittenNumber != "" {
			m.cells[i].names[s.Written] = s.WrittenText()
		}
		if s.Value < 0 || s.Written < 0 {
			m.cells[i].signed = true
		}
	}
	sort.SliceStable(m.cells, func(i, j int) bool {
		a, b := m.cells[i], m.cells[j]
		return a.addr < b.addr || a.addr == b.addr && a.size > b.size
	})
	for i := range m.cells {
		m.index[m.cells[i].cellKey] = i
		for k := range max(1, m.cells[i].size) {
			at := m.cells[i].addr + uint64(k)
			m.at[at] = append(m.at[at], i)
		}
	}
	m.learnStart(w)
	for i := range m.cells {
		m.cells[i].shown = m.value(i)
	}
	return m
}

// learnStart takes what was read before it was written as what was there.
func (m *memory) learnStart(w *verdict.Witness) {
	written := map[uint64]bool{}
	for _, s := range w.Steps {
		if !accessesMemory(s) {
			continue
		}
		reads := s.Kind == verdict.StepLoad || s.Kind == verdict.StepRMW
		writes := s.Kind == verdict.StepFlush || s.Kind == verdict.StepStore && !s.Buffered || s.Kind == verdict.StepRMW && s.Wrote
		for k := range s.Size {
			at := s.Addr + uint64(k)
			if reads && s.ReadsFrom(k) == 0 && !written[at] {
				m.bytes[at] = byteOf(s.Value, k)
			}
			if writes {
				written[at] = true
			}
		}
	}
}

// byteOf is byte k of a value, lowest first, as on the machines in question.
func byteOf(v int64, k int) byte {
	if k >= 8 {
		return 0
	}
	return byte(uint64(v) >> (8 * k))
}

func (m *memory) value(i int) string {
	c := m.cells[i]
	if c.freed {
		return freedText
	}
	if c.size < 1 || c.size > 8 {
		return ""
	}
	var v uint64
	for k := range c.size {
		b, ok := m.bytes[c.addr+uint64(k)]
		if !ok {
			return ""
		}
		v |= uint64(b) << (8 * k)
	}
	if name := c.names[int64(v)]; name != "" {
		return name
	}
	if c.signed {
		free := 64 - 8*c.size
		return strconv.FormatInt(int64(v<<free)>>free, 10)
	}
	if c.size == 8 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}

// start lists the cells with what they hold before the first step.
func (m *memory) start(words *table) [][2]int {
	out := make([][2]int, len(m.cells))
	for i, c := range m.cells {
		out[i] = [2]int{words.add(c.name), words.add(c.shown)}
	}
	return out
}

// cell is the index of the cell that a step accesses, or -1.
func (m *memory) cell(s verdict.Step) int {
	if i, ok := m.index[cellKey{s.Addr, s.Size}]; ok && accessesMemory(s) {
		return i
	}
	return -1
}

// apply does step i and lists the cells it changed, or wrote to.
func (m *memory) apply(w *verdict.Witness, i int) []change {
	s := w.Steps[i]
	switch {
	case s.Kind == verdict.StepFlush && s.Free && s.Of >= 0 && s.Of < i:
		return m.block(w.Steps[s.Of].Accesses, true)
	case s.Kind == verdict.StepStore && s.Free && !s.Buffered:
		return m.block(s.Accesses, true)
	case s.Kind == verdict.StepExec && len(s.Accesses) > 0: // a block is allocated again
		return m.block(s.Accesses, false)
	case !accessesMemory(s):
		return nil
	}
	value := s.Value
	switch {
	case s.Kind == verdict.StepFlush, s.Kind == verdict.StepStore && !s.Buffered:
	case s.Kind == verdict.StepRMW && s.Wrote:
		value = s.Written
	default:
		return nil
	}
	for k := range s.Size {
		m.bytes[s.Addr+uint64(k)] = byteOf(value, k)
	}
	return m.changes(s.Addr, s.Size, m.cell(s))
}

// block marks the cells of blocks as freed, or as not freed.
func (m *memory) block(blocks []verdict.Access, freed bool) []change {
	var out []change
	for _, b := range blocks {
		if !b.Wrote {
			continue
		}
		for k := range m.cells {
			if c := &m.cells[k]; c.addr >= b.Addr && c.addr < b.Addr+uint64(max(1, b.Size)) {
				c.freed = freed
			}
		}
		out = append(out, m.changes(b.Addr, b.Size, -1)...)
	}
	return out
}

// changes lists the cells in a range of bytes whose text is another now, and the cell that was written to.
func (m *memory) changes(addr uint64, size, written int) []change {
	var out []change
	seen := map[int]bool{}
	for k := range max(1, size) {
		for _, i := range m.at[addr+uint64(k)] {
			c := &m.cells[i]
			if now := m.value(i); !seen[i] && (now != c.shown || i == written) {
				seen[i] = true
				c.shown = now
				out = append(out, change{i, now})
			}
		}
	}
	return out
}
