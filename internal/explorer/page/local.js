// Requests to WebAssembly in workers: one worker for steps, and one for searches, so that the page can take steps while
// it searches. A search is canceled by ending its worker; the next one gets a new worker.
"use strict";
fp.local = (() => {
  let resolveEngine, loading = null;
  const engine = new Promise((resolve) => (resolveEngine = resolve));

  // load loads the script with the engine once, and compiles it.
  function load() {
    loading = loading || (async () => {
      const script = el("script", { src: "engine.js" });
      const failed = new Promise((_, reject) => script.addEventListener("error", () => reject(new fp.Failure("lost", "engine.js cannot be loaded"))));
      document.head.append(script);
      const { worker, wasm } = await Promise.race([engine, failed]);
      const bytes = Uint8Array.from(atob(wasm), (c) => c.charCodeAt(0));
      const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      const module = await WebAssembly.compile(await new Response(plain).arrayBuffer());
      return { module, address: URL.createObjectURL(new Blob([worker], { type: "text/javascript" })) };
    })();
    return loading;
  }

  // lane is a worker with the requests that wait for it.
  function lane() {
    let worker = null, last = Promise.resolve();

    async function start() {
      const { module, address } = await load();
      worker = new Worker(address);
      worker.postMessage({ module });
      return worker;
    }

    async function one(kind, request, { progress, signal }) {
      const canceled = () => new fp.Failure("canceled", "canceled");
      if (signal && signal.aborted) throw canceled();
      const w = worker || (await start());
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

    // A request waits for the one before it.
    return (kind, request, options) => {
      const mine = last.then(() => one(kind, request, options));
      last = mine.catch(() => {});
      return mine;
    };
  }

  const steps = lane(), searches = lane();
  const isSearch = ["graph", "outcomes", "check", "robust", "fences"];

  return {
    engine: (e) => resolveEngine(e),
    ask: (kind, request, options) => (isSearch.includes(kind) ? searches : steps)(kind, request, options),
  };
})();
