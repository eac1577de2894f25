// The editor: a text with line numbers, the positions of threads, and what is wrong with it.
"use strict";
fp.editor = (() => {
  const text = $("text"), marks = $("marks"), gutter = $("gutter");
  let threads = [], diagnostics = [];

  const changed = fp.later(250, () => fp.edited(text.value));
  text.addEventListener("input", () => {
    threads = [];
    draw();
    changed();
  });
  text.addEventListener("scroll", scroll);
  text.addEventListener("keydown", (e) => {
    if (e.key === "Escape") {
      text.blur();
      e.stopPropagation();
    }
  });

  function scroll() {
    marks.scrollTop = gutter.scrollTop = text.scrollTop;
    marks.scrollLeft = text.scrollLeft;
  }

  // offsets returns the stretch of the text that a position means.
  function offsets(lines, starts, pos) {
    const at = (line, col) => {
      const i = Math.min(Math.max(line, 1), lines.length) - 1;
      return starts[i] + Math.min(Math.max(col - 1, 0), lines[i].length);
    };
    const from = at(pos.line, pos.col);
    const to = pos.end_line ? at(pos.end_line, pos.end_col) : from + 1;
    return [from, Math.max(to, from + 1)];
  }

  function draw() {
    const value = text.value, lines = value.split("\n"), starts = [];
    let start = 0;
    for (const line of lines) {
      starts.push(start);
      start += line.length + 1;
    }
    const spans = [];
    for (const t of threads) {
      const [from, to] = offsets(lines, starts, t.pos);
      spans.push({ from, to, cls: "here " + fp.colour(t.thread) });
    }
    for (const d of diagnostics) {
      if (!d.pos.line) continue;
      const [from, to] = offsets(lines, starts, d.pos);
      spans.push({ from, to, cls: d.severity === "error" ? "wrong" : "doubt" });
    }
    spans.sort((a, b) => a.from - b.from || b.to - a.to);
    marks.replaceChildren();
    let at = 0;
    for (const s of spans) {
      if (s.from < at) continue; // one mark at a time
      marks.append(value.slice(at, s.from), el("span", { class: s.cls }, value.slice(s.from, s.to)));
      at = s.to;
    }
    marks.append(value.slice(at) + "\n");
    gutter.replaceChildren(...lines.map((_, i) => {
      const here = threads.filter((t) => t.pos.line === i + 1);
      return el("div", { class: "line" + (here.length ? " at" : "") }, ...here.map((t) => el("b", { class: fp.colour(t.thread), title: t.name + " is here" }, t.name)), el("span", {}, String(i + 1)));
    }));
    scroll();
  }

  return {
    // set replaces the text.
    set(value) {
      if (text.value !== value) text.value = value;
      threads = [];
      draw();
    },
    // insert replaces the text as if the user had typed it, so that the editor can undo it.
    insert(value) {
      let from = 0;
      const old = text.value;
      while (from < old.length && old[from] === value[from]) from++;
      let end = 0;
      while (end < old.length - from && end < value.length - from && old[old.length - 1 - end] === value[value.length - 1 - end]) end++;
      text.setRangeText(value.slice(from, value.length - end), from, old.length - end, "end");
      threads = [];
      draw();
    },
    // show marks where the threads are and what is wrong.
    show(state, list) {
      diagnostics = list;
      threads = !state ? [] : state.threads.map((t, i) => ({ thread: i, name: t.name, pos: t.pos, status: t.status })).filter((t) => t.pos && t.status !== "ended" && t.status !== "not started");
      draw();
      $("diagnostics").replaceChildren(...list.map((d) => el("li", { class: d.severity },
        el("button", { type: "button", onclick: () => goTo(d.pos) }, (d.pos.line ? "line " + d.pos.line + ": " : "") + d.message),
        ...(d.help || []).concat(d.notes || []).map((n) => el("p", {}, n)))));
    },
    focus: () => text.focus(),
    goTo,
  };

  function goTo(pos) {
    if (!pos || !pos.line) return;
    const lines = text.value.split("\n"), starts = [];
    lines.reduce((n, line) => (starts.push(n), n + line.length + 1), 0);
    const [from, to] = offsets(lines, starts, pos);
    text.focus();
    text.setSelectionRange(from, to);
    text.scrollTop = Math.max(0, (pos.line - 4) * parseFloat(getComputedStyle(text).lineHeight));
  }
})();
