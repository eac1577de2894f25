// A thread loops without an access after its store: others still see the store.
// check=1
var x;
thread a * n { x = 1; loop { skip; } }
thread b { reg r; r = x; assert r == 0; }
