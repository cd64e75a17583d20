/*
 * utf8.h: text of several bytes a character.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/base.h"

/* The length of the well-formed sequence at s, of n bytes that are there; 0: there is none. */
size_t utf8_length(const char *s, size_t n);
/* The character that a well-formed sequence of that length is. */
uint32_t utf8_char(const char *s, size_t len);
#define UTF8_MAX 4
/* Writes a character, returns how many bytes it took. */
size_t utf8_put(char to[UTF8_MAX], uint32_t c);
/* The same of a character that a terminal shows; 0: there is none, or it acts on one (C0, DEL, C1).
 */
size_t utf8_shown(const char *s, size_t n);
/* How many columns of a terminal a text takes; what is not well-formed takes one a byte. */
size_t utf8_columns(const char *s, size_t n);

#endif
