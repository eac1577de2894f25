package verdict

// Bench is a table of a paper that was run again: our figures beside those of the paper.
type Bench struct {
	Name   string     `json:"name"`
	Paper  string     `json:"paper"` // key in the bibliography
	Doc    string     `json:"doc"`
	Count  string     `json:"count"`  // what the counts count
	Theirs string     `json:"theirs"` // whose figures stand beside ours
	Rows   []BenchRow `json:"rows"`
}

// BenchRow is a program of a table.
type BenchRow struct {
	Program string `json:"program"` // as the paper names it
	Source  string `json:"source"`  // our version of it
	N       int    `json:"n,omitempty"`
	Model   string `json:"model"`
	Options string `json:"options,omitempty"`
	Answer  string `json:"answer"`
	// PaperAnswer is the paper's answer, "" if it gives none.
	PaperAnswer  string  `json:"paper_answer,omitempty"`
	Count        int64   `json:"count"`
	PaperCount   string  `json:"paper_count,omitempty"`
	Seconds      float64 `json:"seconds"` // wall time
	PaperSeconds string  `json:"paper_seconds,omitempty"`
	Note         string  `json:"note,omitempty"` // why there is no answer
}

// Differs reports whether there is an answer and it is another than that of the paper.
func (r *BenchRow) Differs() bool {
	return r.Note == "" && r.PaperAnswer != "" && r.Answer != r.PaperAnswer
}
