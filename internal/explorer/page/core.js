// What every part of the page uses: elements, the start, and the requests.
"use strict";
const fp = {};

fp.start = JSON.parse(document.getElementById("start").textContent);
fp.models = ["sc", "tso", "pso"];

// $ returns the element with an id.
const $ = (id) => document.getElementById(id);

// el makes an element. Texts are never read as markup.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "class") e.className = value;
    else e.setAttribute(name, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

// svgEl is el for drawings.
function svgEl(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) if (value !== undefined) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// colour returns the class of a thread's colour.
fp.colour = (thread) => "t" + (thread % 6);

// Failure is a request without an answer: kind is request, run, fence, canceled, limit, part, internal or lost.
fp.Failure = class extends Error {
  constructor(kind, message, step) {
    super(message);
    this.kind = kind;
    this.step = step;
  }
};

// ask sends a request and returns a promise of the answer. options: progress is called with lines of progress, and
// signal cancels.
fp.ask = (kind, request, options = {}) => fp.during((fp.start.form === "worker" ? fp.local : fp.remote).ask(kind, request, options));

// busy counts what is under way: the page is at rest when it is 0.
fp.busy = 0;

// during counts until a promise has come to its end, and returns it.
fp.during = (promise) => {
  fp.busy++;
  return promise.finally(() => fp.busy--);
};

// program returns the part of a request that is about the program.
fp.program = () => ({ name: fp.now.name, text: fp.now.text, model: fp.now.model });

// notice shows a message over the page, or none.
fp.notice = (text, kind = "bad") => {
  const n = $("notice");
  n.hidden = !text;
  n.textContent = text || "";
  n.className = "notice " + kind;
};

// noticed returns the kind of the message that is shown, "" if there is none.
fp.noticed = () => ($("notice").hidden ? "" : $("notice").className.replace("notice ", ""));

// keepFocus draws an element anew. If the focus was inside, it stays at the same place: users without a mouse go on
// where they are.
fp.keepFocus = (into, draw) => {
  const places = () => [...into.querySelectorAll("button:not(:disabled), select, [tabindex]")];
  const at = into.contains(document.activeElement) ? places().indexOf(document.activeElement) : -1;
  draw();
  const now = places();
  if (at >= 0 && now.length) now[Math.min(at, now.length - 1)].focus({ preventScroll: true });
};

// later calls a function once, a while after the last call.
fp.later = (ms, f) => {
  let timer = 0;
  return (...args) => {
    if (timer) clearTimeout(timer);
    else fp.busy++;
    timer = setTimeout(() => {
      timer = 0;
      fp.busy--;
      f(...args);
    }, ms);
  };
};

// inOrder returns a function for requests of which only the last counts: it gives a promise that is undefined if
// another request came later, and cancels the earlier one.
fp.inOrder = () => {
  let last = null;
  const run = async (ask) => {
    if (last) last.abort();
    const mine = (last = new AbortController());
    try {
      const answer = await ask(mine.signal);
      return mine === last ? answer : undefined;
    } catch (e) {
      if (mine !== last) return undefined;
      throw e;
    } finally {
      if (mine === last) last = null;
    }
  };
  run.cancel = () => last && last.abort();
  return run;
};

fp.count = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many);
