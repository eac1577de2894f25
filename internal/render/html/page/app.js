// The page: which result, execution and step is shown, and what keys and clicks do.

const results = data.results;
const shownResult = () => results[view.result];
const now = () => shownResult() && shownResult().executions[view.execution];
const root = () => document.getElementById(shownResult().id);
const pages = new Map(); // the results that were shown, with their lists
let grid = null; // of traces
let laidOut = ""; // which execution the rows were built for, and how

// Which place the address names: #r1e2s3 is result 1, execution 2, step 3.
function fromAddress(address) {
  const m = /^#r(\d+)(?:e(\d+))?(?:s(\d+))?$/.exec(address);
  if (!m || !results[m[1] - 1]) return false;
  view.result = m[1] - 1;
  view.execution = Math.min(Math.max((m[2] || 1) - 1, 0), Math.max(shownResult().executions.length - 1, 0));
  view.step = +(m[3] || 0);
  return true;
}

function toAddress() {
  const address = "#" + shownResult().id + (now() ? "e" + (view.execution + 1) + "s" + view.step : "");
  if (location.hash !== address) {
    try { history.replaceState(null, "", address); } catch (e) { /* a sandboxed frame */ }
  }
}

// attach puts the result into the document and returns its lists.
function attach() {
  const id = shownResult().id;
  for (const other of all("main.result")) {
    if (other.id === id) continue;
    if (!pages.has(other.id)) pages.set(other.id, { main: other });
    other.remove();
  }
  let one = pages.get(id);
  if (!one) pages.set(id, one = { main: document.getElementById(id) || $('template[data-page="' + id + '"]').content.cloneNode(true).firstElementChild });
  if (!one.main.isConnected) $("#overview").after(one.main);
  if (!one.ready) {
    one.ready = true;
    one.fresh = true;
    const steps = $(".steps", one.main), cells = $(".cells", one.main), listing = $(".listing", one.main), assembly = $(".assembly .listing", one.main);
    if (steps) one.steps = new List(steps, rowHeight, r => drawRow(now(), r), () => $(".heads", steps).offsetHeight);
    if (cells) one.cells = new List(cells, 26, i => drawCell(now(), one.state, i));
    if (listing) one.listing = new List(listing, 20, i => one.listing.line(i));
    if (assembly) one.assembly = new List(assembly, 20, i => one.assembly.line(i));
  }
  return one;
}

function show(move) {
  const one = attach(), e = now();
  overview();
  if (!e) {
    laidOut = "";
    if (one.listing) showFile(one.listing, null, 0);
    toAddress();
    return;
  }
  prepare(e, !view.fold);
  view.step = Math.min(Math.max(view.step, 0), e.length);
  if (!laidOut.startsWith(e.id + " ")) enter(one, e);
  layOut(one, e);
  controls(e);
  const r = view.current = currentRow();
  one.steps.set(view.rows.length);
  if (r >= 0 && view.step > 0) one.steps.reveal(r); else if (view.step === 0 && move) one.steps.box.scrollTop = 0;
  for (const x of all(".nd", one.main)) x.classList.toggle("now", +x.dataset.step === view.step - 1);
  one.state = stateAt(e);
  one.cells.set(e.cells.length);
  const changed = [...one.state.changed][0];
  if (changed !== undefined) one.cells.reveal(changed);
  if (!e.cells.length) one.cells.rows.replaceChildren(make("div", "memory-row unknown", "no memory is touched"));
  drawBuffers(e, one.state, $(".buffers", one.main));
  source(one, e);
  toAddress();
  if (move && r >= 0 && view.step > 0) intoWindow(one.steps.element(r));
}

// enter shows what belongs to an execution as a whole.
function enter(one, e) {
  view.hidden.clear();
  view.variable = view.search = "";
  const main = one.main;
  $(".name", main).textContent = e.name;
  $(".explain", main).replaceChildren(...e.words.map(w => make("p", "", w)));
  const end = $(".end", main);
  end.textContent = e.end;
  end.hidden = !e.end;
  end.classList.toggle("bad", e.bad);
  $(".blocks", main).textContent = e.blocks.join(" · ");
  for (const input of all(".search, .variable", main)) input.value = "";
  pick(main, e);
  chips(main, e);
  const names = [...new Set(e.cells.map(c => data.strings[c[0]]))].slice(0, 60);
  $("#variables", main).replaceChildren(...names.map(n => { const o = make("option"); o.value = n; return o; }));
  const graph = $('template[data-graph="' + e.id + '"]');
  $(".drawing", main).replaceChildren(graph.content.cloneNode(true));
  $(".has-cycle", main).hidden = !e.cycle;
  $(".graph h2", main).firstChild.textContent = $(".ed.rf, .ed.mo, .ed.rb, .ed.sw", main) ? "Program order and the order of accesses " : "Happens-before ";
  renameEdges($(".drawing", main), $(".legend", main), e.cycle);
}

// pick offers the executions of the result: tabs, or a list if there are many.
function pick(main, e) {
  const nav = $(".pick", main), list = shownResult().executions;
  if (list.length < 2 || data.grid) return;
  if (list.length <= 6) {
    nav.className = "pick tabs";
    nav.replaceChildren(...list.map((x, i) => {
      const b = make("button", "tab", x.name);
      b.type = "button";
      b.title = x.title;
      b.dataset.address = "#" + shownResult().id + "e" + (i + 1);
      b.setAttribute("aria-pressed", x === e);
      return b;
    }));
    return;
  }
  if (!nav.list) {
    const box = make("div", "choices");
    box.append(make("div", "rows"));
    nav.className = "pick card";
    nav.replaceChildren(make("h2", "", count(list.length) + " executions"), box);
    nav.list = new List(box, 30, i => {
      const b = make("button", "choice");
      b.type = "button";
      b.dataset.address = "#" + shownResult().id + "e" + (i + 1);
      b.title = list[i].title;
      b.append(make("b", "", list[i].name), make("span", "", list[i].title));
      b.setAttribute("aria-pressed", list[i] === now());
      return b;
    });
  }
  nav.list.set(list.length);
  nav.list.reveal(view.execution);
}

function chips(main, e) {
  const few = e.order.slice(0, 16);
  $(".chips", main).replaceChildren(...(few.length > 1 ? few : []).map(t => {
    const b = make("button", "chip " + hue(t), e.threads[t]);
    b.type = "button";
    b.dataset.thread = t;
    b.title = "Show or hide the steps of " + e.threads[t];
    b.setAttribute("aria-pressed", !view.hidden.has(t));
    return b;
  }));
}

// layOut builds the rows and the columns if something that they depend on has changed.
function layOut(one, e) {
  const box = one.steps.box, width = box.clientWidth;
  const key = [e.id, width, view.fold, view.columns, [...view.hidden], view.variable, [...e.open]].join(" ");
  if (key === laidOut) return;
  laidOut = key;
  if (!charWidth) measure(one.steps.rows);
  buildRows(e);
  view.grid = view.columns === "list" ? null : columnsFor(e, width - 14);
  const longest = Math.max(...e.order.map(t => e.threads[t].length), 6);
  const who = Math.min(longest, width < 520 ? 7 : 16) * charWidth + 10;
  box.classList.toggle("list", !view.grid);
  box.classList.toggle("narrow", !view.grid && width < 520);
  box.style.setProperty("--cols", view.grid ? view.grid.css :
    numberWidth() + "px " + laneWidth(e) * e.order.length + "px " + who + "px minmax(0,1.3fr)" + (width < 520 ? "" : " minmax(0,1fr)"));
  drawHeads(e, $(".heads", box));
  for (const b of all("[data-switch]", one.main)) {
    if (b.dataset.switch === "fold") { b.setAttribute("aria-pressed", view.fold); }
    if (b.dataset.switch === "columns") b.setAttribute("aria-pressed", !!view.grid);
  }
  for (const b of all("[data-thread]", one.main)) b.setAttribute("aria-pressed", !view.hidden.has(+b.dataset.thread));
  const shown = view.rows.reduce((n, r) => n + r.to - r.from + 1, 0);
  $(".left-out", one.main).textContent = shown < e.length ? count(e.length - shown) + " of " + count(e.length) + " steps are hidden" : "";
}

function controls(e) {
  const r = root(), slide = $(".slide", r), at = view.step - 1;
  slide.max = e.length;
  slide.value = view.step;
  slide.setAttribute("aria-valuetext", "step " + view.step + " of " + e.length);
  $(".count", r).textContent = count(view.step) + " / " + count(e.length);
  for (const b of all("[data-go]", r)) {
    const back = b.dataset.go === "first" || b.dataset.go === "back";
    b.disabled = back ? view.step === 0 : view.step === e.length;
  }
  const caption = $(".caption", r), what = make("div", "what");
  caption.className = "caption" + (at >= 0 && e.k[at] === kinds.fail ? " fails" : "");
  if (at < 0) {
    what.append(make("span", "who", "Start"));
    caption.replaceChildren(what, make("div", "effect", "nothing has happened yet, all store buffers are empty"));
    return;
  }
  // At the end of a row the caption says what the row as a whole did: its last step may be a local one.
  const row = view.rows[currentRow()], whole = row && row.to === at, main = whole ? row.main : at;
  const text = whole && !row.folded ? row.text : data.strings[e.x[at]], effect = (whole && row.effect) || data.strings[e.e[main]];
  const span = e.spans[e.p[main] - 1] || e.spans[e.p[at] - 1], file = span && data.files[shownResult().files[span[0]]];
  const where = file ? "  " + file.name.split("/").pop() + ":" + span[1] : "";
  what.append(make("span", "who " + hue(e.t[at]), (e.threads[e.t[at]] || "?") + " "), text, make("span", "where", where));
  what.title = text;
  caption.replaceChildren(what, make("div", "effect", effect || "a step of its own, no memory involved"));
}

// source shows the file of the current step, or else of the last step before it that has one: of machine code the source
// and, in a pane of its own, the assembly.
function source(one, e) {
  if (!one.listing) return;
  const at = pane(one.listing, e, e.p, 0);
  if (!one.assembly) return;
  one.assembly.box.parentElement.hidden = !e.a;
  if (e.a) pane(one.assembly, e, e.a, at);
}

// pane shows a file in a list and returns the file and line of the current step, or of the last one before it. column says
// where the steps are; beside is the line that the other pane shows.
function pane(list, e, column, beside) {
  const span = i => e.spans[column[i] - 1], here = new Map();
  let last = null;
  for (let i = 0; i < view.step; i++) if (span(i)) { here.set(e.t[i], span(i)); last = span(i); }
  let file = last;
  if (view.step === 0) for (let i = 0; i < e.length && !file; i++) file = span(i);
  const at = view.step > 0 && span(view.step - 1);
  showFile(list, e, file ? file[0] : 0, here, at, beside);
  if (at) list.reveal(at[1] - 1);
  return last;
}

// marksOf says what the compiler did to the lines of a file: words by line, and the lines of the assembly that were made of the
// line that the other pane shows.
function marksOf(index, beside) {
  const made = shownResult().listing, words = new Map(), same = new Set();
  if (!made) return { words, same };
  for (const line of made.removed[index] || []) words.set(line, "no instruction");
  if (made.file === index) for (const [line, file, source, before] of made.of) {
    if (before) words.set(line, "line " + source + " after " + before);
    if (beside && beside[0] === file && beside[1] === source) same.add(line);
  }
  return { words, same };
}

function showFile(list, e, index, here, at, beside) {
  const file = data.files[shownResult().files[index]];
  if (!file) return;
  const made = shownResult().listing;
  $(".file", list.box.parentElement).textContent = (made && made.file === index ? "Assembly: " : "") + file.name;
  const hit = new Set(), marks = new Map(), tags = new Map(), { words, same } = marksOf(index, beside);
  if (e) {
    for (const s of e.spans) if (s[0] === index) for (let k = 1; k < s.length; k += 3) hit.add(s[k]);
    if (at && at[0] === index) for (let k = 1; k < at.length; k += 3) marks.set(at[k], [[at[k + 1], at[k + 2]]]);
    for (const [t, s] of here) if (s[0] === index) tags.set(s[1], [...(tags.get(s[1]) || []), t]);
  }
  list.line = i => {
    const row = drawLine(file, i, marks.get(i + 1) || [], tags.get(i + 1) || [], hit.has(i + 1), e ? e.threads : [], e && view.step > 0 ? e.t[view.step - 1] : 0);
    if (same.has(i + 1)) row.classList.add("same");
    if (words.has(i + 1)) {
      row.classList.add("changed");
      row.append(make("span", "note", words.get(i + 1)));
    }
    return row;
  };
  const lines = linesOf(file);
  list.rows.style.minWidth = Math.min(file.widest, 400) + 16 + "ch";
  list.set(lines.length);
}

// intoWindow scrolls the page, not the box, so that the current step can be seen.
function intoWindow(row) {
  if (!row) return;
  const bar = $(".controls", root()).getBoundingClientRect(), r = row.getBoundingClientRect();
  const below = bar.top > innerHeight / 2; // on phones the buttons are at the bottom
  const top = below ? 8 : bar.height + 16, bottom = (below ? bar.top : innerHeight) - 8;
  if (r.top < top) scrollBy(0, r.top - top);
  else if (r.bottom > bottom) scrollBy(0, r.bottom - bottom);
}

function go(to) {
  const e = now();
  if (!e) return;
  // A step in the middle of a row: the next one is the end of the row.
  const last = view.rows.length - 1, r = currentRow(), inside = r >= 0 && view.rows[r].to + 1 > view.step;
  const jump = { first: -1, back: r - 1, forward: inside ? r : r + 1, last, up: Math.max(r - 10, -1), down: Math.min(r + 10, last) }[to];
  if (to === "last") view.step = e.length;
  else if (jump > last) view.step = e.length;
  else view.step = jump < 0 ? 0 : view.rows[jump].to + 1;
  show(true);
}

function other(by) {
  const n = shownResult() ? shownResult().executions.length : 0;
  if (n < 2) return;
  view.execution = (view.execution + by + n) % n;
  view.step = 0;
  show(true);
}

function visit(address) {
  const before = view.result;
  if (!fromAddress(address)) return;
  show(true);
  if (grid) grid.refresh();
  const steps = $(".controls", root());
  if (steps && view.result === before || data.tests) (steps || root()).scrollIntoView({ block: "start" });
}

// find goes to the next step that the search matches, or to the one before.
function find(by) {
  const e = now();
  if (!e || !view.search) return;
  for (let k = 1; k <= e.length; k++) {
    const i = (((view.step - 1 + by * k) % e.length) + e.length) % e.length;
    if (!matches(e, i) || view.rowOf[i] < 0) continue;
    view.step = i + 1;
    openAt(e, i);
    show(true);
    break;
  }
  found(e);
}

// openAt opens the folded rows around a step.
function openAt(e, i) {
  const walk = list => list.forEach(r => { if (r[4] && r[0] <= i && i <= r[1]) { e.open.add(r[0]); walk(r[4]); } });
  walk(e.rows);
}

function found(e) {
  let n = 0, k = 0;
  for (let i = 0; i < e.length; i++) if (view.rowOf[i] >= 0 && matches(e, i)) { n++; if (i < view.step) k = n; }
  $(".found", root()).textContent = view.search === "" ? "" : n === 0 ? "not found" : (k ? k + " of " : "") + count(n);
}

function flip(what) {
  const e = now();
  if (what === "relations") {
    herd = !herd;
    keep("relations", herd ? "herd" : "papers");
    if (e) renameEdges($(".drawing", root()), $(".legend", root()), e.cycle);
    if (grid) grid.refresh();
    return;
  }
  if (!e) return;
  if (what === "fold") { view.fold = !view.fold; e.open.clear(); }
  if (what === "columns") view.columns = view.grid ? "list" : "auto";
  show(true);
}

// overview is the table above the results: programs against models, and the outcomes of the one that is shown.
let overviewOf = -1;
function overview() {
  const box = $("#overview"), groups = data.groups, g = groups[shownResult().group];
  if (results.length < 2 && !g.rows.length) return;
  box.hidden = false;
  if (groups.length > 1 && !box.list) {
    const list = make("div", "choices");
    list.append(make("div", "rows"));
    box.append(make("h2", "", count(groups.length) + " programs"), list, make("div", "outcomes"));
    box.list = new List(list, 30, i => groupRow(groups[i], i));
  } else if (!$(".outcomes", box)) box.append(make("div", "outcomes"));
  if (box.list) {
    box.list.set(groups.length);
    if (overviewOf !== shownResult().group) box.list.reveal(shownResult().group);
  }
  overviewOf = shownResult().group;
  outcomes(g, $(".outcomes", box));
}

function groupRow(g, i) {
  const row = make("div", "choice group" + (i === shownResult().group ? " now" : ""));
  row.append(make("b", "", g.name));
  g.results.forEach((r, k) => {
    const b = make("button", "tab " + results[r].class);
    b.type = "button";
    b.dataset.address = "#" + results[r].id;
    b.append(make("span", "dot"), g.models[k]);
    b.title = results[r].tab;
    b.setAttribute("aria-pressed", r === view.result);
    row.append(b);
  });
  return row;
}

const mostOutcomes = 60;

function outcomes(g, box) {
  if (!g.rows.length) { box.replaceChildren(); return; }
  const table = make("table", "facts matrix"), head = make("tr");
  head.append(make("th", "", g.name));
  for (const m of g.models) head.append(make("th", "", m));
  const body = make("tbody");
  g.rows.slice(0, mostOutcomes).forEach(row => {
    const tr = make("tr", "is-" + row.kind);
    tr.append(make("td", "", row.text));
    row.cells.forEach((c, k) => {
      const td = make("td", c.class);
      if (c.address) {
        const b = make("button", "go", c.text);
        b.type = "button";
        b.dataset.address = c.address;
        b.setAttribute("aria-pressed", c.address === location.hash.replace(/s\d+$/, "") || row.kind === "verdict" && g.results[k] === view.result);
        td.append(b);
      } else td.append(make("span", "mark", c.text));
      tr.append(td);
    });
    body.append(tr);
  });
  const top = make("thead");
  top.append(head);
  table.append(top, body);
  const sheet = make("div", "sheet");
  sheet.append(table);
  box.replaceChildren(sheet);
  if (g.rows.length > mostOutcomes) box.append(make("p", "stats", count(g.rows.length - mostOutcomes) + " more outcomes; --json lists them"));
  if (g.rows.some(r => r.cells.some(c => c.address))) box.append(make("p", "stats", "A click on an answer leads to its execution."));
}

document.addEventListener("click", ev => {
  const t = ev.target.closest("[data-go],[data-address],[data-switch],[data-thread],[data-fold],.ev,.nd,#theme");
  if (!t) return;
  const e = shownResult() && now();
  if (t.id === "theme") switchTheme();
  else if (t.dataset.go) go(t.dataset.go);
  else if (t.dataset.address) visit(t.dataset.address);
  else if (t.dataset.switch) flip(t.dataset.switch);
  else if (t.dataset.thread) {
    const n = +t.dataset.thread;
    if (!view.hidden.delete(n)) view.hidden.add(n);
    show(false);
  } else if (t.dataset.fold) { e.open.add(+t.dataset.fold); show(false); }
  else { view.step = t.classList.contains("nd") ? +t.dataset.step + 1 : +t.dataset.step; show(t.classList.contains("nd")); }
});
document.addEventListener("input", ev => {
  const c = ev.target.classList;
  if (c.contains("slide")) { view.step = +ev.target.value; show(false); }
  if (c.contains("variable")) { view.variable = ev.target.value; show(false); }
  if (c.contains("search")) { view.search = ev.target.value; show(false); found(now()); }
});
const keys = {
  ArrowRight: () => go("forward"), ArrowLeft: () => go("back"), Home: () => go("first"), End: () => go("last"), PageDown: () => go("down"), PageUp: () => go("up"),
  "]": () => other(1), "[": () => other(-1), t: switchTheme, f: () => flip("fold"), c: () => flip("columns"), r: () => flip("relations"), n: () => find(1), N: () => find(-1),
  "/": () => now() && $(".search", root()).focus(),
};
document.addEventListener("keydown", ev => {
  const t = ev.target;
  if (ev.altKey || ev.ctrlKey || ev.metaKey || !shownResult()) return;
  if (t.classList.contains("narrow-down")) return;
  if (t.type === "search") {
    if (ev.key === "Enter" && t.classList.contains("search")) find(ev.shiftKey ? -1 : 1);
    if (ev.key === "Escape") { t.value = ""; view[t.classList.contains("search") ? "search" : "variable"] = ""; t.blur(); show(false); found(now()); }
    return;
  }
  if (t.type === "range" || !Object.hasOwn(keys, ev.key)) return;
  ev.preventDefault();
  const focused = document.activeElement && document.activeElement.classList.contains("ev");
  keys[ev.key]();
  const current = focused && now() && $(".row.now .ev", root());
  if (current) current.focus({ preventScroll: true });
});
addEventListener("hashchange", () => { if (fromAddress(location.hash)) show(true); });
addEventListener("resize", () => { if (shownResult()) { charWidth = 0; show(false); } });

// Paper has no scrolling: the rows are printed as lines of text, and the source with its line numbers.
const mostPrinted = 1000;
addEventListener("beforeprint", () => {
  const list = data.tests ? data.tests.map(t => t.status.padEnd(12) + t.file + (t.what ? "  " + t.what + "=" + t.want : "") + (t.got && t.got !== t.want ? "  is " + t.got : "") + (t.detail ? "  " + t.detail : ""))
    : (data.grid || []).map(g => g.name.padEnd(10) + (g.cyclic ? "has a cycle  " : "             ") + g.reads);
  if (list.length) $("#list").append(make("pre", "paper", list.slice(0, mostPrinted).join("\n") + (list.length > mostPrinted ? "\n" + count(list.length - mostPrinted) + " more are not printed." : "")));
  const e = shownResult() && now();
  if (!shownResult()) return;
  if (e) {
    const shown = view.rows.slice(0, mostPrinted), name = row => (e.threads[e.t[row.main]] || "").slice(0, 16);
    const width = (of, most) => Math.min(most, Math.max(...shown.map(r => of(r).length), 1)), numbers = width(rowNumber, 13), names = width(name, 16), texts = width(r => r.text, 56);
    const lines = shown.map(r => rowNumber(r).padStart(numbers) + "  " + name(r).padEnd(names) + "  " + ((r.folded ? "⋯ " : "") + r.text).padEnd(texts) + "  " + r.effect);
    if (shown.length < view.rows.length) lines.push(count(view.rows.length - shown.length) + " more rows are not printed.");
    $(".execution", root()).append(make("pre", "paper", lines.join("\n")));
  }
  const source = $(".source", root());
  if (source) {
    const name = $(".file", source).textContent, file = data.files.find(f => f.name === name);
    if (file) source.append(make("pre", "paper", linesOf(file).slice(0, mostPrinted).map((l, i) => String(i + 1).padStart(4) + "  " + l.text).join("\n")));
  }
});
addEventListener("afterprint", () => { for (const x of all(".paper")) x.remove(); });

if (data.tests || data.grid) $("#list").hidden = false;
if (data.tests) testList($("#list"));
if (results.length) {
  fromAddress(location.hash);
  show(view.step > 0);
}
if (data.grid) {
  $(".verdict", root()).after($("#list"));
  grid = traceGrid($("#list"));
}
