"""A pure-Python program to be traced: calls, objects, lists, strings, floats. Prints a checksum and the
CPU seconds that the work took."""

import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def add(self, other):
        return Point(self.x + other.x, self.y + other.y)


def primes(n):
    sieve, found = [True] * n, []
    for i in range(2, n):
        if sieve[i]:
            found.append(i)
            for j in range(i * i, n, i):
                sieve[j] = False
    return found


def words(n):
    count = {}
    for i in range(n):
        key = "w%d" % (i * 7919 % 1000)
        count[key] = count.get(key, 0) + len(key)
    return sorted(count.items(), key=lambda kv: (-kv[1], kv[0]))[:3]


def smooth(n):
    v = [float(i) for i in range(50)]
    for _ in range(n):
        v = [a * 0.25 + b * 0.75 for a, b in zip(v, reversed(v))]
    return round(sum(v), 6)


def main():
    start = time.process_time()
    total = 0
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 4):
        p = Point(0, 0)
        for i in range(60000):
            p = p.add(Point(i, -i))
        total += fib(23) + p.x + len(primes(150000)) + len(words(60000)[0][0]) + int(smooth(3000))
    print(total, "%.4f" % (time.process_time() - start))


main()
