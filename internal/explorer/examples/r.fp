// R: one thread stores twice, the other stores to the second variable and reads the first.
// Can the last store win, although its thread reads the old value?
var x, y;

thread t1 { x = 1; y = 1; }
thread t2 { reg r; y = 2; r = x; }

never y == 2 && t2:r == 0;
