/*
 * The end of the file inside a comment is an error.
 */

BEGIN { trace(1); /* open
