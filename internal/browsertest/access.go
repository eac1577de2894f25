package browsertest

// Accessible demands that the page as it is now can be used by keyboard and with a screen reader, and read by people
// who see little. The rules are ours; with -fp.axe those of axe-core are asked for, too.
func (b *Tab) Accessible(name string) {
	b.TB.Helper()
	for what, script := range map[string]string{"hard to read": pale, "not accessible": inaccessible} {
		if got := Eval[string](b, script); got != "" {
			b.TB.Errorf("%s: %s: %s", name, what, got)
		}
	}
	b.Axe(name)
}

// inaccessible lists controls and headings of tables without a name, controls whose name is not what they show, names of
// landmarks and ids that are there twice, what can be scrolled but not with the keyboard, and what stands in no landmark;
// a page
// has a heading of the first level.
const inaccessible = `(() => {
  const out = [], bad = (why, e) => out.push(why + ": " + e.tagName + "." + (e.id || e.className.baseVal || e.className) + " " + e.textContent.trim().slice(0, 30));
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest("[aria-hidden=true]");
  const all = (css) => [...document.querySelectorAll(css)].filter(shown);
  const words = (t) => t.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  const label = (e) => (e.getAttribute("aria-label") || (e.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean).map((id) => document.getElementById(id)?.textContent || "").join(" ") || [...(e.labels || [])].map((l) => l.textContent).join(" ")).trim();
  const text = (e) => [...e.childNodes].map((n) => n.nodeType === 3 ? n.data : n.nodeType === 1 && n.getAttribute("aria-hidden") !== "true" ? text(n) : "").join(" ");
  for (const e of all("button, a[href], select, textarea, input:not([type=hidden]), summary, [role=tab], [role=separator], [role=button], [role=group][tabindex], [role=region], iframe")) {
    const own = e.matches("button, a, summary, [role=tab], [role=button]") ? text(e).trim() : "";
    if (!(label(e) || own || e.title)) bad("no name", e);
    if (label(e) && own && !words(label(e)).includes(words(own))) bad("named " + label(e) + ", shows another text", e);
    if (e.tabIndex < 0 && !e.disabled && !e.closest(".rows, [role=tablist]")) bad("not reached by keyboard", e);
  }
  for (const e of all("th")) if (!e.textContent.trim()) bad("empty heading", e);
  if (!all("h1").length) out.push("no heading of the first level");
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) ids.has(e.id) ? bad("a second id", e) : ids.add(e.id);
  const landmarks = new Set();
  for (const e of all("section[aria-label], nav[aria-label], aside[aria-label], [role=region]")) landmarks.has(label(e)) ? bad("a second " + label(e), e) : landmarks.add(label(e));
  for (const e of all("body *")) {
    const style = getComputedStyle(e), scrolls = /auto|scroll/.test(style.overflowY) && e.scrollHeight > e.clientHeight + 15 || /auto|scroll/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 15;
    if (scrolls && e.tabIndex < 0 && !e.querySelector("button, a, select, input, textarea, summary, [tabindex='0']")) bad("scrolled by mouse only", e);
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (own && !e.closest("main, header, nav, aside, section[aria-label], section[aria-labelledby], dialog, [role=alert], .probe, noscript, script, style, .copy")) bad("in no landmark", e);
  }
  return [...new Set(out)].slice(0, 8).join("; ");
})()`

// pale lists texts that are hard to read: their contrast with the background is below 4.5 to 1, or 3 to 1 for what
// is disabled, struck out, or large. Colours are drawn on a canvas, which knows every way to write one.
const pale = `(() => {
  for (const a of document.getAnimations()) a.finish();
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const seen = new Map(), rgba = (colour) => { if (!seen.has(colour)) seen.set(colour, drawn(colour)); return seen.get(colour); };
  const drawn = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const grounds = new Map(), ground = (e) => { if (!grounds.has(e)) grounds.set(e, backdrop(e)); return grounds.get(e); };
  const backdrop = (e) => { const layers = []; for (let p = e; p; p = p.parentElement) layers.push(rgba(getComputedStyle(p).backgroundColor)); let c = rgba(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#000" : "#fff"); for (const l of layers.reverse()) c = over(l, c); return c; };
  const out = new Set();
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest("pre#marks, option, script, style, title, noscript, .copy")) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement, back = ground(svg ? e.ownerSVGElement.parentElement : e);
    let opacity = 1, quiet = parseFloat(style.fontSize) >= 24;
    for (let p = e; p; p = p.parentElement) { opacity *= parseFloat(getComputedStyle(p).opacity); quiet = quiet || p.matches(".struck, s, button:disabled"); }
    let fill = rgba(svg ? style.fill : style.color);
    let under = back;
    if (svg) { const shape = e.parentElement.querySelector("rect, circle"), r = e.getBoundingClientRect(), q = shape && shape.getBoundingClientRect(); if (shape && q.left <= r.left && q.right >= r.right && q.top <= r.top + 2 && q.bottom >= r.bottom - 2 && getComputedStyle(shape).fill !== "none") under = over(rgba(getComputedStyle(shape).fill), back); }
    fill = over([fill[0], fill[1], fill[2], fill[3] * opacity], under);
    const a = light(fill), b = light(under), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (quiet ? 3 : 4.5)) out.add(ratio.toFixed(2) + " " + (e.className.baseVal || e.className || e.tagName) + " " + e.textContent.trim().slice(0, 30));
  }
  return [...out].slice(0, 8).join("; ");
})()`
