package preprocess

import (
	"strconv"

	"fencepost/internal/lang/c/lex"
)

// lineDirective obeys #line, or the line of a preprocessor's output that begins with #
// and a number, which is t.
func (p *preprocessor) lineDirective(t *lex.Token, mark bool) {
	at := *t
	number := *t
	next := p.files.top().lexer.Next
	if !mark {
		next = p.nextReal
		next(&number)
	}
	const most = 1<<31 - 1
	n, err := strconv.ParseUint(p.text(&number), 10, 64)
	if number.Kind != lex.Number || err != nil || n > most {
		p.errorAt(&number, "a number is expected here: the number of the next line")
		return
	}
	var file lex.Token
	next(&file)
	name := ""
	switch {
	case file.Kind == lex.String && p.text(&file)[0] == '"':
		text, ok := lex.Unquote(p.Space.Text(&file))
		if !ok {
			p.errorAt(&file, "this is not the name of a file")
			return
		}
		name = string(text)
		if name == "" {
			name = p.files.top().lexer.File.Name
		}
	case file.Kind != lex.EOF:
		p.errorAt(&file, "this is not the name of a file in quotes")
		return
	}
	f := p.files.top()
	f.system = f.system && !mark
	for mark {
		if next(&file); file.Kind != lex.Number {
			break
		}
		if flag := p.text(&file); flag == "3" || flag == "4" {
			f.system = true
		}
	}
	p.Space.Mark(at.Pos, int(n), name, f.system)
}
