#include "support.h"

#include <math.h>

// Dates as texts like `2023-11-14 22:13:20.123`. Both functions count days in years that begin in March, so that leap
// days are at their ends.

double parse_date(const unsigned char *text, int count) {
  if (count != 23) return -1;
#define DIGIT(index) (text[index] - '0')
#define PAIR(index) (10 * DIGIT(index) + DIGIT((index) + 1))
  int year = 100 * PAIR(0) + PAIR(2), month = PAIR(5), day = PAIR(8);
  int seconds = 3600 * PAIR(11) + 60 * PAIR(14) + PAIR(17);
  int milliseconds = 100 * DIGIT(20) + PAIR(21);
  int years = month <= 2 ? year - 1 : year;
  int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  int days = 365 * years + years / 4 - years / 100 + years / 400 + day_of_year - 719468;
  return (double)((int64_t)days * 86400 + seconds) + milliseconds / 1000.0;
}

static void write_digits(char *text, int count, int number) {
  for (int index = count - 1; index >= 0; index--, number /= 10) text[index] = (char)('0' + number % 10);
}

void format_date(double date, char text[24]) {
  int64_t all_milliseconds = (int64_t)floor(date * 1000 + 0.5);
  int days = (int)(all_milliseconds / 86400000);
  int milliseconds = (int)(all_milliseconds % 86400000);
  if (milliseconds < 0) milliseconds += 86400000, days--;
  int shifted = days + 719468;
  int era = shifted / 146097, day_of_era = shifted % 146097;
  int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int month = (5 * day_of_year + 2) / 153;
  int day = day_of_year - (153 * month + 2) / 5 + 1;
  month = month < 10 ? month + 3 : month - 9;
  memcpy(text, "0000-00-00 00:00:00.000", 24);
  write_digits(text, 4, 400 * era + year_of_era + (month <= 2));
  write_digits(text + 5, 2, month);
  write_digits(text + 8, 2, day);
  write_digits(text + 11, 2, milliseconds / 3600000);
  write_digits(text + 14, 2, milliseconds / 60000 % 60);
  write_digits(text + 17, 2, milliseconds / 1000 % 60);
  write_digits(text + 20, 3, milliseconds % 1000);
}
