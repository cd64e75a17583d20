/*
 * After clear has been consumed, the next value counts alone.
 *
 * opts: -q -x switchrate=200hz
 */

BEGIN { @n = min(5); @x = max(5); @s = sum(5); }
BEGIN { clear(@n); clear(@x); clear(@s); }
tick-100ms { @n = min(50); @x = max(-50); @s = sum(50); exit(0); }
