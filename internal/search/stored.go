package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Stored searches. A search that was interrupted is the visited set, which has the frontier and the parents in it, what
// is left of the level, and the findings, arrivals and counts so far. All of that is written as numbers and byte
// strings, chunk by chunk, so that storing takes no memory. What the workers keep is theirs to store.
//
// A search that is loaded goes on exactly where the stored one was: the end of a level depends on the set of states
// that were expanded, and neither on their order nor on the number of workers.

// ErrStored says that bytes are not a stored search.
var ErrStored = errors.New("not a stored search, or a damaged one")

// encoder writes numbers and byte strings. The first error stays.
type encoder struct {
	w   *bufio.Writer
	err error
	buf []byte
}

func newEncoder(w io.Writer) *encoder { return &encoder{w: bufio.NewWriterSize(w, 1<<16)} }

func (e *encoder) number(v uint64) {
	if e.err == nil {
		e.buf = binary.AppendUvarint(e.buf[:0], v)
		_, e.err = e.w.Write(e.buf)
	}
}

func (e *encoder) bytes(b []byte) {
	e.number(uint64(len(b)))
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

func (e *encoder) flush() error {
	if e.err == nil {
		e.err = e.w.Flush()
	}
	return e.err
}

// decoder reads what an encoder wrote. The first error stays, and then everything is 0.
type decoder struct {
	r   *bufio.Reader
	err error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = ErrStored
	}
}

// number reads a number up to most.
func (d *decoder) number(most uint64) uint64 {
	if d.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(d.r)
	if err != nil {
		d.err = fmt.Errorf("%w: %w", ErrStored, err)
		return 0
	}
	if v > most {
		d.fail()
		return 0
	}
	return v
}

// bytes appends a string of at most so many bytes to out.
func (d *decoder) bytes(out []byte, most int) []byte {
	n := int(d.number(uint64(most)))
	at := len(out)
	for len(out) < at+n && d.err == nil { // in pieces: a damaged length must not take all memory
		step := min(at+n-len(out), 1<<16)
		out = append(out, make([]byte, step)...)
		if _, err := io.ReadFull(d.r, out[len(out)-step:]); err != nil {
			d.err = fmt.Errorf("%w: %w", ErrStored, err)
		}
	}
	return out
}

const anyNumber = 1<<64 - 1

// Save writes a search that Run has begun, while it does not run. A search that failed cannot be stored.
func (r *Search) Save(w io.Writer) error {
	if r.p.Ranked {
		panic("BUG: a ranked search cannot be stored")
	}
	e := newEncoder(w)
	e.number(uint64(r.v.head))
	for i := range r.v.shards {
		sh := &r.v.shards[i]
		e.number(uint64(len(sh.chunks)))
		for _, c := range sh.chunks {
			e.number(uint64(cap(c)))
			e.bytes(c)
		}
		for _, m := range []mark{r.from[i], r.v.level[i]} {
			e.number(uint64(m.chunk))
			e.number(uint64(m.len))
		}
	}
	e.number(uint64(r.depth.Load()))
	e.number(uint64(r.expanded.Load()))
	if r.open {
		r.compact()
		e.number(1)
		e.number(uint64(len(r.jobs)))
		for _, j := range r.jobs {
			e.number(uint64(j.shard))
			e.number(j.offset)
			e.number(j.end)
		}
		e.number(uint64(len(r.tasks)))
		for _, t := range r.tasks {
			e.number(uint64(t.id))
			e.number(uint64(t.only))
		}
	} else {
		e.number(0)
	}
	r.saveSinks(e)
	return e.flush()
}

// saveSinks writes the sum of what the workers reported.
func (r *Search) saveSinks(e *encoder) {
	var all Sink
	for _, k := range r.sinks {
		if k.err != nil && e.err == nil {
			e.err = k.err
		}
		all.transitions += k.transitions
		all.arrivals = append(all.arrivals, k.arrivals...)
		for _, f := range k.findings {
			all.report(f)
		}
	}
	e.number(uint64(all.transitions))
	e.number(uint64(len(all.arrivals)))
	for _, a := range all.arrivals {
		e.number(uint64(a.id))
		e.number(uint64(a.sleep))
	}
	e.number(uint64(len(all.findings)))
	for _, f := range all.findings {
		e.bytes([]byte(f.Key))
		e.number(uint64(f.State))
		e.number(uint64(f.Depth))
	}
}

// Load reads a search that was stored into one that has not begun and has the same problem, with any number of workers.
// The error wraps ErrStored if the bytes are not a stored search.
func (r *Search) Load(in *bufio.Reader) error {
	d := &decoder{r: in}
	if head := d.number(anyNumber); d.err == nil && head != uint64(r.v.head) {
		d.fail()
	}
	for i := range r.v.shards {
		r.loadShard(d, i)
	}
	r.depth.Store(int64(d.number(1 << 62)))
	r.expanded.Store(int64(d.number(uint64(r.v.states()))))
	if r.open = d.number(1) == 1; r.open {
		for range d.number(anyNumber) {
			if d.err != nil {
				break
			}
			r.jobs = append(r.jobs, r.loadJob(d))
		}
		for range d.number(anyNumber) {
			if d.err != nil {
				break
			}
			r.tasks = append(r.tasks, task{id: r.loadID(d), only: d.number(anyNumber)})
		}
	}
	r.loadSink(d)
	r.begun = true
	return d.err
}

// loadShard reads a part of the visited set, and makes its table again.
func (r *Search) loadShard(d *decoder, i int) {
	sh := &r.v.shards[i]
	for range d.number(1 << (offsetBits - chunkBits)) {
		size := d.number(maxChunk + parentSize + sleepSize + binary.MaxVarintLen32)
		var whole []byte
		if whole = d.bytes(nil, int(size)); d.err != nil {
			return
		}
		c := make([]byte, len(whole), size)
		copy(c, whole)
		r.v.bytes.Add(int64(size))
		base := uint64(len(sh.chunks)) << chunkBits
		sh.chunks, sh.room = append(sh.chunks, c), sh.room+len(c)
		for at := 0; at < len(c); {
			n, ok := r.v.recordSize(c[at:])
			if !ok {
				d.fail()
				return
			}
			r.v.insert(sh, base|uint64(at))
			at += n
		}
	}
	for _, m := range []*mark{&r.from[i], &r.v.level[i]} {
		m.chunk, m.len = int(d.number(1<<(offsetBits-chunkBits))), int(d.number(2*maxChunk))
		if m.chunk == 0 && m.len == 0 {
			continue
		}
		if m.chunk >= len(sh.chunks) || m.len > len(sh.chunks[m.chunk]) {
			d.fail()
			return
		}
	}
}

// recordSize returns the bytes of the first record, or false if there is none.
func (v *visited) recordSize(b []byte) (int, bool) {
	if len(b) < v.head {
		return 0, false
	}
	size, n := binary.Uvarint(b[v.head:])
	if n <= 0 || size > maxState || uint64(len(b)) < uint64(v.head+n)+size {
		return 0, false
	}
	return v.head + n + int(size), true
}

// insert enters a record that is stored into the table.
func (v *visited) insert(sh *shard, offset uint64) {
	if sh.count*4 >= len(sh.table)*tableShare {
		v.grow(sh)
	}
	state, _, _ := v.record(sh, offset)
	h := hash(state)
	mask := uint64(len(sh.table) - 1)
	i := sh.home(h)
	for sh.table[i] != 0 {
		i = (i + 1) & mask
	}
	sh.table[i] = tagOf(h) | (offset + 1)
	sh.count++
}

// loadID reads the id of a stored state.
func (r *Search) loadID(d *decoder) ID {
	id := ID(d.number(anyNumber))
	if !r.has(id) {
		d.fail()
	}
	return id
}

func (r *Search) has(id ID) bool {
	if id>>offsetBits >= shards {
		return false
	}
	chunks := r.v.shards[id.shard()].chunks
	c, at := id.offset()>>chunkBits, id.offset()&(1<<chunkBits-1)
	if c >= uint64(len(chunks)) || at >= uint64(len(chunks[c])) {
		return false
	}
	_, ok := r.v.recordSize(chunks[c][at:])
	return ok
}

func (r *Search) loadJob(d *decoder) job {
	j := job{shard: int(d.number(shards - 1)), offset: d.number(anyNumber), end: d.number(anyNumber)}
	if d.err != nil || !r.has(makeID(j.shard, j.offset)) || j.offset >= j.end {
		d.fail()
		return job{}
	}
	c := j.offset >> chunkBits
	j.chunk = r.v.shards[j.shard].chunks[c]
	if j.end > c<<chunkBits+uint64(len(j.chunk)) {
		d.fail()
	}
	return j
}

func (r *Search) loadSink(d *decoder) {
	k := r.sinks[0]
	k.transitions = int64(d.number(1 << 62))
	for range d.number(anyNumber) {
		if d.err != nil {
			return
		}
		k.arrivals = append(k.arrivals, arrival{id: r.loadID(d), sleep: d.number(anyNumber)})
	}
	for range d.number(anyNumber) {
		if d.err != nil {
			return
		}
		f := Finding{Key: string(d.bytes(nil, maxChunk)), State: ID(d.number(anyNumber)), Depth: int(d.number(1 << 62))}
		if f.State != noParent {
			if !r.has(f.State) {
				d.fail()
				return
			}
			f.bytes, _, _ = r.v.record(&r.v.shards[f.State.shard()], f.State.offset())
		}
		k.findings = append(k.findings, f)
	}
}

// Save writes all strings, in the order of their numbers.
func (in *Interner) Save(w io.Writer) error {
	e := newEncoder(w)
	for i := range in.shards {
		sh := &in.shards[i]
		e.number(uint64(sh.count))
		for n := range sh.count {
			e.bytes(sh.at(uint32(n)))
		}
	}
	return e.flush()
}

// Load reads the strings of another interner into an empty one, with the same numbers. The error wraps ErrStored.
func (in *Interner) Load(r *bufio.Reader) error {
	d := &decoder{r: r}
	var b []byte
	for i := range in.shards {
		for n := range d.number(1 << 28) {
			b = d.bytes(b[:0], maxChunk)
			if d.err != nil {
				return d.err
			}
			if in.ID(b) != uint32(n)<<internShardBits|uint32(i) {
				return ErrStored
			}
		}
	}
	return d.err
}
