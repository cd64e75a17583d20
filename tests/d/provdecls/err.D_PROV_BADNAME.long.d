/*
 * It has at most 63 characters.
 *
 * line: 8
 * message: provider name may not exceed 63 characters: abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl
 */

provider abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl { probe x(); };

BEGIN { exit(0); }
