package verdict

import "fmt"

// Triangle is a triangular race: in an SC execution one thread stores, then reads
// another cell without draining its buffer in between, and directly after the read another
// thread writes that cell.
type Triangle struct {
	Thread    string `json:"thread"` // that stores and reads
	Store     *Pos   `json:"store,omitempty"`
	StoreText string `json:"store_text"`
	Load      *Pos   `json:"load,omitempty"`
	LoadText  string `json:"load_text"`
	Other     string `json:"other"` // thread that writes
	Write     *Pos   `json:"write,omitempty"`
	WriteText string `json:"write_text"`

	// Witness is the SC execution; its last step is the write. StoreStep and LoadStep
	// are the other two.
	Witness   *Witness `json:"witness"`
	StoreStep int      `json:"store_step"`
	LoadStep  int      `json:"load_step"`
}

// String is the race as a sentence without a full stop.
func (r *Triangle) String() string {
	return fmt.Sprintf("%s stores %s%s and %s%s while %s may %s%s", r.Thread, r.StoreText, r.Store.short(),
		r.LoadText, r.Load.short(), r.Other, r.WriteText, r.Write.short())
}
