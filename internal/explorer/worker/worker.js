// The worker: it runs the WebAssembly, and answers one request at a time.
"use strict";
const ready = new Promise((resolve) => (globalThis.fencepostReady = resolve));
let started = false;
onmessage = async (e) => {
  if (e.data.module) {
    if (started) return;
    started = true;
    const go = new Go();
    go.run(await WebAssembly.instantiate(e.data.module, go.importObject));
    return;
  }
  await ready;
  fencepostAsk(e.data.kind, e.data.body, (line) => postMessage(line));
};
