#include "inject/detourorder.h"

#include <stdlib.h>

static int by_addr(const void *a, const void *b)
{
	const struct detour *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* How many from the first on are in order. */
static size_t run_of(const struct detour *v, size_t n)
{
	size_t end = MIN(n, 1);

	while (end < n && v[end - 1].addr <= v[end].addr)
		end++;
	return end;
}

/* The first `done` are in order, and the rest is. */
static void merge(struct detour *v, size_t done, size_t n)
{
	size_t nrest = n - done;
	struct detour *rest = xcalloc(nrest + 1, sizeof(*v));

	memcpy(rest, v + done, nrest * sizeof(*v));
	while (nrest) {
		bool is_behind = !done || rest[nrest - 1].addr >= v[done - 1].addr;

		v[--n] = is_behind ? rest[--nrest] : v[--done];
	}
	free(rest);
}

#define RUNS_MAX 8

/* Runs are put among those before them; where there are many what is left is sorted. */
void detours_sort(struct detour *v, size_t n)
{
	size_t done = run_of(v, n);

	for (unsigned i = 0; done < n; i++) {
		size_t nrest = i < RUNS_MAX ? run_of(v + done, n - done) : n - done;

		if (i == RUNS_MAX)
			qsort(v + done, nrest, sizeof(*v), by_addr);
		merge(v, done, done + nrest);
		done += nrest;
	}
}

size_t detours_part(struct detour *v, size_t n)
{
	struct detour *rest;
	size_t non = 0, nrest = 0;

	for (size_t i = 0; i < n; i++)
		non += v[i].state == DETOUR_ON;
	if (!non)
		return 0;
	rest = xcalloc(n - non + 1, sizeof(*rest));
	non = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].state != DETOUR_ON)
			rest[nrest++] = v[i];
		else if (i != non++)
			v[non - 1] = v[i];
	memcpy(v + non, rest, nrest * sizeof(*rest));
	free(rest);
	return non;
}

size_t detours_from(const struct detour *v, size_t lo, size_t hi, taddr_t addr)
{
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool detours_begin_at(const struct detours *js, taddr_t addr)
{
	for (size_t i = detours_from(js->v, 0, js->nwritten, addr);
	     i < js->nwritten && js->v[i].addr == addr; i++)
		if (!js->v[i].is_call && !js->v[i].is_island)
			return true;
	return false;
}

bool detours_lead_from(const struct detours *js, taddr_t pc, taddr_t function)
{
	for (size_t i = detours_from(js->v, 0, js->nwritten, pc);
	     i < js->nwritten && js->v[i].addr <= pc + 2; i++)
		if (js->v[i].is_call && js->v[i].function == function)
			return true;
	return false;
}
