package explorer

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"fencepost/verdict"
)

//go:embed page worker examples lessons
var files embed.FS

// Start has the program and the run that the page shows first. It is part of the page.
type Start struct {
	// Form says who answers the page: "server", or "worker" for WebAssembly in the page itself.
	Form     string           `json:"form"`
	Examples []Program        `json:"examples"`
	Lessons  []Program        `json:"lessons"`
	Program  *Program         `json:"program,omitempty"` // nil: the first example
	Model    string           `json:"model,omitempty"`
	Run      []string         `json:"run,omitempty"`
	Witness  *verdict.Witness `json:"witness,omitempty"`
	Version  string           `json:"version"`
}

// Program is a program that the page can open.
type Program struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// examples lists the programs that the page offers, in their order.
var examples = []struct{ file, title string }{
	{"sb.fp", "Store buffering (SB)"},
	{"mp.fp", "Message passing (MP)"},
	{"iriw.fp", "Independent readers (IRIW)"},
	{"lb.fp", "Load buffering (LB)"},
	{"forward.fp", "Store forwarding"},
	{"peterson.fp", "Peterson's algorithm"},
	{"cas.fp", "Spin lock with compare-and-swap"},
	{"sb.litmus", "SB as a litmus test"},
	{"dekker.c", "Dekker's entry protocol in C"},
	{"sb-fences.fp", "SB with fences"},
	{"r.fp", "R: a store against a store and a load"},
	{"s.fp", "S: a load, then a store that must not win"},
	{"2+2w.fp", "2+2W: two stores in each thread"},
	{"wrc.fp", "WRC: a write that is read and passed on"},
	{"isa2.fp", "ISA2: message passing through a third thread"},
	{"corr.fp", "CoRR: two loads of one variable"},
	{"sb-rmw.fp", "SB with atomic updates"},
}

// Examples returns the programs that the page offers.
func Examples() []Program {
	var out []Program
	for _, e := range examples {
		out = append(out, Program{Name: e.file, Title: e.title, Text: string(file("examples/" + e.file))})
	}
	return out
}

// Lessons returns the tasks that the page offers, in the order of their names.
func Lessons() []Program {
	list, err := fs.ReadDir(files, "lessons")
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	var out []Program
	for _, e := range list {
		text := string(file("lessons/" + e.Name()))
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "// "), "\n")
		out = append(out, Program{Name: e.Name(), Title: strings.TrimSuffix(title, "."), Text: text})
	}
	return out
}

func file(name string) []byte {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return text
}

// startMark stands in the page where its start goes.
const startMark = "{{start}}"

// Index returns the text of the page.
func Index(start Start) ([]byte, error) {
	start.Examples, start.Lessons = Examples(), Lessons()
	data, err := json.Marshal(start) // which escapes <, so that no text ends the element
	if err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return []byte(strings.Replace(string(file("page/index.html")), startMark, string(data), 1)), nil
}

// headMark is where the head of the page begins.
const headMark = "<meta charset=\"utf-8\">\n"

// SiteIndex returns the text of the page of the playground. There is no server to send its policy, so the page has it.
func SiteIndex(start Start) ([]byte, error) {
	start.Form = "worker"
	page, err := Index(start)
	if err != nil {
		return nil, err
	}
	policy := headMark + "<meta http-equiv=\"Content-Security-Policy\" content=\"" + SitePolicy + "\">\n"
	return []byte(strings.Replace(string(page), headMark, policy, 1)), nil
}

// Worker returns the script of the worker of the playground, which needs the runtime of Go's WebAssembly before it.
func Worker() string { return string(file("worker/worker.js")) }

// Asset is a file that the page loads.
type Asset struct {
	Name string
	Type string // of its content
	Text []byte
}

var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Assets returns the files that the page loads, beside WebAssembly.
func Assets() []Asset {
	list, err := fs.ReadDir(files, "page")
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	var out []Asset
	for _, e := range list {
		if kind := contentTypes[path.Ext(e.Name())]; kind != "" {
			out = append(out, Asset{Name: e.Name(), Type: kind, Text: file("page/" + e.Name())})
		}
	}
	return out
}

// ServerPolicy is the Content-Security-Policy of the page of a server. Nothing comes from elsewhere, no text of a program
// can become a script, and no other page can show this one. Pictures that the page makes itself have addresses with blob:,
// from which it makes the pixels of a drawing.
const ServerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// EmbeddedPolicy is ServerPolicy for a page that other pages may show in a frame.
var EmbeddedPolicy = strings.Replace(ServerPolicy, "; frame-ancestors 'none'", "; frame-ancestors *", 1)

// SitePolicy is the policy of the playground, which runs WebAssembly in a worker that it makes, and sends no request.
const SitePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; worker-src blob:; base-uri 'none'; form-action 'none'"
