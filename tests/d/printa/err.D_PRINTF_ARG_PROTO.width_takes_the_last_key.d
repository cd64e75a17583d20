/*
 * What the width takes is no value any more.
 *
 * message: printa( ) prototype mismatch: conversion #1 (%d) is missing a corresponding value argument
 * line: 11
 */

BEGIN
{
	@[1] = count();
	printa("[%*d]\n", @);
}
