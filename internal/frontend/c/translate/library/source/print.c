/* What printf and its like read where the format is known only when the program runs, or where
   the arguments are a va_list: strings up to their ends, and the values of numbers. An argument
   is in one of three places: the words that are given, at first; a block of saved registers,
   48 bytes of integers and then 16 bytes for each number in floating point; and the block of the
   others, in which all are that a function in C passes on. */

void __fp_format_unsupported(void);
void __fp_format_unknown(void);

int __fp_print(const char *format, char *saved, unsigned at, unsigned vector, char *more, long given, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f) {
  for (;;) {
    while (*format && *format != '%')
      format++;
    if (!*format)
      return 0;
    format++;
    if (*format == '%') {
      format++;
      continue;
    }
    long precision = -1;
    int bits = 32, point = 0;
    for (int more_of_it = 1; more_of_it;) {
      unsigned long word = 0;
      char now = *format++;
      int takes = 0;
      switch (now) {
      case '-': case '+': case ' ': case '#': case '\'': case 'I':
        break;
      case '.':
        point = 1;
        precision = 0;
        break;
      case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        if (point)
          precision = precision * 10 + now - '0';
        break;
      case 'h':
        break;
      case 'l': case 'j': case 'z': case 't': case 'q':
        bits = 64;
        break;
      case '*': case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'c': case 'p': case 's':
        takes = 1;
        break;
      case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        takes = 2;
        break;
      case 'm':
        more_of_it = 0;
        break;
      default:
        __fp_format_unsupported();
      }
      if (!takes)
        continue;
      more_of_it = now == '*';
      if (given > 0) {
        word = a;
        a = b;
        b = c;
        c = d;
        d = e;
        e = f;
        given--;
      } else if (takes == 1 && at < 48) {
        word = *(unsigned long *)(saved + at);
        at += 8;
      } else if (takes == 2 && vector < 176) {
        word = *(unsigned long *)(saved + vector);
        vector += 16;
      } else if (more) {
        word = *(unsigned long *)more;
        more += 8;
      } else
        __fp_format_unknown();
      if (now == '*') {
        if (point)
          precision = (int)word;
      } else if (now == 's') {
        if (bits == 64)
          __fp_format_unsupported();
        const char *text = (const char *)word;
        for (long i = 0; text && i != precision && text[i];)
          i++;
      } else if (takes == 1 && (now == 'p' || bits == 64 ? word != 0 : (unsigned)word != 0))
        bits = 64;
    }
  }
}
