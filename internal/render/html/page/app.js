"use strict";
(() => {
  const results = JSON.parse(document.getElementById("data").textContent);
  const $ = (sel, root) => (root || document).querySelector(sel);
  const all = (sel, root) => [...(root || document).querySelectorAll(sel)];
  const make = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const firstRow = 2;
  const hue = t => "t" + t % 6;
  let result = 0, execution = 0, step = 0;

  const now = () => results[result].executions[execution];
  const root = () => document.getElementById(results[result].id);

  // Which place the address names: #r1e2s3 is result 1, execution 2, step 3.
  function fromAddress() {
    const m = /^#r(\d+)(?:e(\d+))?(?:s(\d+))?$/.exec(location.hash);
    if (!m || !results[m[1] - 1]) return false;
    result = m[1] - 1;
    execution = Math.min(Math.max((m[2] || 1) - 1, 0), Math.max(results[result].executions.length - 1, 0));
    step = +(m[3] || 0);
    return true;
  }

  function toAddress() {
    const address = "#" + results[result].id + (now() ? "e" + (execution + 1) + "s" + step : "");
    if (location.hash !== address) {
      try { history.replaceState(null, "", address); } catch (e) { /* a sandboxed frame */ }
    }
  }

  function show() {
    for (const r of results) document.getElementById(r.id).hidden = r !== results[result];
    for (const b of all("[data-result]")) b.setAttribute("aria-pressed", b.dataset.result === results[result].id);
    const e = now();
    if (!e) { toAddress(); return; }
    step = Math.min(Math.max(step, 0), e.steps.length);
    for (const s of all(".execution", root())) s.hidden = s.id !== e.id;
    for (const b of all("[data-execution]", root())) b.setAttribute("aria-pressed", b.dataset.execution === e.id);
    controls(e);
    timeline(e);
    state(e);
    source(e);
    toAddress();
  }

  function controls(e) {
    const r = root(), slide = $(".slide", r), at = e.steps[step - 1];
    slide.max = e.steps.length;
    slide.value = step;
    slide.setAttribute("aria-valuetext", "step " + step + " of " + e.steps.length);
    $(".count", r).textContent = step + " / " + e.steps.length;
    for (const b of all("[data-go]", r)) {
      const back = b.dataset.go === "first" || b.dataset.go === "back";
      b.disabled = back ? step === 0 : step === e.steps.length;
    }
    const caption = $(".caption", r);
    caption.className = "caption" + (at && at.fails ? " fails" : "");
    caption.replaceChildren();
    const what = make("div", "what");
    if (!at) {
      what.append(make("span", "who", "Start"));
      caption.append(what, make("div", "effect", "nothing has happened yet, all store buffers are empty"));
      return;
    }
    what.append(make("span", "who " + hue(at.t), (e.threads[at.t] || "?") + " "), at.text, make("span", "where", at.place ? "  " + at.place : ""));
    caption.append(what, make("div", "effect", at.effect || "a step of its own, no memory involved"));
  }

  function timeline(e) {
    const section = document.getElementById(e.id);
    for (const x of all("[data-at]", section)) x.classList.toggle("later", step > 0 && x.dataset.at - firstRow >= step);
    for (const x of all(".band", section)) x.classList.toggle("now", +x.dataset.row === step - 1);
    let current = null;
    const steps = all(".ev", section);
    for (const x of steps) {
      const is = +x.dataset.step === step;
      x.classList.toggle("now", is);
      if (is) { x.setAttribute("aria-current", "step"); current = x; } else x.removeAttribute("aria-current");
      x.tabIndex = is || step === 0 && x === steps[0] ? 0 : -1;
    }
    for (const x of all(".nd", section)) x.classList.toggle("now", +x.dataset.step === step - 1);
    const box = $(".scroller", section);
    if (current) reveal(box, current, 48); else box.scrollTop = 0;
  }

  // reveal scrolls inside a box, never the page.
  function reveal(box, item, head) {
    const b = box.getBoundingClientRect(), i = item.getBoundingClientRect();
    if (i.top < b.top + head) box.scrollTop -= b.top + head - i.top;
    else if (i.bottom > b.bottom - 12) box.scrollTop += i.bottom - b.bottom + 12;
    if (i.left < b.left) box.scrollLeft -= b.left - i.left + 12;
    else if (i.right > b.right && i.width < b.width) box.scrollLeft += i.right - b.right + 12;
  }

  function state(e) {
    const values = e.memory.map(c => c[1]), changed = new Set(), buffers = e.threads.map(() => []);
    const ever = new Set();
    e.steps.forEach((s, i) => {
      for (const b of s.buffers || []) ever.add(b.t);
      if (i >= step) return;
      for (const m of s.memory || []) {
        values[m.i] = m.v;
        if (i === step - 1) changed.add(m.i);
      }
      for (const b of s.buffers || []) buffers[b.t] = b.e;
    });
    const cells = e.memory.map((c, i) => {
      const row = make("div", changed.has(i) ? "now" : "");
      const known = values[i] !== "";
      row.append(make("span", "", c[0]), make("b", known ? "" : "unknown", known ? values[i] : "initial"));
      return row;
    });
    $(".cells", root()).replaceChildren(...(cells.length ? cells : [make("div", "unknown", "no memory is touched")]));
    const rows = [];
    e.threads.forEach((name, t) => {
      if (!ever.has(t)) return;
      const row = make("div", hue(t)), q = make("span", "q");
      row.append(make("span", "who", name));
      for (const text of buffers[t]) q.append(make("span", "entry", text));
      if (!buffers[t].length) q.append(make("span", "none", "empty"));
      row.append(q);
      rows.push(row);
    });
    $(".buffers", root()).replaceChildren(...(rows.length ? rows : [make("div", "none", "no store is ever buffered")]));
  }

  const plain = new Map(); // lines that hold a mark, as they were

  function source(e) {
    for (const [code, nodes] of plain) code.replaceChildren(...nodes);
    plain.clear();
    const files = all(".source", root()), hit = new Set(), here = new Map();
    const line = (file, n) => files[file] && $('[data-line="' + n + '"]', files[file]);
    e.steps.forEach((s, i) => {
      for (const span of s.spans || []) hit.add(line(s.file, span[0]));
      if (i < step && s.spans && s.spans.length) here.set(s.t, line(s.file, s.spans[0][0]));
    });
    for (const f of files) for (const l of all(".line", f)) {
      l.classList.toggle("hit", hit.has(l));
      const tags = $(".here", l);
      if (tags.firstChild) tags.replaceChildren();
    }
    for (const [t, l] of here) if (l) $(".here", l).append(make("b", hue(t), e.threads[t]));
    const at = e.steps[step - 1];
    if (!at || !at.spans) return;
    at.spans.forEach((span, k) => {
      const l = line(at.file, span[0]);
      if (!l) return;
      const code = $("code", l), text = code.textContent;
      plain.set(code, [...code.childNodes]);
      const mark = make("mark", hue(at.t), text.slice(span[1], span[2]));
      code.replaceChildren(text.slice(0, span[1]), mark, text.slice(span[2]));
      if (k === 0) reveal(l.closest(".listing"), l, 8);
    });
  }

  function go(to) {
    const e = now();
    if (!e) return;
    step = { first: 0, back: step - 1, forward: step + 1, last: e.steps.length }[to];
    show();
  }

  function other(by) {
    const n = results[result].executions.length;
    if (n < 2) return;
    execution = (execution + by + n) % n;
    step = 0;
    show();
  }

  function theme() {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("fencepost-theme", document.documentElement.dataset.theme); } catch (e) { /* not kept */ }
  }

  document.addEventListener("click", ev => {
    const t = ev.target.closest("[data-go],[data-result],[data-execution],.ev,.nd,#theme");
    if (!t) return;
    if (t.id === "theme") theme();
    else if (t.dataset.go) go(t.dataset.go);
    else if (t.dataset.result) { result = results.findIndex(r => r.id === t.dataset.result); execution = step = 0; show(); }
    else if (t.dataset.execution) { execution = now() ? results[result].executions.findIndex(e => e.id === t.dataset.execution) : 0; step = 0; show(); }
    else { step = t.classList.contains("nd") ? +t.dataset.step + 1 : +t.dataset.step; show(); }
  });
  document.addEventListener("input", ev => {
    if (ev.target.classList.contains("slide")) { step = +ev.target.value; show(); }
  });
  const keys = { ArrowRight: () => go("forward"), ArrowLeft: () => go("back"), Home: () => go("first"), End: () => go("last"),
    "]": () => other(1), "[": () => other(-1), t: theme };
  document.addEventListener("keydown", ev => {
    if (ev.altKey || ev.ctrlKey || ev.metaKey || ev.target.type === "range" || !keys[ev.key]) return;
    ev.preventDefault();
    keys[ev.key]();
    const current = document.activeElement && document.activeElement.classList.contains("ev") && now() &&
      $(".ev.now", document.getElementById(now().id));
    if (current) current.focus({ preventScroll: true });
  });
  addEventListener("hashchange", () => { if (fromAddress()) show(); });

  try {
    const kept = localStorage.getItem("fencepost-theme");
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  } catch (e) { /* nothing is kept */ }
  if (results.length) {
    fromAddress();
    show();
  }
})();
