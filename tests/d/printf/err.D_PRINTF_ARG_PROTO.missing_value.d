/*
 * Each conversion has a value.
 *
 * line: 8
 * message: printf( ) prototype mismatch: conversion #2 (%s) is missing a corresponding value argument
 */

BEGIN { printf("%d %s", 1); }
