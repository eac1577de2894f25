package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// Names. Each name has a chain of objects, the innermost first; the same for tags. Leaving a
// scope takes the objects of the scope off their chains.

type scopes struct {
	objects []*Object // by name
	tags    []*tag
	marks   []mark
	undo    []lex.Name
	undoTag []lex.Name
	level   int32
}

type mark struct{ objects, tags int }

// tag is the tag of a struct, union or enum.
type tag struct {
	typ   *types.Type
	level int32
	tok   int32
	outer *tag
}

func (p *parser) push() {
	p.marks = append(p.marks, mark{len(p.undo), len(p.undoTag)})
	p.level++
}

func (p *parser) pop() {
	m := p.marks[len(p.marks)-1]
	p.marks = p.marks[:len(p.marks)-1]
	for _, n := range p.undo[m.objects:] {
		p.objects[n] = p.objects[n].Outer
	}
	for _, n := range p.undoTag[m.tags:] {
		p.tags[n] = p.tags[n].outer
	}
	p.undo, p.undoTag = p.undo[:m.objects], p.undoTag[:m.tags]
	p.level--
}

// find returns the object of a name, nil if there is none.
func (p *parser) find(n lex.Name) *Object {
	if int(n) >= len(p.objects) {
		return nil
	}
	o := p.objects[n]
	for o != nil && o.Depth == 0 && o.Tok >= p.limit {
		o = o.Outer
	}
	return o
}

// declare puts an object into the current scope.
func (p *parser) declare(o *Object) {
	if int(o.Name) >= len(p.objects) {
		p.objects = append(p.objects, make([]*Object, p.Source.Names.Len()+64-len(p.objects))...)
	}
	o.Depth = p.level
	if o.Text == "" {
		o.Text = p.name(o.Name)
	}
	o.Outer = p.objects[o.Name]
	p.objects[o.Name] = o
	if p.level > 0 {
		p.undo = append(p.undo, o.Name)
	}
}

// findTag returns the tag of a name, in the current scope only if here.
func (p *parser) findTag(n lex.Name, here bool) *tag {
	if int(n) >= len(p.tags) {
		return nil
	}
	t := p.tags[n]
	for t != nil && t.level == 0 && t.tok >= p.limit {
		t = t.outer
	}
	if t != nil && here && t.level != p.level {
		return nil
	}
	return t
}

func (p *parser) declareTag(n lex.Name, t *types.Type, tok int32) {
	if int(n) >= len(p.tags) {
		p.tags = append(p.tags, make([]*tag, p.Source.Names.Len()+64-len(p.tags))...)
	}
	p.tags[n] = &tag{t, p.level, tok, p.tags[n]}
	if p.level > 0 {
		p.undoTag = append(p.undoTag, n)
	}
}

// eachName calls yield with the names that can be used.
func (p *parser) eachName(yield func(string)) {
	for _, o := range p.objects {
		if o != nil && p.find(o.Name) != nil {
			yield(p.name(o.Name))
		}
	}
	for _, f := range p.prototypes.all {
		if p.prototypes.skipped[f.name] != nil {
			yield(p.name(f.name))
		}
	}
}
