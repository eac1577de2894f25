// The panes beside the steps: memory and buffers after the current step, and the source.

// stateAt returns memory and buffers after the current step.
function stateAt(e) {
  const values = e.cells.map(c => c[1]), changed = new Set(), buffers = e.threads.map(() => []);
  for (let i = 0; i < view.step; i++) {
    const m = e.m[i];
    if (m) for (let k = 0; k < m.length; k += 2) {
      values[m[k]] = m[k + 1];
      if (i === view.step - 1) changed.add(m[k]);
    }
    if (e.k[i] === kinds.store) buffers[e.t[i]].push(i);
    else if (e.k[i] === kinds.flush) {
      const list = buffers[e.t[i]], at = list.indexOf(e.o[i] - 1);
      if (at >= 0) list.splice(at, 1);
    }
  }
  return { values, changed, buffers };
}

const mostEntries = 12; // of a buffer that are shown: the oldest, and the newest two

function drawBuffers(e, state, pane) {
  const rows = [];
  let more = 0;
  e.threads.forEach((name, t) => {
    if (!e.buffers[t]) return;
    if (rows.length >= 24) { more++; return; }
    const row = make("div", hue(t)), q = make("span", "q"), list = state.buffers[t];
    row.append(make("span", "who", name));
    list.forEach((store, k) => {
      if (list.length > mostEntries && k >= mostEntries - 2 && k < list.length - 2) {
        if (k === mostEntries - 2) q.append(make("span", "none", "… " + count(list.length - mostEntries) + " more"));
        return;
      }
      q.append(make("span", "entry", data.strings[e.n[store]]));
    });
    if (!list.length) q.append(make("span", "none", "empty"));
    row.append(q);
    rows.push(row);
  });
  if (more) rows.push(make("div", "none", count(more) + " more threads"));
  pane.replaceChildren(...(rows.length ? rows : [make("div", "none", "no store is ever buffered")]));
}

function drawCell(e, state, i) {
  const row = make("div", "memory-row" + (state.changed.has(i) ? " now" : "")), value = data.strings[state.values[i]];
  const name = make("span", "", data.strings[e.cells[i][0]]);
  name.title = name.textContent;
  row.append(name, make("b", value === "" ? "unknown" : value === "freed" ? "unknown freed" : "", value === "" ? "initial" : value));
  if (value === "freed") row.classList.add("freed");
  return row;
}

// commentsOf marks comments in the lines of a file: //, /* */ and (* *). A string literal that looks like a comment
// is shown as one; it is only colour.
function linesOf(file) {
  if (file.lines) return file.lines;
  const closers = { "/*": "*/", "(*": "*)" };
  let inside = "", widest = 0;
  file.lines = file.text.split("\n").map(text => {
    const comments = [];
    widest = Math.max(widest, text.replace(/\t/g, "    ").length);
    let at = 0;
    while (at < text.length) {
      if (inside) {
        const end = text.indexOf(inside, at);
        comments.push([at, end < 0 ? text.length : end + 2]);
        if (end < 0) break;
        at = end + 2;
        inside = "";
        continue;
      }
      const opens = ["//", "/*", "(*"].map(o => [text.indexOf(o, at), o]).filter(o => o[0] >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!opens) break;
      if (opens[1] === "//") { comments.push([opens[0], text.length]); break; }
      comments.push([opens[0], opens[0] + 2]);
      inside = closers[opens[1]];
      at = opens[0] + 2;
    }
    return { text, comments };
  });
  file.widest = widest;
  return file.lines;
}

// drawLine returns line i of a file. marks are stretches of the current step, here the threads that stand in the
// line, hit says that some step is there.
function drawLine(file, i, marks, here, hit, threads, thread) {
  const line = linesOf(file)[i], row = make("div", "line" + (hit ? " hit" : "") + (marks.length ? " now" : "")), code = make("code");
  const cuts = new Set([0, line.text.length]);
  for (const [a, b] of [...line.comments, ...marks]) { cuts.add(Math.min(a, line.text.length)); cuts.add(Math.min(b, line.text.length)); }
  const list = [...cuts].sort((a, b) => a - b), inAny = (ranges, a) => ranges.some(r => a >= r[0] && a < r[1]);
  for (let k = 0; k + 1 < list.length; k++) {
    const text = line.text.slice(list[k], list[k + 1]);
    if (inAny(marks, list[k])) code.append(make("mark", hue(thread), text));
    else if (inAny(line.comments, list[k])) code.append(make("i", "", text));
    else code.append(text);
  }
  row.append(make("span", "n", i + 1), code);
  if (here.length) {
    const tags = make("span", "here");
    here.slice(0, 6).forEach(t => tags.append(make("b", hue(t), threads[t])));
    if (here.length > 6) tags.append(make("b", "", "+" + (here.length - 6)));
    row.append(tags);
  }
  return row;
}
