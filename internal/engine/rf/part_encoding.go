package rf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"fencepost/internal/machine"
	"fencepost/internal/rc11"
)

// A task as bytes:
//
//	magic      "fprf" and the version of this layout
//	identity   of the exploration: program, model, options, version of fencepost
//	origin     a hash of the tasks whose exploration left this one, and of its number among them
//	cells      the partition of memory, by the numbers that the graph uses
//	graph      how far the exploration is, and the operations of each thread
//	checksum   SHA-256 of everything before it; this is also the name of the task
//
// Numbers are varints. The origin makes the names of all tasks of an exploration different.

var magic = []byte("fprf\x02")

const (
	headSize = 5 + 2*sha256.Size
	// maxCell is the size of the largest cell. No access is larger.
	maxCell = 1 << 12
)

// seal returns the bytes of a task.
func (p *Parts) seal(origin [32]byte, cells []span, body []byte) []byte {
	b := append(append(append([]byte{}, magic...), p.identity[:]...), origin[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(body)))
	b = append(b, body...)
	b = binary.AppendUvarint(b, uint64(len(cells)))
	for _, s := range cells {
		b = binary.AppendUvarint(b, s.addr)
		b = binary.AppendUvarint(b, uint64(s.size))
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// originOf is the origin of task number i that a portion leaves.
func originOf(portion []byte, i int) [32]byte {
	return sha256.Sum256(binary.LittleEndian.AppendUint64(portion, uint64(i)))
}

// check returns the graph and the cells of a task as bytes.
func (p *Parts) check(data []byte) (graph, cells []byte, err error) {
	const least = headSize + 8 + sha256.Size
	if len(data) < least || !bytes.HasPrefix(data, magic) {
		return nil, nil, fmt.Errorf("%w: it is too short, or of another version", ErrTask)
	}
	end := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, nil, fmt.Errorf("%w: it is damaged", ErrTask)
	}
	if !bytes.Equal(data[len(magic):len(magic)+sha256.Size], p.identity[:]) {
		return nil, nil, fmt.Errorf("%w: it is about another program, model, options or version", ErrTask)
	}
	rest := data[headSize:end]
	n := binary.LittleEndian.Uint64(rest)
	if rest = rest[8:]; n > uint64(len(rest)) {
		return nil, nil, fmt.Errorf("%w: it is damaged", ErrTask)
	}
	return rest[:n], rest[n:], nil
}

// Check returns an error if bytes are not a task of the exploration.
func (p *Parts) Check(data []byte) error {
	_, _, err := p.open(data, newCells())
	return err
}

// open reads a task, and gives its cells numbers. It returns false if the partition of the task does not
// fit that of cs.
func (p *Parts) open(data []byte, cs *cells) (branch, bool, error) {
	body, table, err := p.check(data)
	if err != nil {
		return branch{}, false, err
	}
	d := &decoder{data: table}
	n := d.count()
	var all []span
	for range n {
		s := span{d.uint(), int(d.uint())}
		if s.size < 1 || s.size > maxCell || s.addr+uint64(s.size) < s.addr {
			d.fail("a cell has no size")
			break
		}
		all = append(all, s)
	}
	if d.end(); d.err != nil {
		return branch{}, false, d.err
	}
	for _, s := range all {
		cs.of(s.addr, s.size)
	}
	numbers := make([]int32, len(all))
	for i, s := range all {
		is := cs.of(s.addr, s.size)
		if len(is) != 1 {
			return branch{}, false, nil
		}
		numbers[i] = is[0]
	}
	d = &decoder{data: body, cells: numbers, threads: p.y.Threads()}
	b := d.graph()
	return b, true, d.err
}

// widthOf returns what part of the whole exploration a task is expected to be.
func widthOf(data []byte) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(data[headSize+8:]))
}

// appendGraph appends a graph that is to be visited.
func appendGraph(b []byte, br *branch) []byte {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(br.width))
	b = binary.AppendUvarint(b, uint64(br.resumes))
	b = binary.AppendUvarint(b, uint64(br.g.stamp))
	b = binary.AppendUvarint(b, uint64(len(br.g.threads)))
	for _, ops := range br.g.threads {
		b = binary.AppendUvarint(b, uint64(len(ops)))
		for i := range ops {
			b = appendOp(b, &ops[i])
		}
	}
	return b
}

func appendFlags(b []byte, flags ...bool) []byte {
	n := uint64(0)
	for i, f := range flags {
		if f {
			n |= 1 << i
		}
	}
	return binary.AppendUvarint(b, n)
}

// number is an integer of a graph.
type number interface{ ~int32 | ~uint64 }

func appendList[T number](b []byte, list []T) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, n := range list {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendRefs(b []byte, list []ref) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, r := range list {
		b = appendRef(b, r)
	}
	return b
}

func appendRef(b []byte, r ref) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.thread)), uint64(r.index))
}

func appendLabel(b []byte, l machine.Label) []byte {
	b = binary.AppendUvarint(b, uint64(l.Edge))
	b = binary.AppendUvarint(b, uint64(l.Inner))
	return binary.AppendVarint(b, l.Choice)
}

// appendOp appends an operation. A test fails if a field is missing here.
func appendOp(b []byte, o *op) []byte {
	b = appendLabel(appendLabel(b, o.label), o.picked)
	b = appendFlags(b, o.drains, o.global, o.mutex, o.again, o.unlock, o.later, o.known, o.buffered, o.ends, o.waits, o.frees, o.allocs, o.ended != nil, o.unit.is, o.unit.section)
	for _, n := range []int32{o.join, o.pick, o.unit.stalled, o.epoch, o.ord, o.done} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, m := range []rc11.Mode{o.orders.read, o.orders.fail, o.orders.write, o.orders.fence} {
		b = binary.AppendUvarint(b, uint64(m))
	}
	b = appendFlags(b, o.orders.update, o.orders.shared, o.orders.held, o.signals)
	b = appendRefs(appendRefs(b, o.causes), o.ended)
	b = binary.AppendUvarint(b, uint64(len(o.reads)))
	for _, r := range o.reads {
		b = binary.AppendUvarint(b, uint64(r.cell))
		b = binary.AppendUvarint(b, uint64(r.stamp))
		b = appendRef(b, r.from)
		b = binary.AppendUvarint(appendFlags(b, r.pool), r.block)
	}
	b = binary.AppendUvarint(b, uint64(len(o.choices)))
	for _, c := range o.choices {
		b = binary.AppendUvarint(b, uint64(c.stamp))
		b = appendLabel(appendFlags(b, c.later), c.before)
	}
	b = appendList(appendList(appendList(b, o.cells), o.writes), o.unit.all)
	b = appendList(appendList(appendList(b, o.blocks), o.words), o.masks)
	return appendList(appendList(b, o.wakes), o.past)
}

// decoder reads a graph. After the first error it reads zeros.
type decoder struct {
	data    []byte
	cells   []int32 // numbers of the cells
	threads int
	err     error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrTask, what)
	}
	d.data = nil
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.fail("it ends early")
		return 0
	}
	d.data = d.data[size:]
	return n
}

// small reads a number that is not negative as int32.
func (d *decoder) small() int32 {
	n := d.uint()
	if n > math.MaxInt32 {
		d.fail("a number is too large")
		return 0
	}
	return int32(n)
}

// count reads the length of a list. An element has at least a byte.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.fail("a list is too long")
		return 0
	}
	return int(n)
}

// end fails if something is left.
func (d *decoder) end() {
	if len(d.data) > 0 {
		d.fail("something follows")
	}
}

func (d *decoder) flags(to ...*bool) {
	n := d.uint()
	for i, f := range to {
		*f = n>>i&1 != 0
	}
	if n>>len(to) != 0 {
		d.fail("a flag is unknown")
	}
}

func (d *decoder) label() machine.Label {
	l := machine.Label{Edge: d.small()}
	inner := d.uint()
	if inner > math.MaxUint32 {
		d.fail("a number is too large")
	}
	l.Inner = uint32(inner)
	n, size := binary.Varint(d.data)
	if size <= 0 {
		d.fail("it ends early")
		return l
	}
	d.data = d.data[size:]
	l.Choice = n
	return l
}

func decodeList[T any](d *decoder, one func() T) []T {
	var out []T
	for range d.count() {
		out = append(out, one())
	}
	return out
}

func (d *decoder) ref() ref { return ref{d.small(), d.small()} }

// cell reads the number of a cell.
func (d *decoder) cell() int32 {
	n := d.small()
	if int(n) >= len(d.cells) {
		d.fail("a cell is unknown")
		return 0
	}
	return d.cells[n]
}

func (d *decoder) op() op {
	var o op
	waits := false
	o.label, o.picked = d.label(), d.label()
	d.flags(&o.drains, &o.global, &o.mutex, &o.again, &o.unlock, &o.later, &o.known, &o.buffered, &o.ends, &o.waits, &o.frees, &o.allocs, &waits, &o.unit.is, &o.unit.section)
	for _, n := range []*int32{&o.join, &o.pick, &o.unit.stalled, &o.epoch, &o.ord, &o.done} {
		*n = d.small()
	}
	for _, m := range []*rc11.Mode{&o.orders.read, &o.orders.fail, &o.orders.write, &o.orders.fence} {
		*m = rc11.Mode(d.small())
	}
	d.flags(&o.orders.update, &o.orders.shared, &o.orders.held, &o.signals)
	o.causes, o.ended = decodeList(d, d.ref), decodeList(d, d.ref)
	if waits && o.ended == nil {
		o.ended = []ref{}
	}
	o.reads = decodeList(d, func() read {
		r := read{cell: d.cell(), stamp: d.small(), from: d.ref()}
		d.flags(&r.pool)
		r.block = d.uint()
		return r
	})
	o.choices = decodeList(d, func() choice {
		c := choice{stamp: d.small()}
		d.flags(&c.later)
		c.before = d.label()
		return c
	})
	o.cells, o.writes, o.unit.all = decodeList(d, d.cell), decodeList(d, d.cell), decodeList(d, d.cell)
	o.blocks, o.words, o.masks = decodeList(d, d.uint), decodeList(d, d.uint), decodeList(d, d.uint)
	o.wakes, o.past = decodeList(d, d.small), decodeList(d, d.small)
	return o
}

// graph reads a graph that is to be visited.
func (d *decoder) graph() branch {
	if len(d.data) < 8 {
		d.fail("it ends early")
		return branch{}
	}
	b := branch{width: math.Float64frombits(binary.LittleEndian.Uint64(d.data)), g: newGraph(d.threads)}
	d.data = d.data[8:]
	if !(b.width >= 0 && b.width <= 1) {
		d.fail("it is no part of an exploration")
	}
	b.resumes = d.small()
	b.g.stamp = d.small()
	if n := d.count(); n != d.threads && d.err == nil {
		d.fail(fmt.Sprintf("it has %d threads", n))
	}
	for t := range d.threads {
		b.g.threads[t] = decodeList(d, d.op)
	}
	if d.end(); d.err == nil {
		if err := b.valid(); err != nil {
			d.fail(err.Error())
		}
	}
	return b
}

var errNoGraph = errors.New("its operations are no graph")

// valid returns an error if the graph has operations that do not exist, or parts of them where none can be.
func (b *branch) valid() error {
	g := b.g
	if t := int(b.resumes) - 1; t >= 0 {
		if t >= len(g.threads) {
			return errNoGraph
		}
		if o := g.last(t); o == nil || o.complete() || len(o.reads) == 0 {
			return errNoGraph
		}
	}
	exists := func(r ref) bool {
		return r.thread > 0 && int(r.thread) <= len(g.threads) && int(r.index) < len(g.threads[r.t()]) && g.op(r).complete()
	}
	stamp := func(n int32) bool { return n >= 0 && n <= g.stamp }
	for t := range g.threads {
		for i := range g.threads[t] {
			o := &g.threads[t][i]
			ok := stamp(o.pick) && stamp(o.unit.stalled) && stamp(o.done) && int(o.join) <= len(g.threads) && len(o.reads) <= len(o.cells)
			ok = ok && (o.complete() || i == len(g.threads[t])-1) && (len(o.words) == 0 || len(o.words) == len(o.writes))
			ok = ok && len(o.writes) >= 2*len(o.freed())
			ok = ok && (len(o.past) == len(g.threads)) == o.complete() && (o.join == 0 || len(o.cells) > 0)
			for _, c := range o.choices {
				ok = ok && stamp(c.stamp)
			}
			for u, n := range o.past {
				ok = ok && u < len(g.threads) && int(n) <= len(g.threads[u])
			}
			for _, u := range o.wakes {
				ok = ok && int(u) < len(g.threads)
			}
			for _, r := range append(append([]ref{}, o.causes...), o.ended...) {
				ok = ok && exists(r)
			}
			for k := range o.reads {
				r := &o.reads[k]
				ok = ok && stamp(r.stamp) && r.cell == o.cells[k]
				if r.from != initial {
					ok = ok && exists(r.from) && g.op(r.from).at(r.cell) >= 0
					ok = ok && (!r.pool || slices.Contains(g.op(r.from).inPool(r.cell), r.block))
				}
			}
			if !ok {
				return errNoGraph
			}
		}
	}
	return nil
}
