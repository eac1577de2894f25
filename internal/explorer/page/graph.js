"use strict";
fp.graph = { show() {}, clear() {} };
