package sat

// varHeap is a binary heap of variables, the most active first.
type varHeap struct {
	list []uint32
	at   []int32 // by variable: its index in list, -1 if absent
}

func (h *varHeap) grow(v uint32) {
	for uint32(len(h.at)) <= v {
		h.at = append(h.at, -1)
	}
}

func (h *varHeap) empty() bool { return len(h.list) == 0 }

func (h *varHeap) insert(v uint32, act []float64) {
	if h.at[v] >= 0 {
		return
	}
	h.at[v] = int32(len(h.list))
	h.list = append(h.list, v)
	h.up(len(h.list)-1, act)
}

// raise moves a variable up after its activity grew.
func (h *varHeap) raise(v uint32, act []float64) {
	if h.at[v] >= 0 {
		h.up(int(h.at[v]), act)
	}
}

func (h *varHeap) pop(act []float64) uint32 {
	top := h.list[0]
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	h.at[top] = -1
	if len(h.list) > 0 {
		h.list[0] = last
		h.at[last] = 0
		h.down(act)
	}
	return top
}

func (h *varHeap) up(i int, act []float64) {
	v := h.list[i]
	for i > 0 {
		parent := (i - 1) / 2
		if act[h.list[parent]] >= act[v] {
			break
		}
		h.list[i] = h.list[parent]
		h.at[h.list[i]] = int32(i)
		i = parent
	}
	h.list[i] = v
	h.at[v] = int32(i)
}

func (h *varHeap) down(act []float64) {
	v, i := h.list[0], 0
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			break
		}
		if child+1 < len(h.list) && act[h.list[child+1]] > act[h.list[child]] {
			child++
		}
		if act[h.list[child]] <= act[v] {
			break
		}
		h.list[i] = h.list[child]
		h.at[h.list[i]] = int32(i)
		i = child
	}
	h.list[i] = v
	h.at[v] = int32(i)
}
