#!/usr/bin/env python3
"""Writes a program of random functions, and the D program that must print what it prints.

    tests/tools/signatures.py SEED c|c++ PROGRAM SCRIPT

Each function prints its arguments member by member, then its result; the clauses on its entry and
return probes print args[] in the same format.
"""

import random
import sys

NFUNCTIONS = 40
NSTRUCTS = 14

# name, conversion in C, in D, bits of an integer (0: none), signed
SCALARS = [
    ("char", "%d", "%d", 8, True),
    ("signed char", "%d", "%d", 8, True),
    ("unsigned char", "%u", "%u", 8, False),
    ("short", "%d", "%d", 16, True),
    ("unsigned short", "%u", "%u", 16, False),
    ("int", "%d", "%d", 32, True),
    ("unsigned", "%u", "%u", 32, False),
    ("long", "%ld", "%d", 64, True),
    ("unsigned long", "%lu", "%u", 64, False),
    ("bool", "%d", "%d", 1, False),
    ("enum color", "%d", "%d", 0, True),
    ("float", "%g", "%g", 0, True),
    ("double", "%g", "%g", 0, True),
    ("long double", "%Lg", "%Lg", 0, True),
]
WORDS = [s for s in SCALARS if s[3] >= 32]


class Struct:
    def __init__(self, rng, known):
        self.name = "s%d" % len(known)
        self.kind = "union" if rng.random() < 0.15 else "struct"
        self.members = [
            ("m%d" % i, member(rng, known)) for i in range(rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 6]))
        ]

    def typename(self):
        return "%s %s" % (self.kind, self.name)


def member(rng, known):
    """A member's type: (what, scalar or structure, elements or bits)."""
    dice = rng.random()
    if dice < 0.12 and known:
        return ("struct", rng.choice(known), 0)
    if dice < 0.25:
        return ("array", rng.choice(SCALARS), rng.randint(1, 4))
    if dice < 0.35:
        return ("bits", rng.choice(WORDS), rng.randint(1, 31))
    return ("scalar", rng.choice(SCALARS), 0)


def declaration(name, type_):
    what, of, n = type_
    if what == "struct":
        return "%s %s;" % (of.typename(), name)
    tail = {"array": "[%d]" % n, "bits": " : %d" % n, "scalar": ""}[what]
    return "%s %s%s;" % (of[0], name, tail)


def leaves(path, type_):
    """(path, scalar, bits) of all that is in a value; of a union its first member."""
    what, of, n = type_
    if what == "struct":
        members = of.members[:1] if of.kind == "union" else of.members
        for name, inner in members:
            yield from leaves("%s.%s" % (path, name), inner)
    elif what == "array":
        for i in range(n):
            yield "%s[%d]" % (path, i), of, 0
    else:
        yield path, of, n


def value(rng, scalar, bits):
    name, _, _, width, signed = scalar
    if name == "enum color":
        return rng.choice(["RED", "GREEN", "BLUE"])
    if not width:
        return "%g" % (rng.randint(-4000, 4000) / 8)
    width = bits or width
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    low = max(low, -(1 << 63) + 1)
    suffix = "" if width < 64 else "L" if signed else "UL"
    return "%d%s" % (rng.choice([low, high, rng.randint(low, high)]), suffix)


def fill(rng, path, type_):
    return "".join("\t\t%s = %s;\n" % (p, value(rng, s, b)) for p, s, b in leaves(path, type_))


def print_in_c(path, type_):
    out = ""
    for p, (name, conv, _, _, signed), bits in leaves(path, type_):
        if bits:
            conv, p = ("%d", "(int)" + p) if signed else ("%u", "(unsigned)" + p)
        elif name in ("enum color", "float"):
            p = ("(int)" if name != "float" else "(double)") + p
        out += '\tprintf(" %s", %s);\n' % (conv, p)
    return out


def print_in_d(path, type_):
    return "".join('\tprintf(" %s", %s);\n' % (s[2], p) for p, s, _ in leaves(path, type_))


def random_type(rng, structs):
    if rng.random() < 0.45:
        return ("scalar", rng.choice(SCALARS), 0)
    return ("struct", rng.choice(structs), 0)


def spelled(type_):
    return type_[1].typename() if type_[0] == "struct" else type_[1][0]


def function(rng, structs, i):
    """The function, a call of it, and its two clauses."""
    params = [random_type(rng, structs) for _ in range(rng.choice([1, 2, 3, 4, 6, 8, 10]))]
    result = random_type(rng, structs)
    names = ["a%d" % n for n in range(len(params))]
    code = "%s f%d(%s)\n{\n" % (
        spelled(result), i, ", ".join("%s %s" % (spelled(t), n) for t, n in zip(params, names)))
    code += "\tstatic %s r;\n" % spelled(result) + fill(rng, "r", result)
    code += '\tprintf("f%d:");\n' % i + "".join(map(print_in_c, names, params))
    code += '\tprintf("\\nr%d:");\n' % i + print_in_c("r", result) + '\tprintf("\\n");\n'
    code += '\t__asm__ volatile("" ::: "memory");\n\treturn r;\n}\n'
    call = "\t{\n" + "".join("\t\tstatic %s %s;\n" % (spelled(t), n) for t, n in zip(params, names))
    call += "".join(fill(rng, n, t) for t, n in zip(params, names))
    call += "\t\tf%d(%s);\n\t}\n" % (i, ", ".join(names))
    clause = "pid$target:a.out:f%d:%s\n{\n\tprintf(\"%s%d:\");\n%s\tprintf(\"\\n\");\n}\n"
    clauses = clause % (
        i, "entry", "f", i, "".join(print_in_d("args[%d]" % n, t) for n, t in enumerate(params)))
    clauses += clause % (i, "return", "r", i, print_in_d("args[1]", result))
    return code, call, clauses


def main():
    seed, language, program, script = sys.argv[1:]
    rng = random.Random(int(seed))
    structs = []
    while len(structs) < NSTRUCTS:
        structs.append(Struct(rng, structs))
    functions = [function(rng, structs, i) for i in range(NFUNCTIONS)]
    with open(program, "w") as f:
        f.write("#include <stdbool.h>\n#include <stdio.h>\n")
        f.write("enum color { RED, GREEN = 7, BLUE = -3 };\n")
        for s in structs:
            f.write("%s {\n" % s.typename())
            f.writelines("\t%s\n" % declaration(n, t) for n, t in s.members)
            f.write("};\n")
        start = 'extern "C" ' if language == "c++" else ""
        f.writelines(start + "__attribute__((noinline, noclone)) " + code for code, _, _ in functions)
        f.write("int main(void)\n{\n" + "".join(call for _, call, _ in functions) + "\treturn 0;\n}\n")
    with open(script, "w") as f:
        f.writelines(clauses for _, _, clauses in functions)


main()
