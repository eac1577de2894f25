/* Texts made by formats (snprintf and its like), byte by byte. Formats of floating point and
   of wide characters are not supported, and neither is %n. All is one function, in which
   nothing is written twice, since calls are inlined, and which has no variable in memory. */
typedef unsigned long size_t;

void *malloc(size_t);
void __fp_format_unsupported(void);

static int formatted(char *to, size_t size, const char *format, char *args) {
  size_t length = 0;
  for (;;) {
    /* A piece of text: spaces, a prefix, zeros, a body, spaces. */
    const char *prefix = "", *body = format;
    long before = 0, zeros = 0, count = 0, spaces = 0, width = 0, precision = -1;
    int left = 0, plus = 0, space = 0, alternate = 0, zero = 0, base = 0, large = 0, bits = 32;
    char one = 0;
    unsigned long word = 0, power = 1;
    while (*format && *format != '%') {
      format++;
      count++;
    }
    if (!count) {
      if (!*format)
        break;
      for (int flag = 1; flag;) {
        switch (*++format) {
        case '-': left = 1; break;
        case '+': plus = 1; break;
        case ' ': space = 1; break;
        case '#': alternate = 1; break;
        case '0': zero = 1; break;
        default: flag = 0;
        }
      }
      for (int n = 0; n < 2; n++) { /* width and precision */
        long value = 0;
        if (n == 1 && *format != '.')
          break;
        format += n;
        if (*format == '*') {
          format++;
          args += 8;
          value = *(int *)(args - 8);
        }
        while (*format >= '0' && *format <= '9')
          value = value * 10 + *format++ - '0';
        if (n == 0)
          width = value;
        else
          precision = value;
      }
      if (width < 0) {
        left = 1;
        width = -width;
      }
      for (int more = 1; more;) {
        switch (*format) {
        case 'h': bits /= 2; break;
        case 'l': case 'j': case 'z': case 't': case 'q': bits = 64; break;
        default: more = 0;
        }
        format += more;
      }
      if (*format != '%') {
        args += 8;
        word = *(unsigned long *)(args - 8);
      }
      switch (*format) {
      case '%':
        body = "%";
        count = 1;
        break;
      case 'd':
      case 'i':
        base = 10;
        word = bits == 8 ? (unsigned long)(signed char)word : bits == 16 ? (unsigned long)(short)word : bits == 32 ? (unsigned long)(int)word : word;
        if ((long)word < 0) {
          prefix = "-";
          word = -word;
        } else if (plus || space)
          prefix = plus ? "+" : " ";
        break;
      case 'u':
        base = 10;
        break;
      case 'o':
        base = 8;
        break;
      case 'X':
        large = 1;
      case 'x':
        base = 16;
        break;
      case 'p':
        bits = 64;
        if (!word) {
          body = "(nil)";
          count = 5;
        } else {
          base = 16;
          prefix = "0x";
        }
        break;
      case 'c':
        if (bits == 64)
          __fp_format_unsupported();
        body = 0;
        one = (char)word;
        count = 1;
        break;
      case 's':
        if (bits == 64)
          __fp_format_unsupported();
        body = word ? (const char *)word : precision < 0 || precision >= 6 ? "(null)" : "";
        while (count != precision && body[count])
          count++;
        break;
      default:
        __fp_format_unsupported();
      }
      if (base) {
        if (prefix[0] != '-' && bits < 64)
          word &= (1ul << bits) - 1;
        if (base == 16 && alternate && word)
          prefix = large ? "0X" : "0x";
        while (prefix[before])
          before++;
        body = 0;
        for (unsigned long rest = word; rest; rest /= base) {
          if (count++)
            power *= base;
        }
        zeros = (precision < 0 ? 1 : precision) - count;
        if (base == 8 && alternate && zeros <= 0)
          zeros = 1;
        if (zero && !left && precision < 0 && zeros < width - before - count)
          zeros = width - before - count;
        if (zeros < 0)
          zeros = 0;
      }
      spaces = width - before - zeros - count;
      if (spaces < 0)
        spaces = 0;
      format++;
    }
    long end = spaces + before + zeros + count;
    for (long i = 0; i < end; i++) {
      long at = left ? i : i - spaces;
      char c = ' ';
      if (at >= 0 && at < before)
        c = prefix[at];
      else if (at >= before && at < before + zeros)
        c = '0';
      else if (at >= before + zeros && at < before + zeros + count) {
        if (body)
          c = body[at - before - zeros];
        else if (!base)
          c = one;
        else {
          int digit = (int)(word / power % base);
          power /= base;
          c = (char)(digit < 10 ? '0' + digit : (large ? 'A' : 'a') + digit - 10);
        }
      }
      if (length + 1 < size)
        to[length] = c;
      length++;
    }
  }
  if (size > 0)
    to[length < size ? length : size - 1] = 0;
  return (int)length;
}

int vsnprintf(char *to, size_t size, const char *format, __builtin_va_list args) {
  return formatted(to, size, format, args);
}

int snprintf(char *to, size_t size, const char *format, ...) {
  return formatted(to, size, format, __fp_varargs());
}

int vsprintf(char *to, const char *format, __builtin_va_list args) {
  return formatted(to, 0x7fffffff, format, args);
}

int sprintf(char *to, const char *format, ...) {
  return formatted(to, 0x7fffffff, format, __fp_varargs());
}

static int allocated(char **to, const char *format, char *args) {
  int length = formatted(0, 0, format, args);
  *to = malloc(length + 1ul);
  return formatted(*to, length + 1ul, format, args);
}

int vasprintf(char **to, const char *format, __builtin_va_list args) {
  return allocated(to, format, args);
}

int asprintf(char **to, const char *format, ...) {
  return allocated(to, format, __fp_varargs());
}
