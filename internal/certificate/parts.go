package certificate

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// A tree of classes can be made in parts. A way names a node: the number of the child that is taken, at each level. The
// walk is always the same, so any process that has the program finds the node again by its way. A part is a node that
// is still to be visited, with all below it.
//
// A run visits some parts up to a limit. It keeps the choices in the order in which a walk comes to them, and where it
// puts a node off, that there is a hole. When no part is left, every hole has a piece that fills it, and the pieces put
// together are, byte for byte, the proof that one run makes.
//
// None of this is trusted: the checker reads the proof as a whole.

// Part is a part of a proof that is still to be made.
type Part struct {
	Way   []int   `json:"way,omitempty"`
	Share float64 `json:"share"`           // of the whole, as far as can be told
	Above int     `json:"above,omitempty"` // nodes of the runs that led here, one after the other
}

// Whole is the part that is everything.
var Whole = Part{Share: 1}

// Piece has the choices at the nodes below one, but for its holes.
type Piece struct {
	Way    []int  `json:"way,omitempty"`
	Chosen []byte `json:"chosen,omitempty"`
	Holes  []Hole `json:"holes,omitempty"`
}

// Hole is where the choices of another piece come in: after so many choices.
type Hole struct {
	After int   `json:"after"`
	Way   []int `json:"way"`
}

// Made has what runs have made of a proof. The zero value has nothing.
type Made struct {
	Pieces  []Piece     `json:"pieces,omitempty"`
	Nodes   int         `json:"nodes"`
	Cut     []ir.EdgeID `json:"cut,omitempty"`
	Share   float64     `json:"share"`
	Refuted *Refuted    `json:"refuted,omitempty"` // a violation was found
	None    string      `json:"none,omitempty"`    // why there is no proof
}

// Over reports whether the parts that are left need not be made.
func (m *Made) Over() bool { return m.Refuted != nil || m.None != "" }

// Add adds what another run has made.
func (m *Made) Add(o *Made) {
	m.Pieces = append(m.Pieces, o.Pieces...)
	m.Nodes, m.Share = m.Nodes+o.Nodes, m.Share+o.Share
	m.Cut = slices.Concat(m.Cut, o.Cut)
	slices.Sort(m.Cut)
	m.Cut = slices.Compact(m.Cut)
	m.Refuted, m.None = cmp.Or(m.Refuted, o.Refuted), cmp.Or(m.None, o.None)
	if m.Nodes > maxNodes && m.None == "" {
		m.None = fmt.Sprintf("%v: more than %d nodes", ErrTooLarge, maxNodes)
	}
}

// PartsLimit is when a run ends. Zero fields are no limits. The end of the context is a limit, too. A run visits a node
// before it looks at the clock.
type PartsLimit struct {
	Nodes   int // that each worker visits
	Time    time.Duration
	Workers int // that visit at the same time; 0: one
}

// perWorker is how many parts a worker should have: parts are of different sizes.
const perWorker = 16

// Make visits parts up to a limit. It returns what it has made, and the parts that are left: none if the proof is over.
// With one worker and no limit of time both depend on the parts and the limit only.
func Make(ctx context.Context, p *ir.Program, props *property.Set, model replay.Model, parts []Part, limit PartsLimit) (*Made, []Part, error) {
	until := time.Time{}
	if limit.Time > 0 {
		until = time.Now().Add(limit.Time)
	}
	over := func() bool { return ctx.Err() != nil || limit.Time > 0 && time.Now().After(until) }
	workers := max(1, limit.Workers)
	made := &Made{}
	if workers > 1 {
		var err error
		if made, parts, err = Split(ctx, p, props, model, parts, perWorker*workers); err != nil || made.Over() {
			return made, nil, err
		}
	}
	var mu sync.Mutex
	var left []Part
	var failed error
	each := (len(parts) + perWorker*workers - 1) / (perWorker * workers)
	if workers == 1 {
		each = len(parts)
	}
	take := func() []Part {
		mu.Lock()
		defer mu.Unlock()
		some := parts[:min(each, len(parts))]
		parts = parts[len(some):]
		return some
	}
	work := func() {
		for some := take(); len(some) > 0; some = take() {
			more, rest, err := makeAlone(p, props, model, some, limit.Nodes, over)
			mu.Lock()
			if failed = cmp.Or(failed, err); err == nil {
				made.Add(more)
				left = append(left, rest...)
			}
			if failed != nil || made.Over() {
				parts = nil
			}
			mu.Unlock()
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(work)
	}
	group.Wait()
	if failed != nil || made.Over() {
		left = nil
	}
	return made, left, failed
}

// Split divides parts into at least n, unless there are fewer. It divides the part with the largest share again and
// again. The result depends on the parts and n only.
func Split(ctx context.Context, p *ir.Program, props *property.Set, model replay.Model, parts []Part, n int) (*Made, []Part, error) {
	made := &Made{}
	for len(parts) > 0 && len(parts) < n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		largest := 0
		for i := range parts {
			if parts[i].Share > parts[largest].Share {
				largest = i
			}
		}
		more, left, err := makeAlone(p, props, model, parts[largest:largest+1], 1, func() bool { return false })
		if err != nil {
			return nil, nil, err
		}
		if made.Add(more); made.Over() {
			return made, nil, nil
		}
		parts = slices.Concat(parts[:largest], left, parts[largest+1:])
	}
	return made, parts, nil
}

// makeAlone visits parts with one worker, up to so many nodes (0: any number), or until over.
func makeAlone(p *ir.Program, props *property.Set, model replay.Model, parts []Part, nodes int, over func() bool) (made *Made, left []Part, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("a proof by classes under %s: %v\n%s", model, broken, debug.Stack())
		}
	}()
	if err := supported(props, model); err != nil {
		return &Made{None: err.Error()}, nil, nil
	}
	w := &walk{wanted: map[string]Part{}, towards: map[string]bool{}, made: &Made{}, nodes: nodes, over: over}
	for _, part := range parts {
		if part.Above > maxNodes {
			return &Made{None: fmt.Sprintf("%v: more than %d nodes, one after the other", ErrTooLarge, maxNodes)}, nil, nil
		}
		w.wanted[wayKey(part.Way)] = part
		for n := range part.Way {
			w.towards[wayKey(part.Way[:n])] = true
		}
	}
	w.tree = tree{ctx: context.Background(), props: props, model: model, nodes: math.MaxInt, choose: w.choose, enter: w.enter}
	err = w.begin(p)
	refuted := (*Refuted)(nil)
	switch {
	case errors.As(err, &refuted):
		return &Made{Refuted: refuted}, nil, nil
	case err != nil:
		return &Made{None: err.Error()}, nil, nil
	}
	for _, part := range parts { // that the walk did not come to
		if rest, ok := w.wanted[wayKey(part.Way)]; ok {
			if !w.full {
				return nil, nil, ErrDamaged
			}
			w.left = append(w.left, rest)
		}
	}
	w.made.Cut = slices.Sorted(maps.Keys(w.covered.Cut))
	return w.made, w.left, nil
}

// walk goes to the parts that are wanted, and visits what is below them.
type walk struct {
	tree
	wanted  map[string]Part // by their ways, that are not begun
	towards map[string]bool // the nodes above them
	way     []int           // where the walk is
	next    []int           // for each node above: the number of the child that comes next
	piece   *Piece          // that is being made; nil: the walk is above all that are wanted
	begun   int             // nodes that were made before this piece
	made    *Made
	left    []Part
	nodes   int // limit; 0: none
	over    func() bool
	full    bool // the limit is reached
}

func (w *walk) choose(_ *replay.Growing, threads []int, next []replay.Next) (int, error) {
	u, err := cheapest(threads, next)
	if w.piece != nil {
		w.piece.Chosen = append(w.piece.Chosen, byte(u))
	}
	return u, err
}

// enter stands before the visit of each node.
func (w *walk) enter(n *node) error {
	if top := len(w.next) - 1; top >= 0 {
		w.way = append(w.way, w.next[top])
		w.next[top]++
		defer func() { w.way = w.way[:len(w.way)-1] }()
	}
	if w.piece != nil {
		return w.inside(n)
	}
	key := wayKey(w.way)
	part, wanted := w.wanted[key]
	switch {
	case w.isFull():
		return nil
	case wanted:
		delete(w.wanted, key)
		return w.begins(n, part)
	case w.towards[key]:
		return w.down(n)
	default:
		return nil
	}
}

// begins makes the piece of a part.
func (w *walk) begins(n *node, part Part) error {
	w.piece, w.begun = &Piece{Way: slices.Clone(part.Way)}, w.made.Nodes
	if err := w.inside(n); err != nil {
		return err
	}
	share := part.Share / float64(1+len(w.piece.Holes))
	for _, h := range w.piece.Holes {
		w.left = append(w.left, Part{Way: h.Way, Share: share, Above: part.Above + w.made.Nodes - w.begun})
	}
	w.made.Share += share
	w.made.Pieces = append(w.made.Pieces, *w.piece)
	w.piece = nil
	return nil
}

// inside visits a node of a part, or puts it off.
func (w *walk) inside(n *node) error {
	if w.isFull() {
		w.piece.Holes = append(w.piece.Holes, Hole{After: len(w.piece.Chosen), Way: slices.Clone(w.way)})
		return nil
	}
	if len(n.offers) == 0 {
		w.made.Nodes++
	}
	return w.down(n)
}

func (w *walk) down(n *node) error {
	w.next = append(w.next, 0)
	err := w.visit(n)
	w.next = w.next[:len(w.next)-1]
	return err
}

func (w *walk) isFull() bool {
	w.full = w.full || w.made.Nodes > 0 && (w.nodes > 0 && w.made.Nodes >= w.nodes || w.over())
	return w.full
}

func wayKey(way []int) string {
	var key []byte
	for _, k := range way {
		key = binary.AppendUvarint(key, uint64(k))
	}
	return string(key)
}

// WriteMade puts pieces together and writes the certificate.
func WriteMade(w io.Writer, statement Statement, p *ir.Program, props *property.Set, model replay.Model, made *Made) error {
	pieces := map[string]*Piece{}
	for i := range made.Pieces {
		pieces[wayKey(made.Pieces[i].Way)] = &made.Pieces[i]
	}
	var chosen []byte
	var fill func(way []int) error
	fill = func(way []int) error {
		key := wayKey(way)
		piece := pieces[key]
		if piece == nil {
			return errors.New("the proof is not finished")
		}
		delete(pieces, key)
		from := 0
		for _, h := range piece.Holes {
			if h.After < from || h.After > len(piece.Chosen) {
				return ErrDamaged
			}
			chosen = append(chosen, piece.Chosen[from:h.After]...)
			from = h.After
			if err := fill(h.Way); err != nil {
				return err
			}
		}
		chosen = append(chosen, piece.Chosen[from:]...)
		return nil
	}
	if err := fill(nil); err != nil {
		return err
	}
	return writeClasses(w, statement, p, props, model, chosen, made.Nodes)
}
