// Store buffering with compare-and-swap instead of stores: an atomic update does not wait in a buffer.
// Can both threads still read 0?
var x, y;

thread t1 { reg ok, r1; ok = cas(x, 0, 1); r1 = y; }
thread t2 { reg ok, r2; ok = cas(y, 0, 1); r2 = x; }

never t1:r1 == 0 && t2:r2 == 0;
