// paper: RA 0
var x, z;
thread reader * n { reg r; loop { z = 3; r = x; assume r == 0; } }
thread detour * n { loop { x = 0; z = 2; } }
thread other * n { loop { x = 0; } }
