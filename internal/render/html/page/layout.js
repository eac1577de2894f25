// The layout of the steps: a column per thread with its store buffer beside it and memory in the middle, as wide
// as the texts are, if that fits; else one list, with a narrow lane per thread.

const rowHeight = 34;
const mostSlots = 3; // of a store buffer; what waits besides is a number

// prepare computes what the rows need: which store waits how long, and in which slot of its buffer it is drawn.
// With statements as rows, a store that reaches memory in its own row waits for nothing and has no slot.
function prepare(e, single) {
  if (e.prepared === single) return e;
  const n = e.t.length, threads = e.threads;
  if (e.prepared === undefined) {
    e.length = n;
    e.open = new Set(); // rows that the reader has opened, by their first step
    e.active = threads.map((_, t) => e.t.includes(t));
    e.quiet = threads.map((_, t) => !e.t.some((of, i) => of === t && e.v[i]));
    e.buffers = threads.map((_, t) => e.t.some((of, i) => of === t && e.k[i] === kinds.store)); // has a buffered store
    e.order = threads.map((_, t) => t).filter(t => e.active[t]);
    e.until = new Int32Array(n).fill(n); // by store: the step that takes it to memory
    for (let i = 0; i < n; i++) if (e.k[i] === kinds.flush && e.o[i] > 0) e.until[e.o[i] - 1] = i;
    e.leaf = Int32Array.from(e.t, (_, i) => i); // by step: the first step of its statement
    const walk = rows => rows.forEach(r => r[4] ? walk(r[4]) : e.leaf.fill(r[0], r[0], r[1] + 1));
    walk(e.rows);
  }
  e.prepared = single;
  e.slot = new Int32Array(n).fill(-1);
  e.slots = threads.map(() => 0);
  e.bySlot = {};
  e.waiting = threads.map(() => new Int32Array(n)); // by thread: how many stores wait after each step
  const free = threads.map(() => []), pending = threads.map(() => 0);
  for (let i = 0; i < n; i++) {
    const t = e.t[i];
    if (e.k[i] === kinds.store && t in threads && (single || !atOnce(e, i))) {
      const s = free[t].length ? free[t].pop() : e.slots[t]++;
      e.slot[i] = s;
      pending[t]++;
    } else if (e.k[i] === kinds.flush && e.slot[e.o[i] - 1] >= 0) {
      const list = free[t], s = e.slot[e.o[i] - 1];
      let at = list.length; // slots are taken from the lowest on
      while (at > 0 && list[at - 1] < s) at--;
      list.splice(at, 0, s);
      pending[t]--;
    }
    for (const p of e.order) e.waiting[p][i] = pending[p];
  }
  return e;
}

// atOnce reports whether a store reaches memory in the row that issues it.
const atOnce = (e, store) => e.until[store] < e.length && e.leaf[e.until[store]] === e.leaf[store];

const kinds = { exec: 0, load: 1, store: 2, write: 3, flush: 4, rmw: 5, try: 6, fence: 7, wake: 8, fail: 9 };
const kindNames = Object.keys(kinds);

// numberWidth is the width of the first column, which has numbers of steps, or two of them.
const numberWidth = () => 10 + 6.5 * Math.max(4, ...view.rows.slice(-40).map(r => rowNumber(r).length));
const rowNumber = r => r.from === r.to ? String(r.to + 1) : (r.from + 1) + "–" + (r.to + 1);

let charWidth = 0;
function measure(box) {
  const probe = make("span", "probe", "0".repeat(100));
  box.append(probe);
  charWidth = probe.getBoundingClientRect().width / 100 || 8;
  probe.remove();
}

// columnsFor returns the grid for a width in pixels, or null if the columns would be too narrow to read.
function columnsFor(e, width) {
  const text = { code: e.threads.map(() => 4), entry: e.threads.map(() => 4), memory: 6 };
  for (const row of view.rows) {
    const i = row.main, t = e.t[i], badge = data.strings[e.b[i]].length;
    if (!(t in e.threads)) continue;
    text.code[t] = Math.max(text.code[t], row.text.length + (badge ? badge + 2 : 0));
    text.memory = Math.max(text.memory, row.memory.length);
  }
  for (let i = 0; i < e.length; i++) if (e.slot[i] >= 0) text.entry[e.t[i]] = Math.max(text.entry[e.t[i]], data.strings[e.n[i]].length);
  const gap = 10, ch = charWidth;
  // A thread that only folded rows stand for needs no column: a folded row is as wide as the table.
  const some = new Set(view.rows.filter(r => !r.folded).map(r => e.t[r.main])), threads = some.size ? e.order.filter(t => some.has(t)) : e.order;
  for (const slots of [mostSlots, 2, 1]) {
    const no = numberWidth();
    const cols = [{ what: "no", least: no, best: no }];
    const half = Math.ceil(threads.length / 2);
    const memory = { what: "memory", least: 9 * ch + 14, best: Math.min(text.memory, 18) * ch + 16 };
    threads.forEach((t, i) => {
      const head = Math.min(e.threads[t].length, 14) * ch + 12;
      const wants = Math.min(text.code[t], 46) * ch + 30;
      const code = { what: "code", t, least: Math.max(head, Math.min(wants, (e.quiet[t] ? 12 : 20) * ch + 26)), best: Math.max(head, wants) };
      const buffer = [];
      for (let s = 0; s < Math.min(e.slots[t], slots); s++)
        buffer.push({ what: "slot", t, s, least: Math.max(s ? 0 : 6 * ch + 14, Math.min(text.entry[t], 6) * ch + 14), best: Math.min(text.entry[t], 24) * ch + 20 });
      if (e.slots[t] > slots) buffer.push({ what: "more", t, least: 7 * ch, best: 7 * ch });
      if (i < half) cols.push(code, ...buffer); else cols.push(...buffer.reverse(), code);
      if (i === half - 1) cols.push(memory);
    });
    if (!threads.length) cols.push(memory);
    const sum = key => cols.reduce((n, c) => n + c[key], 0) + gap * (cols.length - 1);
    if (sum("least") > width) continue;
    for (const c of cols) {
      c.best = Math.max(c.best, c.least);
      c.width = c.least;
    }
    let spare = width - sum("least");
    // Buffers first and then memory, whose labels are short, then instructions get what they want; what is left goes to
    // the instructions.
    for (const what of ["slot", "memory", "code"]) {
      const some = cols.filter(c => c.what === what), want = some.reduce((n, c) => n + c.best - c.least, 0), share = want ? Math.min(1, spare / want) : 0;
      for (const c of some) c.width += Math.floor((c.best - c.least) * share);
      spare -= Math.ceil(want * share);
    }
    const code = cols.filter(c => c.what === "code");
    for (const c of code) c.width += Math.max(0, Math.min(60, Math.floor(spare / code.length)));
    const at = { code: {}, slot: {}, more: {}, memory: 0 };
    cols.forEach((c, i) => {
      if (c.what === "code") at.code[c.t] = i + 1;
      else if (c.what === "slot") at.slot[c.t + "," + c.s] = i + 1;
      else if (c.what === "more") at.more[c.t] = i + 1;
      else if (c.what === "memory") at.memory = i + 1;
    });
    return { css: cols.map(c => c.width + "px").join(" "), cols, at, slots, threads };
  }
  return null;
}
