package html_test

import "testing"

// atomics is a program in C whose statements end with a local step after an access.
const atomics = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_long bottom_of_queue, top_of_queue;
static atomic_int taken;
static void *thief(void *arg) {
  long expected = 0;
  atomic_compare_exchange_strong(&top_of_queue, &expected, 1);
  if (atomic_load(&bottom_of_queue) == 0) assert(atomic_fetch_add(&taken, 1) == 0);
  return 0;
}
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, thief, 0);
  atomic_store_explicit(&bottom_of_queue, 1, memory_order_relaxed);
  long t = atomic_load_explicit(&top_of_queue, memory_order_relaxed);
  if (t == 0) assert(atomic_fetch_add(&taken, 1) == 0);
  pthread_join(p, 0);
  return 0;
}
`

// testCaptions: at every stop the caption says what the row did, and the labels of stores that wait are whole where
// there is room.
func testCaptions(t *testing.T, b *browser) {
	b.open("captions", ask(t, "queue.c", atomics, "tso"))
	const silent = `(() => {
		const bad = [], forward = document.querySelector("[data-go=forward]");
		let stops = 0, accesses = 0;
		for (; !forward.disabled && stops < 200; stops++) {
			forward.click();
			const ev = document.querySelector(".row.now .ev");
			if (!ev || !/k-(load|store|write|rmw|try)/.test(ev.className)) continue;
			accesses++;
			if (document.querySelector(".caption .effect").textContent.includes("no memory involved")) bad.push(document.querySelector(".caption .what").textContent);
		}
		return accesses < 5 ? "only " + accesses + " accesses in " + stops + " stops" : bad.join("; ");
	})()`
	b.Want(silent, "")
	const cut = `(() => {
		const cut = new Set(), forward = document.querySelector("[data-go=forward]");
		let labels = 0;
		document.querySelector("[data-go=first]").click();
		for (;;) {
			for (const l of document.querySelectorAll(".bar i")) { labels++; if (l.scrollWidth > l.clientWidth + 1) cut.add(l.textContent); }
			if (forward.disabled) break;
			forward.click();
		}
		return labels ? [...cut].join() : "no labels";
	})()`
	for _, width := range []int64{1400, 1920} {
		b.Size(width, 1000)
		b.Want(cut, "")
		b.fits("captions")
	}
	b.Picture("captions")
}
