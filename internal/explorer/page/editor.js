// The editor: a text with line numbers, the positions of threads, and what is wrong with it.
"use strict";
fp.editor = (() => {
  const text = $("text"), marks = $("marks"), gutter = $("gutter");
  const TAGS = 1; // names of threads beside a line
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

  // Tokens with a colour: comments, texts, lines of the preprocessor, numbers, and words of C, .fp and litmus.
  const tokens = /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\(\*[^]*?(?:\*\)|$))|("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(^[ \t]*#[^\n]*)|\b(\d\w*)\b|\b(atomic|assert|await|break|case|char|const|continue|do|double|else|enum|exists|extern|fence|final|float|for|forall|goto|if|init|int|long|never|program|reg|return|short|signed|sizeof|static|struct|switch|thread|typedef|union|unsigned|var|void|volatile|while|_Atomic|MFENCE|MOV|XCHG)\b/gm;
  const kinds = ["", "cm", "st", "pp", "nu", "kw"];

  // colours returns a function that gives a stretch of a text as coloured pieces.
  function colours(value) {
    const list = [...value.matchAll(tokens)].map((m) => ({ from: m.index, to: m.index + m[0].length, cls: kinds[m.findIndex((g, i) => i > 0 && g !== undefined)] }));
    let next = 0;
    return (from, to) => {
      const out = [];
      while (next < list.length && list[next].from < to) {
        const t = list[next];
        if (t.to > from) {
          out.push(value.slice(from, Math.max(from, t.from)), el("span", { class: t.cls }, value.slice(Math.max(from, t.from), Math.min(to, t.to))));
          from = Math.min(to, t.to);
        }
        if (t.to > to) break; // the rest of the token is in the next stretch
        next++;
      }
      out.push(value.slice(from, to));
      return out.filter((p) => p !== "");
    };
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
    const colour = colours(value), pieces = [];
    let at = 0;
    for (const s of spans) {
      if (s.from < at) continue; // one mark at a time
      pieces.push(...colour(at, s.from), el("span", { class: s.cls }, ...colour(s.from, s.to)));
      at = s.to;
    }
    marks.replaceChildren(...pieces, ...colour(at, value.length), "\n");
    gutter.replaceChildren(...lines.map((_, i) => {
      const here = threads.filter((t) => t.pos.line === i + 1);
      return el("div", { class: "line" + (here.length ? " at" : "") }, ...here.slice(0, TAGS).map((t) => el("b", { class: fp.colour(t.thread), title: t.name + " is here" }, t.name)), here.length > TAGS ? el("i", { title: here.map((t) => t.name).join(", ") + " are here" }, "+" + (here.length - TAGS)) : "", el("span", {}, String(i + 1)));
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
    // show marks where the threads are and what is wrong, and scrolls to the line of the last step.
    show(state, list, line) {
      diagnostics = list;
      threads = !state ? [] : state.threads.map((t, i) => ({ thread: i, name: t.name, pos: t.pos, status: t.status })).filter((t) => t.pos && t.status !== "ended" && t.status !== "not started");
      draw();
      if (line) bringIntoView(line);
      $("diagnostics").replaceChildren(...list.map((d) => el("li", { class: d.severity },
        el("button", { type: "button", onclick: () => goTo(d.pos) }, (d.pos.line ? "line " + d.pos.line + ": " : "") + d.message),
        ...(d.help || []).concat(d.notes || []).map((n) => el("p", {}, n)))));
    },
    focus: () => text.focus(),
    goTo,
  };

  // bringIntoView scrolls to a line that cannot be seen, unless the user is at work in the text.
  function bringIntoView(line) {
    if (document.activeElement === text) return;
    const height = parseFloat(getComputedStyle(text).lineHeight), top = (line - 1) * height;
    if (top < text.scrollTop || top + 2 * height > text.scrollTop + text.clientHeight) text.scrollTop = Math.max(0, top - text.clientHeight / 2);
  }

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
