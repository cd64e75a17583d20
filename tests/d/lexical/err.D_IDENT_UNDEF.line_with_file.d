/*
 * #line N "file" makes the next line N + 1 of that file.
 */

#line 20 "q.d"
BEGIN { nosuch; }
