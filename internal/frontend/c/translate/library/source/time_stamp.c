/* The time stamp counter, for assembly. */
unsigned long long __fp_clock(void);

unsigned long long __fp_time_stamp(void) {
  return __fp_clock();
}
