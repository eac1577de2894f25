// paper: RA 0
var x, y, z;
thread first * n { reg r; loop { x = 1; z = 3; r = x; assume r == 1; } }
thread second * n { loop { x = 1; y = 2; } }
thread third * n { loop { y = 3; z = 1; } }
