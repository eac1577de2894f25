// ISA2: message passing with a thread in between.
// Can the last thread read old data?
var x, y, z;

thread t1 { x = 1; y = 1; }
thread t2 { reg a; a = y; if (a == 1) { z = 1; } }
thread t3 { reg b, c; b = z; c = x; }

never t3:b == 1 && t3:c == 0;
