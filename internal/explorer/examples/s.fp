// S: the reader sees the second store, and then stores to the first variable.
// Can the first store of the writer come last?
var x, y;

thread t1 { x = 2; y = 1; }
thread t2 { reg r; r = y; x = 1; }

never t2:r == 1 && x == 2;
