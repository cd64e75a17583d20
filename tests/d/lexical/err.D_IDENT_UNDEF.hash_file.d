/*
 * # N "file", as cpp writes it, makes the next line N.
 */

# 10 "foo.c"
BEGIN { nosuch; }
