/*
 * Each conversion needs a value.
 *
 * message: printf( ) prototype mismatch: conversion #1 (%d) is missing a corresponding value argument
 * line: 10
 */

BEGIN
{
	printf("%d");
}
