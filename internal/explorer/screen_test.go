package explorer_test

import (
	"fmt"
	"testing"
)

// overflow lists the elements that stand out of the window on its right side, where the user cannot scroll to them
// inside another element, and the page itself if it can be scrolled sideways.
const overflow = `(() => {
  const width = document.documentElement.clientWidth, out = [];
  if (document.documentElement.scrollWidth > width) out.push("page " + document.documentElement.scrollWidth);
  const inside = (e) => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) if (getComputedStyle(p).overflowX !== "visible") return true; return false; };
  for (const e of document.querySelectorAll("body *")) {
    const r = e.getBoundingClientRect();
    if (r.width && r.height && (r.right > width + 1 || r.left < -1) && !inside(e) && getComputedStyle(e).position !== "fixed") out.push(e.tagName + "." + (e.id || e.className) + " " + Math.round(r.left) + "-" + Math.round(r.right));
  }
  return out.slice(0, 5).join("; ");
})()`

// cut lists texts that are cut off although the user needs all of them.
const cut = `[...document.querySelectorAll("#steps .effect, .verdict, .cause p, .chip, .cell b, .reg, #steps .who, .top button, .top label")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map((e) => e.className + " " + e.textContent).slice(0, 5).join("; ")`

// hiddenStores lists the stores that stand out of their queue, and the queues that are too small to see.
const hiddenStores = `[...document.querySelectorAll(".queue")].filter((q) => q.offsetParent && (q.clientWidth < 50 || [...q.querySelectorAll(".chip")].some((c) => c.getBoundingClientRect().left < q.getBoundingClientRect().left - 1 || c.scrollWidth > c.clientWidth + 1))).map((q) => q.clientWidth + " " + q.textContent).join("; ")`

// TestScreens: on the screens of telephones, tablets and computers, light and dark, nothing stands out of the window.
func TestScreens(t *testing.T) {
	shows := []struct {
		name string
		show func(*tab)
	}{
		{"start", func(*tab) {}},
		{"cycle", keys("1", "1", "1", "1")},
		{"many", func(b *tab) {
			b.replace("var long_name, other;\nthread writer { long_name = 1; other = 2; long_name = 3; other = 4; long_name = 5; other = 6; }\n")
			b.press("1", "1", "1", "1", "1", "1")
		}},
		{"fences", keys("n")},
		{"iriw", func(b *tab) { b.example("iriw.fp"); b.press("m", "1", "1", "1", "1", "w") }},
		{"compare", keys("1", "1", "1", "1", "c")},
		{"graph", keys("1", "g")},
		{"keys", keys("?")},
		{"share", clicks("#share")},
		{"broken", func(b *tab) {
			b.replace("var x;\nthread t { x = a_long_name_that_was_never_declared_anywhere_in_it; }\n")
		}},
		{"c", func(b *tab) { b.example("dekker.c"); b.press("v") }},
	}
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		for _, s := range shows {
			b.Size(1440, 900)
			b.begin()
			s.show(b)
			for _, dark := range []bool{false, true} {
				b.Dark(dark)
				for _, width := range []int64{360, 768, 1280, 1920} {
					if dark && width != 360 && width != 1920 { // colours do not change sizes
						continue
					}
					b.Size(width, 900)
					b.inspect(fmt.Sprintf("%s-%d-%v", s.name, width, map[bool]string{false: "light", true: "dark"}[dark]))
				}
			}
		}
	})
}

// inspect demands that the page, as it is now, shows everything and that it can be read.
func (b *tab) inspect(name string) {
	b.TB.Helper()
	for what, script := range map[string]string{"out of the window": overflow, "cut off": cut, "stores that cannot be seen": hiddenStores} {
		if got := eval[string](b, script); got != "" {
			b.TB.Errorf("%s: %s: %s", name, what, got)
		}
	}
	b.Accessible(name)
	b.Picture(name)
}
