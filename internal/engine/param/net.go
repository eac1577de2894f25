package param

import (
	"encoding/binary"
	"slices"
)

// Omega is the initial marking of a place that has any number of tokens.
const Omega = -1

// noGroup is the group of places that are counted.
const noGroup = -1

// Place is a place of the net. Exactly one place of a group has a token, and only one token.
type Place struct {
	Name  string
	Group int
	Init  int
}

// Arc is a place with a number of tokens.
type Arc struct {
	Place int32
	N     int32
}

// Trans is a transition: it takes Pre and gives Post. Tokens that it needs and keeps are in both.
type Trans struct {
	Name      string
	Pre, Post []Arc
}

// Net is a Petri net with an initial marking.
type Net struct {
	Places []Place
	Trans  []Trans
	Groups int

	places map[string]int32
	trans  map[string]bool
	key    []byte
}

// bytes returns about how much memory the net uses.
func (n *Net) bytes() int64 { return 128 * int64(len(n.Places)+len(n.Trans)) }

func newNet() *Net { return &Net{places: map[string]int32{}, trans: map[string]bool{}} }

// group adds a group.
func (n *Net) group() int {
	n.Groups++
	return n.Groups - 1
}

// place returns the place with a name, and adds it if it is new.
func (n *Net) place(name string, group int) int32 {
	if i, ok := n.places[name]; ok {
		return i
	}
	i := int32(len(n.Places))
	n.Places = append(n.Places, Place{Name: name, Group: group})
	n.places[name] = i
	return i
}

// add adds a transition unless there is one like it, or it changes nothing.
func (n *Net) add(name string, pre, post []int32) {
	t := Trans{Name: name, Pre: arcs(pre), Post: arcs(post)}
	if slices.Equal(t.Pre, t.Post) {
		return
	}
	n.key = n.key[:0]
	for _, list := range [][]Arc{t.Pre, t.Post} {
		n.key = binary.AppendUvarint(n.key, uint64(len(list)))
		for _, a := range list {
			n.key = binary.AppendUvarint(binary.AppendUvarint(n.key, uint64(a.Place)), uint64(a.N))
		}
	}
	if !n.trans[string(n.key)] {
		n.trans[string(n.key)] = true
		n.Trans = append(n.Trans, t)
	}
}

// arcs returns the arcs for a list of places, in order of their numbers.
func arcs(places []int32) []Arc {
	list := slices.Clone(places)
	slices.Sort(list)
	var out []Arc
	for _, p := range list {
		if k := len(out); k > 0 && out[k-1].Place == p {
			out[k-1].N++
		} else {
			out = append(out, Arc{p, 1})
		}
	}
	return out
}
