/*
 * Flags, widths and precisions are those of C.
 *
 * opts: -q
 */

BEGIN { printf("[%5c|%-4c|%8.3d|%05d|%+d|%#o|%10.4s|%-6.2s|%.0s]\n", 65, 66, 42, 42, 5, 8, "abcdefg", "xyz", "abc"); exit(0); }
