// Store buffering with a fence in each thread: the store reaches memory before the load.
// Can both threads still read 0?
var x, y;

thread t1 { reg r1; x = 1; fence; r1 = y; }
thread t2 { reg r2; y = 1; fence; r2 = x; }

never t1:r1 == 0 && t2:r2 == 0;
