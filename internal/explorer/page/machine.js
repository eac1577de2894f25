// The state: threads with their registers, store buffers as queues to memory, and what can happen next.
"use strict";
fp.machine = (() => {
  // queues returns the buffer of a thread as queues: one, or under PSO one per cell. Entries are oldest first.
  function queues(thread, model) {
    if (model !== "pso") return [{ cell: "", entries: thread.buffer }];
    const list = [];
    for (const e of thread.buffer) {
      if (e.marker) {
        list.push({ cell: "fence", entries: [e] });
        continue;
      }
      let q = list.find((q) => q.cell === e.cell);
      if (!q) list.push((q = { cell: e.cell, entries: [] }));
      q.entries.push(e);
    }
    return list.length ? list : [{ cell: "", entries: [] }];
  }

  // readBy returns the step of the store that the last step read from its thread's buffer, or -1.
  function readBy(state) {
    const last = state.witness.steps[state.witness.steps.length - 1];
    return last && last.kind === "load" && last.from > 0 ? last.from - 1 : -1;
  }

  // delayedStep returns the step of the store that was delayed, or -1.
  const delayedStep = (state) => (state.cause && state.cause.thread ? state.cause.first || 0 : -1);

  function chip(e, thread, number, take, read, delayed) {
    const text = e.marker ? "store fence" : e.free ? "free " + e.cell : e.cell + " = " + e.value;
    const cls = "chip " + fp.colour(thread) + (e.step === read ? " read" : "") + (e.step === delayed ? " delayed" : "");
    if (!e.flush || !take) return el("span", { class: cls }, text);
    return el("button", { type: "button", class: cls, title: "let " + text + " reach memory", onclick: () => take(e.flush) }, text, number ? el("kbd", {}, String(number)) : null);
  }

  const MAX = 8; // entries of a queue that are drawn

  function queue(q, i, context) {
    const { state, numbers, take, read, delayed } = context;
    const newest = [...q.entries].reverse();
    const cut = newest.length > MAX;
    const shown = cut ? [...newest.slice(0, 2), null, ...newest.slice(2 - MAX)] : newest;
    return el("div", { class: "queue", "data-cell": q.cell },
      ...shown.map((e) => e === null ? el("span", { class: "chip more" }, "+" + (newest.length - MAX)) : chip(e, i, numbers.get(e.flush), take, read, delayed)),
      q.entries.length ? null : el("span", { class: "empty" }, state.model === "sc" ? "no buffer" : "empty"));
  }

  function threadRow(i, before, context) {
    const { state } = context;
    const t = state.threads[i];
    const old = before && before.threads[i];
    const regs = t.regs.map((r, k) => {
      const changed = old && old.regs[k] && old.regs[k].value !== r.value;
      return el("span", { class: "reg" + (changed ? " changed" : ""), "data-reg": r.name }, el("i", {}, r.name), " " + r.value);
    });
    return el("div", { class: "thread " + fp.colour(i) + (t.status === "ended" ? " ended" : ""), "data-thread": t.name },
      el("div", { class: "box" },
        el("div", { class: "who" }, el("b", {}, t.name), el("span", { class: "dim" }, t.status === "running" ? "" : t.status)),
        el("div", { class: "at" }, t.status === "ended" || t.status === "not started" ? "" : t.pos ? el("button", { type: "button", class: "pos", title: "show it in the program", onclick: () => fp.editor.goTo(t.pos) }, "line " + t.pos.line) : "", " ", el("code", {}, t.status === "running" || t.status === "waiting" ? t.text || "" : "")),
        el("div", { class: "regs" }, ...regs)),
      el("div", { class: "wires" + (state.model === "sc" ? " none" : "") }, ...queues(t, state.model).map((q) => queue(q, i, context))));
  }

  // draw shows a state in an element. before is the state before the last step, if there was one.
  function draw(into, state, before, options = {}) {
    const context = { state, take: options.take, numbers: new Map((options.order || []).map((n, i) => [n.name, i < 9 ? i + 1 : 0])), read: readBy(state), delayed: delayedStep(state) };
    const cells = state.memory.map((c) => {
      const old = before && before.memory.find((o) => o.name === c.name);
      return el("div", { class: "cell" + (old && old.value !== c.value ? " changed" : ""), "data-cell": c.name }, el("i", {}, c.name), el("b", {}, c.value));
    });
    if (state.more) cells.push(el("div", { class: "dim" }, fp.count(state.more, "more cell", "more cells")));
    into.replaceChildren(
      el("div", { class: "heads" }, el("span", {}, "threads"), el("span", {}, state.model === "sc" ? "stores go straight to memory" : state.model === "pso" ? "store buffers, one per variable: newest → oldest" : "store buffers: newest → oldest"), el("span", {}, "memory")),
      el("div", { class: "body" },
        el("div", { class: "threads" }, ...state.threads.map((_, i) => threadRow(i, before, context))),
        el("div", { class: "memory" }, ...cells)));
  }

  // order returns the next steps as the page numbers them: instructions first, then stores that can reach memory.
  function order(answer) {
    const list = answer.state.next.map((n, i) => ({ ...n, effect: answer.effects[i] }));
    return list.filter((n) => n.step.kind !== "flush").concat(list.filter((n) => n.step.kind === "flush"));
  }

  // steps lists what can happen.
  function steps(answer, take) {
    const { state } = answer, list = order(answer);
    const items = list.map((n, i) => {
      const flush = n.step.kind === "flush";
      const text = flush ? "let " + n.step.location + " = " + valueOf(n.step) + " reach memory" : n.step.text || n.step.kind;
      const effect = will(n.step) || n.effect;
      return el("li", {}, el("button", { type: "button", class: "step " + fp.colour(n.step.thread) + (flush ? " flush" : ""), "data-name": n.name, onclick: () => take(n.name) },
        el("kbd", {}, i < 9 ? String(i + 1) : "·"), el("span", { class: "who" }, state.threads[n.step.thread].name), el("code", {}, text), el("span", { class: "effect" }, effect)));
    });
    for (const b of state.blocked) {
      items.push(el("li", {}, el("div", { class: "step blocked " + fp.colour(b.thread), "aria-disabled": "true" },
        el("kbd", {}, "–"), el("span", { class: "who" }, state.threads[b.thread].name), el("code", {}, b.text || ""), el("span", { class: "effect" }, b.reason))));
    }
    if (!items.length) items.push(el("li", { class: "dim" }, "Nothing: the run has ended."));
    $("steps").replaceChildren(...items);
  }

  // will says what a step will do, for the common ones.
  function will(s) {
    switch (s.kind) {
      case "flush":
        return "from the store buffer: then other threads can read it";
      case "store":
        return s.free ? "" : s.buffered ? "goes into the store buffer" : "goes straight to memory";
      case "load":
        if (s.from_bytes) return "";
        return "will read " + valueOf(s) + (s.from > 0 ? " from its own store buffer" : " from memory");
      case "fence":
        return "the buffer is empty: the fence lets it pass";
    }
    return "";
  }

  const valueOf = (s) => s.points || s.number || String(s.value || 0);

  return { draw, steps, order, valueOf, delayedStep };
})();
