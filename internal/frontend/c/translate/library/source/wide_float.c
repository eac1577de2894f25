/* Conversions between integers of 128 bits, as pairs of words, and floating point. The numbers are those of
   gcc's library: to floating point the nearest, ties to even; to integers towards zero. */
int __builtin_clzll(unsigned long long);

/* The highest 64 bits of a number that has more, with a last bit that says whether a lower bit is set: it is
   rounded like the whole number. */
static unsigned long __fp_highest_wide(unsigned long low, unsigned long high, int zeros) {
  unsigned long rest = zeros ? low << zeros : low, top = zeros ? high << zeros | low >> (64 - zeros) : high;
  return top | (rest != 0);
}

/* 2 to the power of 64 - zeros. */
static double __fp_scale_wide(int zeros) {
  return zeros ? (double)(1ul << (64 - zeros)) : 18446744073709551616.0;
}

double __fp_wide_to_double(unsigned long low, unsigned long high) {
  if (!high)
    return (double)low;
  int zeros = __builtin_clzll(high);
  return (double)__fp_highest_wide(low, high, zeros) * __fp_scale_wide(zeros);
}

float __fp_wide_to_float(unsigned long low, unsigned long high) {
  if (!high)
    return (float)low;
  int zeros = __builtin_clzll(high);
  return (float)__fp_highest_wide(low, high, zeros) * (float)__fp_scale_wide(zeros);
}

/* A word of a number (0: low, 1: high). */
unsigned long __fp_double_to_wide(double x, int which) {
  unsigned long high = (unsigned long)(x / 18446744073709551616.0);
  return which ? high : (unsigned long)(x - (double)high * 18446744073709551616.0);
}
