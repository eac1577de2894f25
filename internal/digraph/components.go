package digraph

// Search finds strongly connected components with Tarjan's algorithm. Its stack is explicit, because paths can be
// long. A component is complete, and has its number, when all components that it reaches are: numbers grow against the
// arcs.
type Search struct {
	// Component is the number of each node's component, -1 before the search has reached the node.
	Component []int32
	// Count is how many components are complete.
	Count int

	arc        func(v, i int) (to int, more bool)
	index, low []int32 // 0: not reached
	reached    int32
	open       []int32 // nodes whose component is not complete
	path       []step
}

// step is a node of the path from the root, and which of its arcs comes next.
type step struct{ node, next int32 }

// NewSearch returns the search in a graph with n nodes. arc(v, i) returns where arc i of node v leads, or Skip to leave
// it out; it returns false if v has no more arcs.
func NewSearch(n int, arc func(v, i int) (to int, more bool)) *Search {
	s := &Search{Component: make([]int32, n), arc: arc, index: make([]int32, n), low: make([]int32, n)}
	for v := range s.Component {
		s.Component[v] = -1
	}
	return s
}

// Skip is the target of an arc that is left out.
const Skip = -1

// Components returns the number of each node's component and how many there are. See NewSearch.
func Components(n int, arc func(v, i int) (to int, more bool)) (component []int32, count int) {
	s := NewSearch(n, arc)
	for v := range n {
		s.From(v)
	}
	return s.Component, s.Count
}

// From completes the components of all nodes that root reaches. It does nothing if root was reached before.
func (s *Search) From(root int) {
	if s.index[root] != 0 {
		return
	}
	s.enter(root)
	for len(s.path) > 0 {
		top := &s.path[len(s.path)-1]
		v := top.node
		if to, more := s.arc(int(v), int(top.next)); more {
			top.next++
			switch {
			case to == Skip:
			case s.index[to] == 0:
				s.enter(to)
			case s.Component[to] < 0:
				s.low[v] = min(s.low[v], s.index[to])
			}
			continue
		}
		s.path = s.path[:len(s.path)-1]
		if len(s.path) > 0 {
			up := s.path[len(s.path)-1].node
			s.low[up] = min(s.low[up], s.low[v])
		}
		if s.low[v] == s.index[v] {
			s.complete(v)
		}
	}
}

// Restart begins to count again. Only nodes that Forget names after it can be reached.
func (s *Search) Restart() { s.Count, s.reached = 0, 0 }

// Forget makes a node as new, between Restart and the first From. All nodes that it reaches must be new, too, or their
// arcs left out.
func (s *Search) Forget(v int) { s.index[v], s.Component[v] = 0, -1 }

func (s *Search) enter(v int) {
	s.reached++
	s.index[v], s.low[v] = s.reached, s.reached
	s.open = append(s.open, int32(v))
	s.path = append(s.path, step{node: int32(v)})
}

// complete numbers the component whose first node is v.
func (s *Search) complete(v int32) {
	for {
		w := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.Component[w] = int32(s.Count)
		if w == v {
			break
		}
	}
	s.Count++
}
