package harness

import (
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	queue := Param{"q", Object, "struct queue", true}
	lib := Library{Include: "include/queue.h", Functions: []Function{
		{"queue_init", "void", []Param{queue, {"size", Number, "int", false}}},
		{"queue_push", "int", []Param{queue, {"value", Number, "int", false}}},
		{"queue_pop", "int", []Param{queue, {"value", Object, "int", false}}},
		{"queue_trypush", "int", []Param{queue, {"value", Number, "int", false}}},
		{"queue_size", "int", []Param{queue}},
		{"queueClear", "void", []Param{queue, {"", Any, "void", false}, {"f", Callback, "callback", false}}},
		{"node_create", "struct node *", nil},
		{"node_use", "void", []Param{{"n", Opaque, "struct node *", false}, {"s", Struct, "struct pair", false}, {"names", Object, "char *", false}}},
		{"queue_destroy", "void", []Param{queue}},
	}}
	const want = `// A first test of queue.h: two threads call its functions at the same time.
// Remove calls that make no sense together, say what must hold, and ask:
//   fencepost check queue_test.c
//   fencepost robust queue_test.c
//   fencepost fences queue_test.c
#include <assert.h>
#include <pthread.h>
#include "include/queue.h"

// The threads share these.
static struct queue shared_queue;
static struct node *shared_node;
static int shared_value;

static void *first(void *arg) {
  queue_push(&shared_queue, 0);
  // queue_trypush(&shared_queue, 0);
  queue_size(&shared_queue);
  queueClear(&shared_queue, &shared_value, 0);
  {
    char *names = 0;
    node_use(shared_node, (struct pair){0}, &names);
  }
  // assert(...);
  return 0;
}

static void *second(void *arg) {
  {
    int value = 1;
    queue_pop(&shared_queue, &value);
  }
  // queue_trypush(&shared_queue, 1);
  queue_size(&shared_queue);
  queueClear(&shared_queue, &shared_value, 0);
  {
    char *names = 0;
    node_use(shared_node, (struct pair){0}, &names);
  }
  // assert(...);
  return 0;
}

int main(void) {
  pthread_t a, b;
  queue_init(&shared_queue, 0);
  shared_node = node_create();
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  // assert(...);
  queue_destroy(&shared_queue);
  return 0;
}
`
	got := Write(lib, "queue_test.c")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPhases(t *testing.T) {
	for name, want := range map[string]Phase{
		"ring_init": Prepares, "makeQueue": Works, "queueInit": Prepares, "lf_push": Puts, "lfPush": Puts, "pop2": Takes,
		"block": Works, "spin_lock": Works, "free_list": Ends, "freedom": Works, "queue_free": Ends, "setup": Prepares,
	} {
		if got := PhaseOf(name); got != want {
			t.Errorf("%s: phase %d, want %d", name, got, want)
		}
	}
}

// TestPairs: a lock is released before the next function is called.
func TestPairs(t *testing.T) {
	mutex := []Param{{"m", Object, "struct mutex", true}}
	lib := Library{Include: "m.h", Functions: []Function{
		{"mutex_read_unlock", "void", mutex}, {"mutex_write_lock", "void", mutex}, {"mutex_read_lock", "void", mutex},
		{"mutex_write_unlock", "void", mutex}, {"mutex_held", "int", mutex},
	}}
	const want = `static void *first(void *arg) {
  mutex_write_lock(&shared_mutex);
  mutex_write_unlock(&shared_mutex);
  mutex_read_lock(&shared_mutex);
  mutex_read_unlock(&shared_mutex);
  mutex_held(&shared_mutex);
  // assert(...);
`
	if got := Write(lib, "t.c"); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
