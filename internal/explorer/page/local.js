// Requests to WebAssembly in workers: one worker for steps, and one for searches, so that the page can take steps while
// it searches. A search is canceled by ending its worker; the next one gets a new worker.
//
// fencepost has two parts: a small one with the languages .fp and litmus, and the whole one. The whole one is loaded
// when the small one says that it cannot answer, for C above all, and answers everything from then on.
"use strict";
fp.local = (() => {
  const scripts = { small: "engine.js", whole: "engine-whole.js" };
  const arrived = {}, loaded = {};
  let part = "small";

  // load loads the script with a part once, and compiles it.
  function load(name) {
    loaded[name] = loaded[name] || (async () => {
      const script = el("script", { src: scripts[name] });
      const engine = new Promise((resolve, reject) => {
        arrived[name] = resolve;
        script.addEventListener("error", () => reject(new fp.Failure("lost", scripts[name] + " cannot be loaded")));
      });
      document.head.append(script);
      const { worker, wasm } = await engine;
      script.remove();
      const bytes = Uint8Array.from(atob(wasm), (c) => c.charCodeAt(0));
      const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      const module = await WebAssembly.compile(await new Response(plain).arrayBuffer());
      return { module, address: URL.createObjectURL(new Blob([worker], { type: "text/javascript" })) };
    })();
    loaded[name].catch(() => delete loaded[name]); // the next request tries again
    return loaded[name];
  }

  // lane is a worker with the requests that wait for it.
  function lane() {
    let worker = null, runs = "", last = Promise.resolve();

    async function start() {
      const name = part, { module, address } = await load(name);
      if (worker) worker.terminate();
      worker = new Worker(address);
      runs = name;
      worker.postMessage({ module });
      return worker;
    }

    async function one(kind, request, { progress, signal }) {
      const canceled = () => new fp.Failure("canceled", "canceled");
      if (signal && signal.aborted) throw canceled();
      const w = worker && runs === part ? worker : await start();
      return new Promise((resolve, reject) => {
        const stop = (error) => {
          w.terminate();
          if (worker === w) worker = null;
          reject(error);
        };
        if (signal && signal.aborted) return stop(canceled());
        if (signal) signal.addEventListener("abort", () => stop(canceled()), { once: true });
        w.onerror = (e) => stop(new fp.Failure("internal", "internal error: " + e.message));
        w.onmessage = (e) => {
          const line = JSON.parse(e.data);
          if (line.failure) reject(new fp.Failure(line.failure.kind, line.failure.message, line.failure.step));
          else if (line.answer) resolve(line.answer);
          else if (progress) progress(line);
        };
        w.postMessage({ kind, body: JSON.stringify(request) });
      });
    }

    async function answer(kind, request, options) {
      const asked = part;
      try {
        return await one(kind, request, options);
      } catch (e) {
        if (e.kind !== "part" || asked === "whole") throw e;
      }
      if (part !== "whole") fp.notice("Loading the part of fencepost that reads C…", "good");
      part = "whole";
      try {
        await load(part);
      } catch (e) {
        part = "small";
        throw e;
      }
      if (fp.noticed() === "good") fp.notice("");
      return one(kind, request, options);
    }

    // A request waits for the one before it.
    return (kind, request, options) => {
      const mine = last.then(() => answer(kind, request, options));
      last = mine.catch(() => {});
      return mine;
    };
  }

  const steps = lane(), searches = lane();
  const isSearch = ["graph", "outcomes", "check", "robust", "fences"];

  return {
    engine: (name, e) => arrived[name](e),
    part: () => part,
    ask: (kind, request, options) => (isSearch.includes(kind) ? searches : steps)(kind, request, options),
  };
})();
