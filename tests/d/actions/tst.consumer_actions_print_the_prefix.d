/*
 * clear, trunc, normalize, denormalize, setopt and printa write records and print the prefix
 * line.
 */

BEGIN { @a = count(); }
BEGIN { clear(@a); }
BEGIN { trunc(@a, 5); }
BEGIN { normalize(@a, 2); }
BEGIN { denormalize(@a); }
BEGIN { setopt("aggsortrev"); }
BEGIN { printa("[%@d]", @a); }
BEGIN { exit(0); }
