/*
 * * takes the width from an argument; a negative one is left.
 *
 * opts: -q
 */

BEGIN { printf("[%*d|%*d|%.*s|%-*s]\n", 5, 42, -5, 42, 2, "abcdef", 4, "x"); exit(0); }
