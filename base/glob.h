/*
 * glob.h: D's pattern matching, for probe descriptions and symbols (docs/spec/d-language.md §4.2):
 * `*` any string, `?` one character, `[abc] [a-z] [!abc]` a set, `\x` x itself. Case-sensitive,
 * linear in the text for one star, never recursive.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/base.h"

bool glob_match(const char *pattern, const char *text);
/* As a field of a probe description: "" matches all. */
bool glob_field(const char *pattern, const char *text);
bool glob_is_pattern(const char *s); /* holds an unescaped `*`, `?` or `[` */

/* The text a pattern without wildcards stands for: backslashes taken out. Writes at most size. */
void glob_unescape(const char *pattern, char *out, size_t size);

#endif
