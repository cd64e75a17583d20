/*
 * A conversion needs its key.
 *
 * line: 11
 * message: printa( ) prototype mismatch: conversion #2 (%d) is missing a corresponding value argument
 */

BEGIN
{
	@a[1] = count();
	printa("%d %d %@d\n", @a);
}
