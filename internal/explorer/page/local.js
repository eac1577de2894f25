// Requests to WebAssembly in the page.
"use strict";
fp.local = {
  ask: () => Promise.reject(new fp.Failure("lost", "this page has no WebAssembly")),
};
