// The page: what it shows now, and what the user can do.
"use strict";

// now is what the page shows: the program, the model, and the run. full is the answer about the longest run, of which
// run is a beginning: going back keeps it, so that the user can go forward again.
fp.now = { name: "", text: "", model: "tso", run: [], answer: null, full: null };

fp.app = (() => {
  let last = Promise.resolve(), current = null, loads = 0; // programs on their way

  // load asks where a run leads and shows it. make returns the change, the request and how to show its answer, or
  // nothing if there is nothing to do. Loads are one after the other, and make is called when its turn comes: keys that
  // come fast mean the steps that were shown before each of them. The promise says whether there is an answer.
  function load(make) {
    const mine = fp.during(last.then(() => loadNow(make())));
    last = mine.catch(() => {});
    return mine;
  }

  async function loadNow(wanted) {
    if (!wanted) return false;
    const { change = {}, request, keep = false, before = null, kind = "" } = wanted;
    const next = { ...fp.now, ...change };
    current = new AbortController();
    let answer;
    try {
      answer = await fp.ask("state", { name: next.name, text: next.text, model: next.model, ...request }, { signal: current.signal });
    } catch (e) {
      if (e.kind !== "canceled") fp.notice(e.kind === "run" ? "Refused: " + e.message : e.message);
      return false;
    } finally {
      current = null;
    }
    fp.notice("");
    Object.assign(fp.now, change, { answer });
    if (answer.state) {
      fp.now.run = answer.state.run;
      if (!keep || !isBeginning(fp.now.run, fp.now.full)) fp.now.full = answer;
    } else {
      fp.now.run = [];
      fp.now.full = null;
    }
    show(before);
    fp.undo.note(kind);
    fp.link.update(kind);
    fp.shown = fp.shown || performance.now(); // ms from the navigation to the first state, for benchmarks
    return true;
  }

  const isBeginning = (run, full) => full && full.state && run.length <= full.state.run.length && run.every((n, i) => n === full.state.run[i]);

  function show(before) {
    const { answer, full, run } = fp.now, state = answer.state;
    $("name").textContent = fp.now.name;
    fp.language.show(fp.now.name);
    fp.lessons.show();
    document.title = fp.now.name + " · fencepost explorer";
    for (const input of document.querySelectorAll("#models input")) input.checked = input.value === fp.now.model;
    fp.editor.show(state, answer.diagnostics, state && answer.rows.length ? answer.rows[answer.rows.length - 1].line : 0);
    document.body.classList.toggle("broken", !state);
    for (const id of ["robust", "fences"]) $(id).disabled = !state || loads > 0 || fp.now.model === "sc";
    for (const id of ["check", "c11", "violation"]) $(id).disabled = !state || loads > 0;
    for (const id of ["random", "walk", "back", "forward", "reset", "share"]) $(id).disabled = !state;
    if (!state) {
      $("where").textContent = "the program has errors";
      return;
    }
    $("where").textContent = fp.now.model.toUpperCase() + (run.length ? ", after " + fp.count(answer.rows.length, "step", "steps") : ", at the start");
    fp.keepFocus($("machine"), () => fp.machine.draw($("machine"), state, before, { take, order: fp.machine.order(answer) }));
    fp.keepFocus($("steps"), () => fp.machine.steps(answer, take));
    fp.keepFocus($("history"), () => fp.timeline.draw($("history"), full, run.length, go));
    if (answer.rows.length) $("relation").innerHTML = answer.graph; // drawn by fencepost, which escapes every text
    else $("relation").replaceChildren(el("p", { class: "dim" }, "Every access to memory becomes a node here. An arrow says that one access comes before another: po in the program, rf reads from, co overwrites, fr reads before. A cycle means that no order of the accesses explains the run."));
    cause(state);
    verdict(state);
    leftOut(state);
    $("back").disabled = !state.stops.length;
    $("reset").disabled = !state.stops.length;
    $("forward").disabled = full.state.run.length <= run.length;
    $("random").disabled = $("walk").disabled = !state.next.length;
    fp.keepFocus($("outcomes"), fp.outcomes.draw);
    fp.graph.show();
    fp.compare.show();
  }

  // cause names the delayed store when a cycle has closed.
  function cause(state) {
    const c = $("cause");
    c.hidden = !state.cause;
    document.body.classList.toggle("cyclic", !!state.cause);
    if (!state.cause) return;
    c.replaceChildren(el("p", {}, el("b", {}, "Cycle: "), "no execution of SC does this. "), ...state.cause.words.map((w) => el("p", {}, w)),
      state.cause.fence ? el("button", { type: "button", id: "insert", class: "primary", title: "Insert the fence that forbids this (f)", onclick: insert }, "Insert this fence") : "");
  }

  function verdict(state) {
    const v = $("verdict"), lines = [];
    for (const text of state.violations || []) lines.push(text);
    if (state.observed) lines.push("the final state satisfies exists " + state.observed);
    if (!lines.length && state.end === "final") lines.push("Final state: " + state.final);
    if (state.end === "deadlock") lines.push("Deadlock: every thread waits for another one.");
    if (state.end === "exit") lines.push("The program has called exit.");
    if (state.end === "stopped") lines.push("The run stops here.");
    v.hidden = !lines.length;
    v.className = "verdict " + (state.violations && state.violations.length ? "bad" : state.end === "final" ? "good" : "open");
    v.textContent = lines.join(" · ");
  }

  // leftOut says which steps of the run are not possible in this program any more.
  function leftOut(state) {
    const p = $("left"), list = state.left || [];
    p.hidden = !list.length;
    if (!list.length) return;
    const first = list[0], who = state.threads[first.thread];
    p.textContent = fp.count(list.length, "step", "steps") + " of the run no longer possible: " + (first.text ? "“" + first.text + "”: " : "") + (who && !first.reason.startsWith(who.name) ? who.name + " " : "") + first.reason;
  }

  // take takes a step.
  const take = (name) => load(() => stepTo(name));

  const stepTo = (name) => name && fp.now.answer.state && { request: { run: fp.now.run, add: name }, keep: true, before: fp.now.answer.state };

  // takeNumber takes the step with a number, from 1.
  const takeNumber = (n) => load(() => {
    const step = fp.now.answer.state && fp.machine.order(fp.now.answer)[n - 1];
    return step && stepTo(step.name);
  });

  // go shows the state after a beginning of the longest run.
  const go = (length) => load(() => goTo(length));

  const goTo = (length) => fp.now.full && { request: { run: fp.now.full.state.run.slice(0, length) }, keep: true };

  const back = () => load(() => {
    const stops = fp.now.answer.state ? fp.now.answer.state.stops : [];
    return stops.length && goTo(stops[stops.length - 1]);
  });

  const forward = () => load(() => {
    const { full, run } = fp.now;
    if (!full || full.state.run.length <= run.length) return null;
    const stop = full.state.stops.find((s) => s > run.length);
    return goTo(stop === undefined ? full.state.run.length : stop);
  });

  const reset = () => go(0);

  const random = () => load(() => {
    const next = fp.now.answer.state ? fp.now.answer.state.next : [];
    return next.length && stepTo(next[Math.floor(Math.random() * next.length)].name);
  });

  const WALK = 200; // steps of a random walk
  let walking = false;
  async function walk() {
    if (walking) return;
    walking = true;
    try {
      for (let i = 0; i < WALK && (await random()); i++);
    } finally {
      walking = false;
    }
  }

  // insert inserts the fence that forbids the run, and takes the run again as far as it goes.
  async function insert() {
    try {
      const answer = await fp.ask("insert", { ...fp.program(), run: fp.now.run });
      if (answer.text) await patch(answer.text);
      else fp.notice("No fence was inserted: " + answer.diagnostics.map((d) => d.message).join("; "));
    } catch (e) {
      fp.notice(e.message);
    }
  }

  // patch replaces the program and takes the run again, without the steps that are not possible any more.
  async function patch(text) {
    fp.editor.insert(text);
    const done = await load(() => ({ change: { text }, request: { run: fp.now.run, lenient: true } }));
    if (done) fresh();
  }

  // fresh forgets what was found about another text, and looks for the outcomes of this one.
  function fresh() {
    fp.answers.clear();
    fp.graph.clear();
    fp.outcomes.search();
  }

  // open shows a program from its start, or after a run. It reports whether the run was possible.
  async function open(program, model, request = { run: [] }) {
    fp.outcomes.clear();
    fp.answers.clear();
    fp.graph.clear();
    fp.undo.keep($("text").value);
    fp.language.opened();
    fp.editor.set(program.text);
    opening(true);
    const ok = await load(() => ({ change: { name: program.name, text: program.text, model }, request })).finally(() => opening(false));
    if (ok && fp.now.answer.state) fp.outcomes.search();
    return ok;
  }

  // opening disables the searches while another program is on its way: none of them is about the program before.
  function opening(begins) {
    loads += begins ? 1 : -1;
    if (begins) for (const id of ["check", "robust", "fences", "c11", "violation"]) $(id).disabled = true;
    else if (!loads && fp.now.answer) show(null);
  }

  // restore shows what undo has kept.
  async function restore({ name, text, model, run }) {
    const other = name !== fp.now.name || text !== fp.now.text;
    fp.editor.insert(text);
    if ((await load(() => ({ change: { name, text, model }, request: { run, lenient: true }, kind: "undo" }))) && other) fresh();
  }

  return { restore, load, rest: () => last, hurry: () => current && current.abort(), take, takeNumber, go, back, forward, reset, random, walk, insert, patch, open, fresh };
})();

// edited is called when the user has typed, or chosen a language. The run begins again.
fp.edited = async (text, language) => {
  if (text === fp.now.text && !language) return;
  $("examples").value = "-1"; // it is no example any more
  fp.outcomes.clear();
  fp.answers.clear();
  fp.graph.clear();
  fp.app.hurry();
  if ((await fp.app.load(() => ({ change: { text, name: fp.language.nameFor(fp.now.name, text) }, request: { run: [] }, kind: "typed" }))) && fp.now.answer.state) fp.outcomes.search();
};

// settled waits until the page shows the program that is in the editor. It reports whether it does.
fp.settled = async () => {
  await fp.app.rest();
  if ($("text").value !== fp.now.text) await fp.edited($("text").value);
  await fp.app.rest();
  return $("text").value === fp.now.text;
};

// play shows an execution of an answer.
fp.play = (witness, model) => fp.app.load(() => ({ change: { model }, request: { witness, run: [] } }));
fp.patch = fp.app.patch;

// setModel takes the run again under another model, without the steps that are not possible there.
fp.setModel = (model) => fp.app.load(() => model !== fp.now.model && { change: { model }, request: { run: fp.now.run, lenient: true } });

fp.tab = (name) => {
  for (const id of ["hb", "graph", "compare"]) {
    $(id).hidden = id !== name;
    $("tab-" + id).setAttribute("aria-selected", String(id === name));
  }
  fp.graph.show();
  fp.compare.show();
};
fp.tabShown = (name) => !$(name).hidden;

(() => {
  const examples = $("examples"), own = fp.start.program;
  const programs = own ? [own, ...fp.start.examples] : [...fp.start.examples];
  programs.forEach((p, i) => examples.append(el("option", { value: i }, p.title)));
  examples.append(el("optgroup", { label: "Lessons" }, ...fp.start.lessons.map((p) => el("option", { value: programs.push(p) - 1 }, p.title))));
  examples.append(el("option", { value: "-1", hidden: true }, "your own"));
  examples.addEventListener("change", () => {
    const program = programs[examples.value], mine = !programs.some((p) => p.text === $("text").value);
    if (program) fp.app.open(program, fp.now.model).then((ok) => ok && mine && fp.notice("Your text is kept: Undo (Ctrl-Z) brings it back.", "good"));
  });
  for (const m of fp.models) {
    $("models").append(el("label", { title: { sc: "no store buffers", tso: "one buffer per thread: x86", pso: "one buffer per thread and variable" }[m] }, el("input", { type: "radio", name: "model", value: m, onchange: () => fp.setModel(m) }), m.toUpperCase()));
  }
  const on = (id, f) => $(id).addEventListener("click", f);
  on("back", fp.app.back);
  on("forward", fp.app.forward);
  on("reset", fp.app.reset);
  on("random", fp.app.random);
  on("walk", fp.app.walk);
  on("violation", fp.answers.violation);
  for (const kind of ["check", "robust", "fences"]) on(kind, () => fp.answers.search(kind));
  on("c11", fp.answers.c11);
  for (const name of ["hb", "graph", "compare"]) on("tab-" + name, () => fp.tab(name));
  on("help", () => $("keys").showModal());
  on("open", () => $("file").click());
  $("file").addEventListener("change", async () => {
    const file = $("file").files[0];
    if (!file) return;
    if (file.size > 256 << 10) return fp.notice(file.name + " is larger than 256 KiB");
    examples.value = "-1";
    await fp.app.open({ name: file.name, text: await file.text() }, fp.now.model);
    $("file").value = "";
  });
  const menu = (open) => {
    $("share-list").hidden = !open;
    $("share").setAttribute("aria-expanded", String(open));
  };
  on("share", () => menu($("share-list").hidden));
  document.addEventListener("click", (e) => e.target.closest(".menu") || menu(false));
  for (const b of document.querySelectorAll("[data-copy]")) b.addEventListener("click", () => (menu(false), fp.during(fp.link.share(b.dataset.copy))));
  on("theme", () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });

  // after lets the steps come to their end that keys before have asked for.
  const after = (f) => () => fp.during(fp.app.rest().then(f));
  const keys = {
    ArrowLeft: fp.app.back, ArrowRight: fp.app.forward, Home: fp.app.reset, r: fp.app.random, w: fp.app.walk, v: after(() => fp.answers.violation()),
    m: after(() => fp.setModel(fp.models[(fp.models.indexOf(fp.now.model) + 1) % 3])), f: after(() => $("insert") && !$("cause").hidden && fp.app.insert()),
    c: () => fp.tab("compare"), g: () => fp.tab("graph"), h: () => fp.tab("hb"), k: after(() => fp.answers.search("check")), b: after(() => $("robust").disabled || fp.answers.search("robust")),
    n: after(() => $("fences").disabled || fp.answers.search("fences")), e: () => fp.editor.focus(), p: fp.panes.focus, t: after(() => fp.lessons.grade()), l: after(() => fp.link.share("link")), "?": () => $("keys").showModal(),
    Escape: () => (fp.answers.cancel(), menu(false)),
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
    if (e.target.matches("textarea, select, input:not([type=radio])")) return;
    if (e.target.matches("input[type=radio]") && e.key.startsWith("Arrow")) return;
    if (!fp.now.answer || !fp.now.answer.state) {
      if (e.key === "e") fp.editor.focus(), e.preventDefault();
      return;
    }
    const digit = e.key >= "1" && e.key <= "9" ? Number(e.key) : 0;
    if (digit) fp.app.takeNumber(digit);
    else if (keys[e.key]) keys[e.key]();
    else return;
    e.preventDefault();
  });

  // opened shows a link, or what the page begins with. A link whose run is not possible is refused.
  async function opened() {
    if (location.hash.length > 1) {
      try {
        const link = await fp.link.read(location.hash);
        const program = programs.find((p) => p.text === link.text);
        examples.value = program ? programs.indexOf(program) : "-1";
        if (await fp.app.open(link, link.model, { run: link.run })) return;
        const why = $("notice").textContent;
        await fp.app.open(link, link.model);
        fp.notice("This link is refused: its run is not one of its program. " + why);
        return;
      } catch (e) {
        await first();
        fp.notice("This link is refused: " + e.message + ".");
        return;
      }
    }
    await first();
  }

  async function first() {
    examples.value = 0;
    const request = { run: fp.start.run || [], witness: fp.start.witness };
    if (await fp.app.open(programs[0], fp.start.model || "tso", request)) return;
    const why = $("notice").textContent;
    await fp.app.open(programs[0], fp.start.model || "tso");
    fp.notice(why);
  }
  window.addEventListener("hashchange", opened);
  fp.during(opened());
})();
