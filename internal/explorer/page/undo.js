// Undo and redo: every program, model and run that the page has shown. What is typed without a pause is one of them.
"use strict";
fp.undo = (() => {
  const MAX = 500, PAUSE = 1000; // ms
  let past = [], at = -1;

  const same = (a, b) => a && a.name === b.name && a.text === b.text && a.model === b.model && a.run.join() === b.run.join();

  function push(entry) {
    if (same(past[at], entry)) return;
    const before = past[at];
    past = past.slice(Math.max(0, at + 1 - MAX), at + 1);
    if (entry.kind === "typed" && before && before.kind === "typed" && entry.when - before.when < PAUSE) past.pop();
    past.push(entry);
    at = past.length - 1;
  }

  // move goes to an entry before or after this one.
  async function move(by) {
    await fp.settled();
    const entry = past[at + by];
    if (!entry) return;
    at += by;
    entry.kind = "";
    await fp.app.restore(entry);
  }

  function buttons() {
    $("undo").disabled = at <= 0;
    $("redo").disabled = at >= past.length - 1;
  }

  $("undo").addEventListener("click", () => fp.during(move(-1)));
  $("redo").addEventListener("click", () => fp.during(move(1)));
  const key = (e) => {
    const k = e.key.toLowerCase();
    if (!(e.ctrlKey || e.metaKey) || e.altKey || (k !== "z" && k !== "y")) return;
    e.preventDefault();
    fp.during(move(k === "y" || e.shiftKey ? 1 : -1));
  };
  document.addEventListener("keydown", key);
  // The menu of the browser has an undo of its own, which does not know the fences that were inserted.
  $("text").addEventListener("beforeinput", (e) => {
    if (e.inputType !== "historyUndo" && e.inputType !== "historyRedo") return;
    e.preventDefault();
    fp.during(move(e.inputType === "historyUndo" ? -1 : 1));
  });

  return {
    // note keeps what the page shows now.
    note(kind) {
      if (kind !== "undo") push({ name: fp.now.name, text: fp.now.text, model: fp.now.model, run: fp.now.run, kind, when: performance.now() });
      buttons();
    },
    // keep keeps a text that was typed a moment ago, before another program replaces it.
    keep(text) {
      if (at >= 0 && text !== fp.now.text) push({ ...fp.now, text, run: [], kind: "", when: 0 });
    },
  };
})();
