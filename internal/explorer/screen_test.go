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

// pale lists texts that are hard to read: their contrast with the background is below 4.5 to 1, or 3 to 1 for what
// is disabled, shown as later, or large. Colours are drawn on a canvas, which knows every way to write one.
const pale = `(() => {
  for (const a of document.getAnimations()) a.finish();
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const seen = new Map(), rgba = (colour) => { if (!seen.has(colour)) seen.set(colour, drawn(colour)); return seen.get(colour); };
  const drawn = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const grounds = new Map(), ground = (e) => { if (!grounds.has(e)) grounds.set(e, behind(e)); return grounds.get(e); };
  const behind = (e) => { const layers = []; for (let p = e; p; p = p.parentElement) layers.push(rgba(getComputedStyle(p).backgroundColor)); let c = rgba(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#000" : "#fff"); for (const l of layers.reverse()) c = over(l, c); return c; };
  const out = new Set();
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest("pre#marks, option, script, title, noscript, .copy")) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement, back = ground(svg ? e.ownerSVGElement.parentElement : e);
    let opacity = 1, quiet = parseFloat(style.fontSize) >= 24;
    for (let p = e; p; p = p.parentElement) { opacity *= parseFloat(getComputedStyle(p).opacity); quiet = quiet || p.matches("tr.later, .broken .card, .struck, button:disabled"); }
    let fill = rgba(svg ? style.fill : style.color);
    let under = back;
    if (svg) { const shape = e.parentElement.querySelector("rect, circle"); if (shape && getComputedStyle(shape).fill !== "none") under = over(rgba(getComputedStyle(shape).fill), back); }
    fill = over([fill[0], fill[1], fill[2], fill[3] * opacity], under);
    const a = light(fill), b = light(under), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (quiet ? 3 : 4.5)) out.add(ratio.toFixed(2) + " " + (e.className.baseVal || e.className || e.tagName) + " " + e.textContent.trim().slice(0, 30));
  }
  return [...out].slice(0, 8).join("; ");
})()`

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
				for _, width := range []int64{360, 768, 1440} {
					if dark && width == 768 { // colours do not change sizes
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
	for what, script := range map[string]string{"out of the window": overflow, "cut off": cut, "stores that cannot be seen": hiddenStores, "hard to read": pale} {
		if got := eval[string](b, script); got != "" {
			b.TB.Errorf("%s: %s: %s", name, what, got)
		}
	}
	b.Picture(name)
}
