// The history: a line per step, with a column for each thread and its store buffer. A store that waits is a bar from
// the step that made it to the step that brings it to memory.
"use strict";
fp.timeline = (() => {
  // lanes gives every buffered store a lane in its thread's buffer column: [{thread, lane, from, to}] by step.
  function lanes(steps) {
    const open = new Map(), bars = [], width = [];
    steps.forEach((s, i) => {
      if (s.kind === "store" && s.buffered) {
        const used = bars.filter((b) => b.thread === s.thread && b.to === Infinity).map((b) => b.lane);
        let lane = 0;
        while (used.includes(lane)) lane++;
        const bar = { thread: s.thread, lane, from: i, to: Infinity, text: s.free ? "free" : s.location + "=" + fp.machine.valueOf(s) };
        open.set(i, bar);
        bars.push(bar);
        width[s.thread] = Math.max(width[s.thread] || 0, lane + 1);
      } else if (s.kind === "flush" && open.has(s.of)) {
        open.get(s.of).to = i;
      }
    });
    return { bars, width };
  }

  const LANES = 6; // of a buffer that are drawn
  const MAX = 400; // rows that are drawn: the last ones

  // draw shows the history. at is the number of steps before the cursor; go is called with the length of a run.
  function draw(into, answer, at, go, struck) {
    const { state, rows } = answer;
    if (!rows.length) {
      into.replaceChildren(el("p", { class: "dim" }, "No step yet. Press a number, or click a step."));
      return;
    }
    const { bars, width } = lanes(state.witness.steps);
    const delayed = fp.machine.delayedStep(state);
    const label = Math.min(20, Math.max(6, ...bars.map((b) => b.text.length)) + 2); // letters of the widest bar
    const columns = [el("col", { class: "no" })];
    let least = 3; // rem
    const head = [el("td", {}, "")];
    state.threads.forEach((t, i) => {
      head.push(el("th", { class: fp.colour(i) }, t.name));
      const texts = rows.filter((r) => r.thread === i).map((r) => r.text.length + short(state, r).length);
      columns.push(el("col", { "data-want": Math.min(46, Math.max(0, ...texts)) }));
      least += texts.length ? 8 : 4;
      if (width[i]) columns.push(el("col", { "data-lanes": Math.min(width[i], LANES) }));
      least += Math.min(width[i] || 0, LANES) * label * 0.5;
      if (width[i]) head.push(el("th", { class: "dim" }, "buffer"));
    });
    const shown = rows.slice(-MAX);
    const body = shown.map((r, k) => {
      const now = r.first < at && (k + 1 >= shown.length || shown[k + 1].first >= at);
      const why = struck && struck(r);
      const cells = [el("td", { class: "no" }, String(rows.length - shown.length + k + 1))];
      state.threads.forEach((_, i) => {
        const mine = i === r.thread;
        cells.push(el("td", { class: "event" }, mine ? el("button", { type: "button", class: "ev " + fp.colour(i) + (r.flush ? " flush" : "") + (r.fails ? " fails" : "") + (why ? " struck" : ""), title: (why || [r.text, r.effect].filter(Boolean).join(": ")) + (r.line ? " (line " + r.line + ")" : ""), onclick: () => go(r.last + 1) },
          el("span", {}, r.flush ? "↦ " + flushText(state, r) : r.text), el("b", {}, r.flush ? "" : short(state, r))) : null));
        if (width[i]) cells.push(el("td", { class: "buf " + fp.colour(i) }, ...bar(bars, i, r, width[i] || 0, delayed)));
      });
      return el("tr", { class: (r.first >= at ? "later" : "") + (now ? " now" : "") }, ...cells);
    });
    const table = el("table", {}, el("colgroup", {}, ...columns), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body));
    into.style.setProperty("--label", label + "ch");
    table.style.minWidth = least + "rem";
    for (const c of table.querySelectorAll("col[data-lanes]")) c.style.width = "calc(" + c.dataset.lanes + " * (var(--label) + 2px) + .6rem)";
    into.replaceChildren(table);
    fit(into);
    if (rows.length > MAX) into.prepend(el("p", { class: "dim" }, "The first " + fp.count(rows.length - MAX, "step is", "steps are") + " not shown."));
    const now = into.querySelector("tr.now");
    if (now) into.scrollTop = Math.max(0, now.offsetTop - into.clientHeight + 2 * now.offsetHeight);
    else into.scrollTop = 0;
    const event = now && now.querySelector(".ev"); // many threads: the column of this step must be in sight
    into.scrollLeft = event ? Math.max(0, event.parentElement.offsetLeft + event.parentElement.offsetWidth - into.clientWidth) : 0;
  }

  // fit gives the columns of the threads the widths that their texts want, or shares what there is.
  function fit(into) {
    const table = into.querySelector("table");
    if (!table) return;
    const cols = [...table.querySelectorAll("col")], events = cols.filter((c) => c.dataset.want);
    for (const c of events) c.style.width = "";
    const heads = table.tHead.rows[0].cells, room = events.reduce((n, c) => n + heads[cols.indexOf(c)].offsetWidth, 0);
    const least = events.map((c) => Math.max(c.dataset.want > 0 ? 110 : 56, 8.5 * heads[cols.indexOf(c)].textContent.length + 14)), want = events.map((c, i) => Math.max(least[i], c.dataset.want * 7.6 + 46));
    const sum = (list) => list.reduce((n, v) => n + v, 0), more = sum(want) - sum(least);
    const share = more ? (room - sum(least)) / more : 0, part = share > 1 ? want : least;
    events.forEach((c, i) => (c.style.width = Math.floor(share > 1 || share < 0 ? (part[i] * room) / sum(part) : least[i] + (want[i] - least[i]) * share) + "px"));
  }
  new ResizeObserver(() => fit($("history"))).observe($("history"));

  // bar returns what the buffer of a thread shows beside a row.
  function bar(bars, thread, row, width, delayed) {
    const out = [];
    for (let lane = 0; lane < Math.min(width, LANES); lane++) {
      const b = bars.find((b) => b.thread === thread && b.lane === lane && b.from <= row.last && b.to >= row.first);
      if (!b) {
        out.push(el("i", { class: "lane" }));
        continue;
      }
      const starts = b.from >= row.first, ends = b.to <= row.last;
      out.push(el("i", { class: "lane bar" + (starts ? " starts" : "") + (ends ? " ends" : "") + (b.from === delayed ? " delayed" : ""), title: b.text + " waits" }, starts ? b.text : ""));
    }
    return out;
  }

  function flushText(state, row) {
    const s = state.witness.steps[row.last];
    return s.location + " = " + fp.machine.valueOf(s);
  }

  // short returns what an access read or changed.
  function short(state, row) {
    for (let i = row.last; i >= row.first; i--) {
      const s = state.witness.steps[i];
      if (s.kind === "load") return "→ " + fp.machine.valueOf(s);
      if (s.kind === "rmw") return fp.machine.valueOf(s) + (s.wrote ? " ⇒ " + (s.written_points || s.written_number || s.written || 0) : "");
    }
    return "";
  }

  return { draw };
})();
