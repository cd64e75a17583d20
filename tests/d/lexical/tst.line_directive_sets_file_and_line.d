/*
 * # N "file" sets the line of the next line and the file named in messages.
 *
 * status: 1
 */

# 10 "foo.c"
BEGIN { trace(nosuchvar); }
