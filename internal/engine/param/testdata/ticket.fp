// Ticket lock whose tickets wrap at 4. With five threads two have the same ticket.
// expect: robust=any check=5
var next, serving;
thread worker * n {
  reg mine, now;
  loop {
    atomic { mine = next; next = (mine + 1) & 3; }
    do { now = serving; } while (now != mine);
    cs: skip;
    serving = (mine + 1) & 3;
  }
}
goal "two inside" worker[0]:cs, worker[1]:cs;
