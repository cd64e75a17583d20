/*
 * A star needs its argument.
 *
 * line: 10
 * message: printf( ) prototype mismatch: conversion #1 (%d) is missing a corresponding "*" argument
 */

BEGIN
{
	printf("%*d");
}
