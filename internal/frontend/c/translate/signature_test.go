package translate_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/frontend/c/translate/library"
	"fencepost/internal/source"
)

// TestSignatures: a header offers its functions, with and without bodies.
func TestSignatures(t *testing.T) {
	const text = `
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct stack { struct node *top; };
struct opaque;
typedef struct { int n; } queue_t;
typedef struct stack stack_t;
typedef struct opaque *handle;
typedef int (*callback)(void *);
static inline void stack_push(struct stack *s, const struct node *restrict n) { s->top = (struct node *)n; }
extern int queue_pop(queue_t *q, int *value, size_t);
unsigned long long total(const volatile queue_t *);
void any(void *p, char **names, uint64_t array[4]);
struct opaque *make(void);
void use(struct opaque *o, handle h);
void visit(queue_t *q, callback f, int (*g)(int));
queue_t by_value(queue_t q, double d);
int twice(int), twice(int);
int old();
int depth(stack_t *);
typedef int not_a_function(int);
extern int not_a_function_either;
int __hidden(int);
`
	kinds := map[translate.ParameterKind]string{
		translate.NumberParam: "number", translate.ObjectParam: "object", translate.OpaqueParam: "opaque",
		translate.AnyParam: "any", translate.FunctionParam: "function", translate.StructParam: "struct",
	}
	want := []string{
		"void stack_push: shared object s struct stack, opaque n struct node *",
		"int queue_pop: shared object q queue_t, object value int, number  size_t",
		"unsigned long long total: shared object  queue_t",
		"void any: any p void, object names char *, object array uint64_t",
		"struct opaque * make:",
		"void use: opaque o struct opaque *, opaque h handle",
		"void visit: shared object q queue_t, function f callback, function g int",
		"queue_t by_value: struct q queue_t, number d double",
		"int twice: number  int",
		"int old:",
		"int depth: shared object  struct stack",
	}
	list, diags := translate.Signatures(source.NewFile("lib.h", []byte(text)), library.New(), translate.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var got []string
	for _, s := range list {
		var params []string
		for _, p := range s.Params {
			kind := kinds[p.Kind]
			if p.Shared {
				kind = "shared " + kind
			}
			params = append(params, fmt.Sprintf("%s %s %s", kind, p.Name, p.Type))
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s: %s", s.Result, s.Name, strings.Join(params, ", "))))
	}
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("got  %s\nwant %s", g, w)
		}
	}
}
