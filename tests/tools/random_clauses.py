#!/usr/bin/env python3
"""Random D programs about the functions of tests/targets/t.c, from a small grammar: `random_clauses.py SEED`
prints one, with PROV for the provider. What it prints does not depend on when anything happens, nor on the
order of threads: aggregations only, and variables of the thread or of the clause.
"""

import random
import sys

SELF = {"a": "long", "b": "int", "c": "char", "d": "unsigned short"}
ENTRIES = ["leaf", "branchy", "six", "tail", "work", "recurse", "hidden"]
RETURNS = ["leaf", "branchy", "hidden", "work", "six"]
FIXED = ["probefunc", "probename", "probemod", '"text"', "7"]
FUNCTIONS = ["count()", "sum({})", "min({})", "max({})", "avg({})", "stddev({})", "quantize({})",
             "lquantize({}, -20, 100, 7)", "llquantize({}, 10, 0, 6, 20)"]


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.naggs = 0

    def element(self, is_return):
        """Of an array by a number that is not known beforehand, some of which are many."""
        key = self.r.choice(["arg0", "self->a", "self->k[arg0 & 1]", "this->x", "-1", "tid - tid", "arg0 % 5"] + (["arg1"] if is_return else []))
        return self.r.choice([f"self->k[{key}]", f"self->m[{key}]", f"self->k[{key} & 3]", f"self->m[({key}) << 4]"])

    def leaf(self, is_return):
        args = ["arg0", "arg1"] if is_return else self.args
        if self.r.random() < 0.1:
            return self.element(is_return)
        return self.r.choice(args + ["self->e[probefunc]", "self->f[probename, 3]", 'self->e["x"]', "self->a", "self->b", "self->c", "self->d", "this->x", "this->y",
                                     str(self.r.choice([0, 1, 2, 3, 7, 10, 63, 255, 1000, 65536, 1 << 40])),
                                     "(tid == pid)", "(ucaller != 0)"])

    def expr(self, is_return, depth=2):
        if depth == 0 or self.r.random() < 0.25:
            return self.leaf(is_return)
        a, b = self.expr(is_return, depth - 1), self.expr(is_return, depth - 1)
        kind = self.r.randrange(12)
        if kind < 5:
            return f"({a} {self.r.choice(['+', '-', '*', '&', '|', '^'])} {b})"
        if kind == 5:
            return f"({a} {self.r.choice(['/', '%'])} {self.r.choice([1, 2, 3, 5, 7, 10, 100])})"
        if kind == 6:
            return f"({a} {self.r.choice(['<<', '>>'])} {self.r.randrange(0, 9)})"
        if kind == 7:
            return f"{self.r.choice(['-', '~', '!'])}({a})"
        if kind == 8:
            return f"({self.r.choice(['char', 'short', 'int', 'unsigned', 'uint64_t', 'uint8_t'])})({a})"
        if kind == 9:
            return f"({self.condition(is_return, 0)} ? {a} : {b})"
        return f"({a} {self.r.choice(['==', '!=', '<', '<=', '>', '>='])} {b})"

    def condition(self, is_return, depth=1):
        a, b = self.expr(is_return, depth), self.expr(is_return, depth)
        one = f"({a} {self.r.choice(['==', '!=', '<', '<=', '>', '>='])} {b})"
        if depth and self.r.random() < 0.1:
            one = f'(probefunc {self.r.choice(["==", "!=", "<"])} "{self.r.choice(ENTRIES)}")'
        if depth and self.r.random() < 0.4:
            return f"({one} {self.r.choice(['&&', '||', '^^'])} {self.condition(is_return, 0)})"
        return one

    def choice(self, is_return):
        texts = ['"x"', '"y"', '""', "probefunc", "probename", "execname"]
        other = self.choice(is_return) if self.r.random() < 0.3 else self.r.choice(texts)
        return f"({self.condition(is_return)} ? {self.r.choice(texts)} : {other})"

    def key(self, is_return):
        kind = self.r.randrange(12)
        if kind > 9:
            return self.choice(is_return)
        if kind < 3:
            return self.r.choice(FIXED)
        if kind == 3:
            return self.r.choice(["execname", "(ucaller != 0)", "(pid > 0)", "ufunc(ucaller)"])
        return f"({self.expr(is_return)}) & {self.r.choice([1, 3, 7, 15])}"

    def assign(self, is_return):
        if self.r.random() < 0.2:  # only ever added to: order does not matter
            to = self.r.choice(["g", "h", "s"])
            return self.r.choice([f"{to}++;", f"{to} += {self.expr(is_return)};", f"{to}--;",
                                  f"{to} -= {self.expr(is_return)};", f"{to} = {self.leaf(is_return)} + {to};"])
        to = self.r.choice(["self->" + v for v in SELF] + ["this->x", "this->y", "self->e[probefunc]",
                                                           'self->e["x"]', "self->f[probename, 3]"])
        if self.r.random() < 0.25:
            to = self.element(is_return)
        kind = self.r.randrange(5)
        if kind == 0:
            return f"{to}++;"
        if kind == 4:
            return f"{to} = 0;"
        if kind == 1:
            return f"{to} {self.r.choice(['+=', '-=', '^=', '&='])} {self.expr(is_return)};"
        return f"{to} = {self.expr(is_return)};"

    def aggregate(self, is_return):
        self.naggs += 1
        keys = ", ".join(self.key(is_return) for _ in range(self.r.choice([0, 0, 1, 1, 1, 2, 3, 4])))
        function = self.r.choice(FUNCTIONS).format(self.expr(is_return))
        return f"@a{self.naggs}{'[' + keys + ']' if keys else ''} = {function};"

    def clause(self):
        is_return = self.r.random() < 0.35
        self.args = ["arg0", "arg0", "arg0"]  # what other registers hold is not the same in each run
        where = self.r.sample(RETURNS if is_return else ENTRIES, self.r.choice([1, 1, 2, 3]))
        if self.r.random() < 0.15:
            where = ["l*", "b*"]
        if not is_return and self.r.random() < 0.25:
            where = ["six"]
            self.args = ["arg0", "arg1", "arg5", "arg6"]
        probes = ", ".join(f"PROV$target:a.out:{f}:{'return' if is_return else 'entry'}" for f in where)
        predicate = f" /{self.condition(is_return)}/" if self.r.random() < 0.5 else ""
        body = [self.aggregate(is_return) if self.r.random() < 0.6 else self.assign(is_return)
                for _ in range(self.r.randrange(1, 5))]
        if self.r.random() < 0.2:
            body.append(f"if ({self.condition(is_return)}) {{ {self.aggregate(is_return)} }}"
                        f" else {{ {self.assign(is_return)} }}")
        return f"{probes}{predicate} {{ {' '.join(body)} }}"

    def text(self):
        variables = [f"self {t} {v};" for v, t in SELF.items()] + ["this long x;", "this int y;",
                                                                   "self long e[string];",
                                                                   "self long k[long];", "self char m[int];",
                                                                   "self short f[string, int];", "long g;", "int h;", "unsigned short s;"]
        clauses = [self.clause() for _ in range(self.r.randrange(1, 6))]
        clauses.append('END { printf("%d %d %d\\n", g, h, s); }')
        return "\n".join(variables + clauses) + "\n"


class Texts(Program):
    """Of tests/targets/texts.c: with what lies in the program's memory, which may not be there."""

    MEMORY = {"take": ["strlen(copyinstr(arg0))", "strlen(copyinstr(arg0, 6))", '(copyinstr(arg0) == "alpha")',
                       '("heap 2" < copyinstr(arg0))', '(strstr(copyinstr(arg0), "ea") != NULL)',
                       '(strstr(copyinstr(arg0, 9), "e") == NULL)', "*(char *)arg0", "*(uint8_t *)(arg0 + (arg1 & 1))",
                       '((string)arg0 >= "b")', "*(int16_t *)copyin(arg0, 2)",
                       "(copyinstr(arg0) == copyinstr(arg0, 5))", "(copyinstr(arg0) < (string)(arg0 + 1))", "((string)arg0 != stringof(arg1 & 1 ? arg0 : 0))",
                       "index(copyinstr(arg0), \"a\")", "rindex(copyinstr(arg0, 8), \" \")", "index(copyinstr(arg0), substr(copyinstr(arg0), -2))",
                       "(strstr(copyinstr(arg0), copyinstr(arg0 + 3)) != NULL)", '(substr(copyinstr(arg0), 1, 3) == "lph")',
                       "strlen(substr(copyinstr(arg0), -4, -1))", "strlen(copyinstr(uregs[R_RDI]))", "*(char *)copyin(uregs[R_RDI], 1)",
                       "(stringof(arg0) == NULL)", "strlen(strjoin(copyinstr(arg0), stringof(arg0)))", '(toupper(copyinstr(arg0)) == "ALPHA")',
                       '(basename(stringof(arg0)) < dirname(copyinstr(arg0)))', "(strchr(copyinstr(arg0), 0x61) != NULL)",
                       "(strrchr(stringof(arg0), 0x20) == NULL)", 'strlen(strtok(copyinstr(arg0), "l "))', 'strtoll(substr(copyinstr(arg0), -1), 36)',
                       'index(copyinstr(arg0), "a", 2)', 'rindex(tolower(copyinstr(arg0)), "a", 3)', "(lltostr(arg1) > copyinstr(arg0))",
                       'strlen(cleanpath(strjoin("/x/../", copyinstr(arg0))))'],
              "look": ["*(int *)arg0", "*(uint16_t *)(arg0 + 6)", "*(char *)copyin(arg0 + 4, 1)", "*(long *)(arg0 + 8)",
                       "*(long *)(*(uintptr_t *)(arg0 + 16) + 8)", "strlen(copyinstr(*(uintptr_t *)(arg0 + 24)))",
                       "*(int *)((char *)copyin(arg0, 40) + 4)", "*(long *)((char *)copyin(arg0, 24) + 8)"]}
    KEYS = {"take": ["copyinstr(arg0)", "copyinstr(arg0, 4)", "(string)arg0", "stringof(arg0)",
                     '(arg1 & 1 ? copyinstr(arg0) : "none")', "substr(copyinstr(arg0), 2)", "substr(copyinstr(arg0, 20), -3, 2)",
                     "stringof(copyin(arg0, 6))", "(string)copyin(arg0, 1)", "copyinstr(uregs[R_RDI], 9)",
                     '(arg1 & 1 ? substr(copyinstr(arg0), 1, 4) : probefunc)', "basename(copyinstr(arg0))", "dirname(strjoin(\"/tmp/\", stringof(arg0)))",
                     'strjoin(strjoin(probefunc, ":"), lltostr(arg1 & 7))', "lltostr(arg1 & 3, 16)", "toupper(substr(copyinstr(arg0), 1))",
                     'strtok(copyinstr(arg0), "a")', "strchr(copyinstr(arg0), 0x70)", 'strstr(stringof(arg0), "e")',
                     '(arg1 & 1 ? tolower(copyinstr(arg0)) : lltostr(arg1 & 1))'],
            "look": ["copyinstr(*(uintptr_t *)(arg0 + 24))", '(*(int *)arg0 < -2 ? probefunc : copyinstr(*(uintptr_t *)(arg0 + 24)))']}

    def leaf(self, is_return):
        if not is_return and self.r.random() < 0.5:
            return self.r.choice(self.MEMORY[self.where])
        return self.r.choice(["arg1", "arg1", "self->a", "self->b", "this->x", "this->y", "3", "255"])

    def key(self, is_return):
        if not is_return and self.r.random() < 0.4:
            return self.r.choice(self.KEYS[self.where])
        return super().key(is_return)

    def clause(self):
        self.where = self.r.choice(["take", "take", "look"])
        is_return = self.r.random() < 0.2
        predicate = f" /{self.condition(is_return)}/" if self.r.random() < 0.5 else ""
        body = [self.aggregate(is_return) if self.r.random() < 0.7 else self.assign(is_return)
                for _ in range(self.r.randrange(1, 4))]
        if self.r.random() < 0.1:
            body.append(f'printf("%d\\n", {self.expr(is_return)});')
        return f"PROV$target:a.out:{self.where}:{'return' if is_return else 'entry'}{predicate} {{ {' '.join(body)} }}"


class Variables(Texts):
    """Texts in variables of the thread: assigned, from one another, too; asked for; and as keys."""

    NAMES = ["self->s", "self->t", "self->u"]

    def statement(self, is_return):
        name, other = self.r.sample(self.NAMES, 2)
        texts = [other, other, '"x"', '""', "probefunc", "0", "0"]
        if not is_return:
            texts += self.r.sample(self.KEYS[self.where], 2) * 3
        text = self.r.choice(texts)
        return self.r.choice([f"{name} = {text};", f"{name} = {text};", f"@v{self.r.randrange(2)}[{name}] = count();",
                              f"@w[{name}, arg1 & 1] = sum(arg1);", f"@x[probename, {name}] = max(arg1);", "@y = count();"])

    def clause(self):
        self.where = self.r.choice(["take", "take", "look"])
        is_return = self.r.random() < 0.4
        name = self.r.choice(self.NAMES)
        predicate = self.r.choice(["", f" /{name} != NULL/", f" /{name} != 0/", f" /{name} == NULL || arg1 & 1/", f" /{name} != 0/"])
        body = " ".join(self.statement(is_return) for _ in range(self.r.randrange(1, 4)))
        if self.r.random() < 0.05:
            body += f' printf("%s\\n", {name});'
        return f"PROV$target:a.out:{self.where}:{'return' if is_return else 'entry'}{predicate} {{ {body} }}"

    def text(self):
        clauses = [self.clause() for _ in range(self.r.randrange(2, 6))]
        return "\n".join(["self string s;", "self string t;", "self string u;"] + clauses) + "\n"


KINDS = {"texts": Texts, "variables": Variables}

if __name__ == "__main__":
    print(KINDS.get(" ".join(sys.argv[2:]), Program)(int(sys.argv[1])).text())
