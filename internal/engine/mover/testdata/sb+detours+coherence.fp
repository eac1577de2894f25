// paper: RA 0
var x, y, z;
thread first * n { reg r; loop { x = 1; z = 3; r = x; assume r == 1; } }
thread second * n { reg r; loop { x = 1; r = y; assume r == 0; } }
thread third * n { loop { y = 0; z = 2; } }
thread fourth * n { loop { y = 0; } }
