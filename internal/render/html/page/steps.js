// The steps: which rows there are, and how a row is drawn.

// view is what is shown: the result and execution, the step, and what the reader has chosen.
const view = { result: data.first, execution: 0, step: 0, fold: true, columns: "auto", hidden: new Set(), variable: "", search: "", rows: [], rowOf: null, grid: null };

// buildRows lists the rows: one per statement, runs of them that are folded, or each step.
function buildRows(e) {
  const rows = [], rowOf = new Int32Array(e.length).fill(-1), wanted = view.variable.toLowerCase();
  const accesses = i => e.v[i] > 0 && data.strings[e.cells[e.v[i] - 1][0]].toLowerCase().includes(wanted);
  const add = (from, to, text, effect, folded) => {
    let main = from, some = !wanted, shown = false;
    for (let i = from; i <= to; i++) {
      if (weight[e.k[i]] >= weight[e.k[main]]) main = i;
      some = some || accesses(i);
      shown = shown || !view.hidden.has(e.t[i]);
    }
    if (!some || !shown) return;
    rowOf.fill(rows.length, from, to + 1);
    const memory = folded ? "" : data.strings[e.c[e.k[main] === kinds.store && e.until[main] <= to ? e.until[main] : main]];
    rows.push({ from, to, main, text, effect, folded, memory });
  };
  const walk = list => list.forEach(([from, to, text, effect, inner]) => {
    if (inner && e.open.has(from)) walk(inner);
    else add(from, to, data.strings[text], data.strings[effect], !!inner);
  });
  if (view.fold) walk(e.rows);
  else for (let i = 0; i < e.length; i++) add(i, i, data.strings[e.x[i]], data.strings[e.e[i]], false);
  view.rows = rows;
  view.rowOf = rowOf;
}

// weight says which step of a row is drawn, by kind: what failed, else an access.
const weight = [0, 3, 3, 3, 1, 3, 3, 2, 1, 4];

// currentRow is the row of the current step, or of the last one before it that is shown; -1 before all of them.
function currentRow() {
  for (let i = view.step - 1; i >= 0; i--) if (view.rowOf[i] >= 0) return view.rowOf[i];
  return -1;
}

function matches(e, i) {
  const s = view.search.toLowerCase();
  return s !== "" && (data.strings[e.x[i]].toLowerCase().includes(s) || data.strings[e.e[i]].toLowerCase().includes(s) || e.threads[e.t[i]].toLowerCase().includes(s));
}

// drawRow returns row r as an element.
function drawRow(e, r) {
  const row = view.rows[r], i = row.main, now = r === view.current && view.step > 0;
  const first = e.length - (e.repeats || 0), again = row.to >= first;
  const box = make("div", "row" + (again ? " again" : "") + (now ? " now" : "") + (view.step > 0 && row.from >= view.step ? " later" : ""));
  let hit = false;
  for (let k = row.from; k <= row.to && !hit; k++) hit = matches(e, k);
  if (hit) box.classList.add("hit");
  box.append(make("span", "num", (again && (r === 0 || view.rows[r - 1].to < first) ? "↻ " : "") + rowNumber(row)));
  const ev = make("button", "ev " + hue(e.t[i]) + (row.folded ? " folded" : " k-" + kindNames[e.k[i]]));
  ev.type = "button";
  ev.tabIndex = now || view.step === 0 && r === 0 ? 0 : -1;
  if (now) ev.setAttribute("aria-current", "step");
  ev.append(make("span", "", (row.folded ? "⋯ " : "") + row.text));
  ev.title = (row.from === row.to ? "Step " : "Steps ") + rowNumber(row) + ", " + (e.threads[e.t[i]] || "?") + ": " + row.text + (row.effect ? (row.folded ? ": " : "; ") + row.effect : "") + (again ? "; repeats for ever" : "");
  if (row.folded) {
    ev.dataset.fold = row.from;
    ev.title += "; a click shows them";
  } else {
    ev.dataset.step = row.to + 1;
    if (e.b[i]) ev.append(" ", make("b", "", data.strings[e.b[i]]));
  }
  const visible = [...ev.children].map(c => c.textContent).join(" ");
  ev.setAttribute("aria-label", ev.title.replace(row.text, () => visible));
  if (view.grid) drawColumns(e, row, box, ev); else drawLanes(e, row, box, ev);
  return box;
}

const put = (parent, el, from, to) => { el.style.gridColumn = to ? from + "/" + to : from; parent.append(el); return el; };

function drawColumns(e, row, box, ev) {
  const { at } = view.grid, t = e.t[row.main], k = e.k[row.main];
  if (!row.folded) wires(e, row, box);
  // The stores that wait: a piece of a bar in each row, with the text in the first and now and then below.
  for (const p of e.order) {
    const beyond = e.waiting[p][row.to] - pieces(e, p, row, box);
    if (beyond > 0 && at.more[p]) put(box, make("span", "more " + hue(p), "+" + count(beyond)), at.more[p]).title = count(e.waiting[p][row.to]) + " stores wait in this buffer";
  }
  if (row.folded && !box.querySelector(".bar, .more")) {
    put(box, ev, 2, -1);
    if (row.effect) ev.firstChild.textContent += ": " + row.effect;
  } else place(row, box, ev, at.code[t] || 2);
  if (row.memory) put(box, make("span", "cell " + (k === kinds.load || k === kinds.try ? "rd " : "wr ") + hue(t), row.memory), at.memory).title = row.memory;
}

// place puts the text of a row into the column of its thread, and, where it needs more room, into the columns behind
// that are empty in this row.
function place(row, box, ev, from) {
  const { cols } = view.grid, taken = new Set();
  for (const c of box.children) {
    const [a, b] = c.style.gridColumn.split("/").map(Number);
    if (a) for (let i = a; i < (b || a + 1); i++) taken.add(i);
  }
  let to = from + 1;
  if (!row.memory) while (to <= cols.length && !taken.has(to)) to++;
  if (to === from + 1) return put(box, ev, from);
  ev.style.justifySelf = "start";
  ev.style.minWidth = cols[from - 1].width + "px";
  put(box, ev, from, to);
}

// pieces draws the bars of a thread's buffer in a row and returns how many waiting stores they stand for.
function pieces(e, p, row, box) {
  const { at, slots } = view.grid;
  let drawn = 0;
  for (let s = 0; s < Math.min(e.slots[p], slots); s++) {
    const store = occupant(e, p, s, row);
    if (store < 0 || !at.slot[p + "," + s]) continue;
    const starts = store >= row.from, ends = e.until[store] <= row.to, open = e.until[store] === e.length;
    const piece = make("span", "bar " + hue(p) + (starts ? " starts" : "") + (ends ? " ends" : "") + (store === e.delayed ? " delayed" : ""));
    if (starts || view.rowOf[row.from] % 12 === 0) piece.append(make("i", "", data.strings[e.n[store]]));
    piece.title = data.strings[e.n[store]] + " waits in the store buffer of " + e.threads[p] + " from step " + (store + 1) + (open ? " to the end" : " to step " + (e.until[store] + 1));
    put(box, piece, at.slot[p + "," + s]);
    if (!ends) drawn++;
  }
  return drawn;
}

// occupant is the newest store in slot s of the buffer of thread p in a row, or -1. Stores of a slot are found by
// halving: they do not overlap.
function occupant(e, p, s, row) {
  const key = p + "," + s, i = row.to;
  if (!e.bySlot[key]) {
    e.bySlot[key] = [];
    for (let k = 0; k < e.length; k++) if (e.slot[k] === s && e.t[k] === p) e.bySlot[key].push(k);
  }
  const list = e.bySlot[key];
  let lo = 0, hi = list.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (list[mid] <= i) lo = mid + 1; else hi = mid;
  }
  const store = lo > 0 ? list[lo - 1] : -1;
  return store >= 0 && e.until[store] >= row.from ? store : -1;
}

// wires show which way values go in a row.
function wires(e, row, box) {
  const { at } = view.grid, i = row.main, t = e.t[i], k = e.k[i];
  const column = store => at.slot[e.t[store] + "," + e.slot[store]] || at.more[e.t[store]];
  const wire = (from, to, read) => {
    if (!from || !to) return;
    const right = to > from, w = make("span", "wire " + hue(t) + (read ? " read" : "") + (right ? " right" : " left"));
    const [a, b] = right ? [from + 1, to] : [to + 1, from];
    if (a === b) { w.classList.add("gap"); put(box, w, a - 1); } else put(box, w, a, b);
  };
  if (k === kinds.load) {
    for (const store of e.f[i] || []) wire(column(store), at.code[t], true);
    if (e.c[i]) wire(at.memory, at.code[t], true);
  } else if (k === kinds.store) wire(at.code[t], e.slot[i] < 0 ? at.memory : column(i));
  else if (k === kinds.write || k === kinds.rmw || k === kinds.try) wire(at.code[t], at.memory);
  else if (k === kinds.flush && e.slot[e.o[i] - 1] >= 0) wire(column(e.o[i] - 1), at.memory);
}

// drawLanes is the row of a list: a lane per thread, thick while stores wait, then the step and what it did.
function drawLanes(e, row, box, ev) {
  const i = row.to, t = e.t[row.main], lanes = make("span", "lanes");
  const images = [], sizes = [], places = [], each = laneWidth(e);
  e.order.forEach((p, n) => {
    const wide = e.waiting[p][i] > 0 || e.k[i] === kinds.flush && p === t ? 5 : 1.5;
    images.push("linear-gradient(var(--" + hue(p) + "),var(--" + hue(p) + "))");
    sizes.push(wide + "px 100%");
    places.push((n * each + each / 2 - wide / 2).toFixed(1) + "px 0");
  });
  lanes.style.backgroundImage = images.join(",");
  lanes.style.backgroundSize = sizes.join(",");
  lanes.style.backgroundPosition = places.join(",");
  const dot = make("span", "dot " + hue(t));
  dot.style.left = e.order.indexOf(t) * each + each / 2 - 5 + "px";
  lanes.append(dot);
  const waiting = e.order.filter(p => e.waiting[p][i] > 0).map(p => e.threads[p] + ": " + count(e.waiting[p][i]));
  lanes.title = waiting.length ? "waiting stores: " + waiting.join(", ") : "all store buffers are empty";
  box.append(lanes, make("span", "who " + hue(t), e.threads[t]), ev);
  const what = make("span", "effect", row.effect);
  if (row.effect) what.title = row.effect;
  box.append(what);
}

const laneWidth = e => Math.max(3, Math.min(14, 160 / Math.max(1, e.order.length)));

// drawHeads names the columns.
function drawHeads(e, heads) {
  const list = [];
  const head = (cls, name, from, to) => {
    const h = make("span", "head " + cls, name);
    h.title = name;
    if (from) h.style.gridColumn = from + (to ? "/" + to : "");
    list.push(h);
  };
  head("no", "step", view.grid ? 1 : 0);
  if (!view.grid) {
    head("", "");
    head("", "thread");
    head("", "instruction");
    head("wide", "what it did");
    heads.replaceChildren(...list);
    return;
  }
  const { at, cols, threads } = view.grid;
  for (const t of threads) {
    head(hue(t), e.threads[t], at.code[t]);
    const own = cols.map((c, i) => c.t === t && c.what !== "code" ? i + 1 : 0).filter(Boolean);
    if (own.length) head("buf " + hue(t), "buffer", Math.min(...own), Math.max(...own) + 1);
  }
  head("mem", "memory", at.memory);
  heads.replaceChildren(...list);
}
