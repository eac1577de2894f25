package verdict

import "fmt"

// Attack shows that a program is not robust: one thread delays a store past one of its
// later loads, and no execution under SC has the same happens-before relation.
type Attack struct {
	Thread    string `json:"thread"` // that delays
	Store     *Pos   `json:"store,omitempty"`
	StoreText string `json:"store_text"` // such as x = 1
	Load      *Pos   `json:"load,omitempty"`
	LoadText  string `json:"load_text"`        // what is read, such as y
	Free      bool   `json:"free,omitempty"`   // the store is a free
	Action    string `json:"action,omitempty"` // what is overtaken if it is no load, such as its signal of c

	// Witness is the execution. StoreStep and LoadStep are the two among its steps.
	Witness   *Witness `json:"witness"`
	StoreStep int      `json:"store_step"`
	LoadStep  int      `json:"load_step"`

	// Nodes and Edges are the happens-before relation of the execution. Cycle is a
	// cycle in it that begins with the delayed store and its load; it names nodes,
	// and its program order edges may skip nodes.
	Nodes []TraceNode `json:"nodes"`
	Edges []TraceEdge `json:"edges"`
	Cycle []TraceEdge `json:"cycle"`
}

// TraceNode is one access, read-modify-write or atomic section.
type TraceNode struct {
	Thread int    `json:"thread"` // of the witness
	Text   string `json:"text"`   // such as t1 st x
	Step   int    `json:"step"`   // of the witness, the first
}

// TraceEdge orders two nodes.
type TraceEdge struct {
	From int    `json:"from"` // indices into Nodes
	To   int    `json:"to"`
	Kind string `json:"kind"` // po, st, src, cf, sy
}

// String is the attack as a sentence without a full stop.
func (a *Attack) String() string {
	store, past := "its store "+a.StoreText, "its load of "+a.LoadText
	if a.Free {
		store = "its " + a.StoreText
	}
	if a.Action != "" {
		past = a.Action
	}
	return fmt.Sprintf("%s can delay %s%s past %s%s", a.Thread, store, a.Store.short(), past, a.Load.short())
}

// short is the file's base name and the line in parentheses.
func (p *Pos) short() string {
	if p == nil || p.Line == 0 {
		return ""
	}
	return " (" + p.Brief() + ")"
}
