"use strict";
fp.compare = { show() {}, clear() {} };
