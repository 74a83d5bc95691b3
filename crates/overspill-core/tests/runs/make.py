#!/usr/bin/env python3
"""Makes the failing runs of this directory: writes small projects with one bug each and runs real tools on them.

    make.py WORK [NAME ...]

WORK gets the projects and the outputs, `NAME.log`. The tools must be on PATH: cargo, javac, mvn, g++, make, pytest,
ruff, mypy, and node with the packages jest, vitest, mocha, typescript and eslint in WORK/js/node_modules.
Paths of the machine become /home/dev/shop. README.md says what the bug of each run is.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys

WORK = pathlib.Path(sys.argv[1]).absolute()
AREAS = "cart order price stock tax user invoice coupon refund report search session address currency".split()
DEEDS = "adds drops merges splits rounds parses prints sorts filters groups rejects accepts retries locks".split()
THINGS = "an empty list;one item;two equal items;a negative amount;a zero price;a missing name;a long name;an unknown error code;a failed payment;an expired coupon;a null address;unicode names;a huge order;a cancelled order".split(";")
BIN = WORK / "js/node_modules/.bin"
RUNS = {}


def run(function):
    RUNS[function.__name__] = function
    return function


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def output(command, cwd, **env):
    own = {"HOME": "/home/dev", "PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", **env}
    for name in ("CARGO_HOME", "RUSTUP_HOME"):
        own[name] = os.environ.get(name, str(pathlib.Path.home() / {"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"}[name]))
    done = subprocess.run(command, shell=True, cwd=cwd, env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace").replace(str(cwd), "/home/dev/shop").replace(str(WORK / "js"), "/home/dev/shop")
    text = re.sub(r"(/[\w.-]+)+/bin/python\S*", "/usr/bin/python3", text)
    return text.replace(str(WORK), "/home/dev").replace(str(pathlib.Path.home()), "/home/dev")


def cases(count):
    chance = random.Random(7)
    for n in range(count):
        yield n, chance.choice(AREAS), chance.choice(DEEDS), chance.choice(THINGS)


def name_of(n, area, deed, thing):
    return f"{area}_{deed}_{re.sub('[^a-z]+', '_', thing)}_{n}"


# ---------- Rust ----------
def crate(root, lib):
    write(root / "Cargo.toml", '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n')
    write(root / "src/lib.rs", lib)


@run
def cargo_test(root):
    tests = []
    for n, area, deed, thing in cases(4200):
        tests.append(f'    #[test]\n    fn {name_of(n, area, deed, thing)}() {{ assert_eq!(super::total(&[{n}, 1]), {n + 1}); }}\n')
    tests.insert(1800, '''    #[test]
    fn invoice_total_rounds_half_up() {
        let lines = [("pen", 3, 333), ("ink", 1, 1250)];
        println!("lines: {lines:?}");
        assert_eq!(super::invoice(&lines, 19), 2677, "net 2249 and 19 % tax");
    }
''')
    lib = '''pub fn total(parts: &[i64]) -> i64 { parts.iter().sum() }

pub fn invoice(lines: &[(&str, i64, i64)], tax: i64) -> i64 {
    let net: i64 = lines.iter().map(|(_, count, price)| count * price).sum();
    net + net * tax / 100
}

#[cfg(test)]
mod tests {
''' + "".join(tests) + "}\n"
    crate(root, lib)
    return output("cargo test --offline 2>&1", root, CARGO_TERM_COLOR="never")


@run
def cargo_build(root):
    functions = []
    for n, area, deed, thing in cases(900):
        functions.append(f"pub fn {name_of(n, area, deed, thing)}(price: i64) -> i64 {{\n    let unused_{area} = {n};\n    {n}\n}}\n")
    functions.insert(500, '''pub struct Coupon { pub percent: u8, pub code: String }

pub fn discounted(price: i64, coupon: &Coupon) -> i64 {
    price - price * coupon.percent / 100
}
''')
    crate(root, "\n".join(functions))
    return output("cargo build --offline 2>&1", root, CARGO_TERM_COLOR="never")


# ---------- Python ----------
@run
def pytest(root):
    lines = ["import logging\nimport pytest\nfrom shop import cart\n\nlog = logging.getLogger('shop')\n"]
    for n, area, deed, thing in cases(2600):
        lines.append(f"def test_{name_of(n, area, deed, thing)}():\n    log.info('checking %s', {thing!r})\n    assert cart.total([{n}, 1]) == {n + 1}\n")
    lines.insert(1300, '''@pytest.fixture
def customer():
    return {"name": "Ada", "country": "DE", "coupons": ["SPRING", "VIP"], "address": {"zip": "10115", "city": "Berlin"}}

def test_checkout_applies_every_coupon(customer):
    order = cart.checkout(customer, [{"sku": "pen", "price": 1000}, {"sku": "ink", "price": 500}])
    assert order == {"customer": "Ada", "net": 1500, "discount": 300, "total": 1200, "coupons": ["SPRING", "VIP"]}
''')
    write(root / "shop/__init__.py", "")
    write(root / "shop/cart.py", '''COUPONS = {"SPRING": 10, "VIP": 10}

def total(parts):
    return sum(parts)

def checkout(customer, items):
    net = total(item["price"] for item in items)
    discount = 0
    for code in customer["coupons"]:
        discount = net * COUPONS[code] // 100
    return {"customer": customer["name"], "net": net, "discount": discount, "total": net - discount, "coupons": customer["coupons"]}
''')
    write(root / "tests/test_shop.py", "\n".join(lines))
    return output("python -m pytest -v -p no:cacheprovider tests", root, PYTHONPATH=str(root), COLUMNS="100")


@run
def pytest_errors(root):
    # One bug breaks a fixture, so that 400 tests fail in the same way.
    lines = ["import pytest\nfrom shop.db import connect\n\n@pytest.fixture\ndef db():\n    return connect('memory', retries=3)\n"]
    for n, area, deed, thing in cases(400):
        lines.append(f"def test_{name_of(n, area, deed, thing)}(db):\n    assert db.get({n}) is None\n")
    write(root / "shop/__init__.py", "")
    write(root / "shop/db.py", '''class Pool:
    def __init__(self, url, tries):
        self.url, self.tries = url, tries

def connect(url, retries=1):
    return Pool(url, retry=retries)
''')
    write(root / "tests/test_db.py", "\n".join(lines))
    return output("python -m pytest -p no:cacheprovider tests", root, PYTHONPATH=str(root), COLUMNS="100")


@run
def ruff(root):
    for f in range(60):
        lines = [f"import {m}" for m in ("os", "sys", "json", "re", "math")]
        for n, area, deed, thing in list(cases(1200))[f * 18 : f * 18 + 18]:
            lines.append(f"\ndef {name_of(n, area, deed, thing)}(value):\n    label = {thing!r}\n    return value == None")
        if f == 31:
            lines.append("\ndef refund(order):\n    amount = order['total'] - order['fee']\n    return round(ammount, 2)")
        write(root / f"shop/{AREAS[f % 14]}_{f}.py", "\n".join(lines) + "\n")
    return output("ruff check --no-cache .", root)


@run
def mypy(root):
    for f in range(120):
        lines = []
        for n, area, deed, thing in list(cases(2600))[f * 20 : f * 20 + 20]:
            lines.append(f"def {name_of(n, area, deed, thing)}(value):\n    label: str = {thing!r}\n    return value\n")
        if f == 70:
            lines.append("def net_price(gross: int, tax: float) -> int:\n    return gross / (1 + tax)\n")
        write(root / f"shop/{AREAS[f % 14]}_{f}.py", "\n".join(lines))
    return output("mypy --cache-dir=/dev/null --no-color-output shop", root)


@run
def mypy_strict(root):
    for f in range(130):
        lines = []
        for n, area, deed, thing in list(cases(2600))[f * 20 : f * 20 + 20]:
            lines.append(f"def {name_of(n, area, deed, thing)}(value):\n    return value\n")
        if f == 40:
            lines.append("def invoice_number(year: int, count: int) -> str:\n    return year + '-' + str(count)\n")
        write(root / f"shop/{AREAS[f % 14]}_{f}.py", "\n".join(lines))
    return output("mypy --strict --cache-dir=/dev/null --no-color-output shop", root)


# ---------- JavaScript ----------
SHOP_JS = '''exports.total = (parts) => parts.reduce((sum, part) => sum + part, 0);
exports.receipt = (order) => ({
  id: order.id,
  lines: order.items.map((item) => `${item.count} x ${item.name}`),
  total: exports.total(order.items.map((item) => item.price)),
  currency: order.currency,
});
'''
CHECK_JS = "receipt({ id: 17, currency: 'EUR', items: [{ name: 'pen', count: 3, price: 100 }, { name: 'ink', count: 1, price: 1250 }] })"
WANT_JS = "{ id: 17, lines: ['3 x pen', '1 x ink'], total: 1550, currency: 'EUR' }"


def js_tests(root, head, group, test, passes, bug, files, count):
    every = list(cases(files * count))
    for f in range(files):
        body = [head]
        for area in AREAS[:7]:
            own = [c for c in every[f * count : f * count + count] if c[1] == area or (c[1] not in AREAS[:7] and area == "cart")]
            rows = [f"  {test}('{c[2]} {c[3]} ({c[0]})', () => {{ {passes.format(n=c[0], m=c[0] + 1)} }});" for c in own]
            if f == files // 2 and area == "invoice":
                rows.insert(3, f"  {test}('receipt counts every item of a line', () => {{ {bug} }});")
            body.append(f"{group}('{area}', () => {{\n" + "\n".join(rows) + "\n});")
        write(root / f"test/{AREAS[f % 14]}-{f}.test.js", "\n".join(body) + "\n")
    write(root / "shop.js", SHOP_JS)
    write(root / "package.json", '{"name":"shop","version":"1.0.0","private":true}')


@run
def jest(root):
    js_tests(root, "const { total, receipt } = require('../shop');", "describe", "test", "expect(total([{n}, 1])).toBe({m});",
             f"expect({CHECK_JS}).toEqual({WANT_JS});", 40, 130)
    return output(f"node {WORK}/js/node_modules/jest/bin/jest.js --verbose --rootDir . --runInBand", root)


@run
def vitest(root):
    js_tests(root, "import { test, describe, expect } from 'vitest';\nimport shop from '../shop';\nconst { total, receipt } = shop;", "describe", "test",
             "expect(total([{n}, 1])).toBe({m});", f"expect({CHECK_JS}).toEqual({WANT_JS});", 40, 80)
    os.path.exists(root / "node_modules") or os.symlink(WORK / "js/node_modules", root / "node_modules")
    return output("vitest run --reporter=verbose --no-file-parallelism", root)


@run
def mocha(root):
    js_tests(root, "const assert = require('assert');\nconst { total, receipt } = require('../shop');", "describe", "it",
             "assert.strictEqual(total([{n}, 1]), {m});", f"assert.deepStrictEqual({CHECK_JS}, {WANT_JS});", 40, 150)
    return output("mocha --reporter spec --no-color test", root)


@run
def node_test(root):
    js_tests(root, "const assert = require('assert');\nconst { describe, it } = require('node:test');\nconst { total, receipt } = require('../shop');", "describe", "it",
             "assert.strictEqual(total([{n}, 1]), {m});", f"assert.deepStrictEqual({CHECK_JS}, {WANT_JS});", 40, 110)
    return output("node --test --test-reporter=spec test/", root)


@run
def node_test_tap(root):
    js_tests(root, "const assert = require('assert');\nconst { describe, it } = require('node:test');\nconst { total, receipt } = require('../shop');", "describe", "it",
             "assert.strictEqual(total([{n}, 1]), {m});", f"assert.deepStrictEqual({CHECK_JS}, {WANT_JS});", 20, 80)
    return output("node --test --test-reporter=tap test/", root)


@run
def tsc(root):
    write(root / "src/order.ts", "export interface Order { id: number; totalCents: number; lines: string[]; }\n")
    for f in range(120):
        rows = ["import type { Order } from './order';"]
        for n, area, deed, thing in list(cases(2400))[f * 20 : f * 20 + 20]:
            name = name_of(n, area, deed, thing)
            rows.append(f"export const {name} = (order: Order): number => order.total * {n};")
        write(root / f"src/{AREAS[f % 14]}-{f}.ts", "\n".join(rows) + "\n")
    write(root / "tsconfig.json", json.dumps({"compilerOptions": {"strict": True, "noEmit": True, "types": [], "lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}))
    return output("tsc -p .", root)


@run
def eslint(root):
    for f in range(260):
        rows = []
        for n, area, deed, thing in list(cases(2700))[f * 10 : f * 10 + 10]:
            rows.append(f"export function {name_of(n, area, deed, thing)}(value) {{\n  var unused{n} = {n};\n  return value == {n};\n}}")
        if f == 131:
            rows.insert(4, "export function refund(order) {\n  const fee = order.fee ?? 0;\n  return order.total - fees;\n}")
        write(root / f"src/{AREAS[f % 14]}-{f}.js", "\n".join(rows) + "\n")
    write(root / "eslint.config.mjs", "export default [{ rules: { eqeqeq: 'warn', 'no-unused-vars': 'warn', 'no-var': 'warn', 'no-undef': 'error' } }];\n")
    return output("eslint src", root)


# ---------- Java ----------
@run
def javac(root):
    for f in range(40):
        rows = ["package shop;\nimport java.util.*;\n"]
        rows.append(f"public class {AREAS[f % 14].title()}{f} {{")
        for n, area, deed, thing in list(cases(900))[f * 8 : f * 8 + 8]:
            rows.append(f"    static List {name_of(n, area, deed, thing)}(List raw) {{ raw.add({n}); return new ArrayList(raw); }}")
        if f == 23:
            rows.append("    static int refund(Optional<Integer> paid, int fee) {\n        return paid - fee;\n    }")
        write(root / f"shop/{AREAS[f % 14].title()}{f}.java", "\n".join(rows) + "\n}\n")
    return output("javac -Xlint:all -Xmaxwarns 100000 -d out shop/*.java", root)


@run
def mvn(root):
    tests = []
    for n, area, deed, thing in cases(2400):
        tests.append(f'    @Test void {name_of(n, area, deed, thing)}() {{ log.info("{area}: {thing}"); assertEquals({n + 1}, Cart.total({n}, 1)); }}')
    bug = '''    @Test void refundKeepsTheFee() {
        assertEquals(new Refund(1200, 50), Refund.of(new Order(1250, 50)));
    }'''
    for f in range(24):
        own = tests[f * 100 : f * 100 + 100]
        if f == 11:
            own.insert(50, bug)
        name = f"{AREAS[f % 14].title()}{f}Test"
        write(root / f"src/test/java/shop/{name}.java", "package shop;\nimport static org.junit.jupiter.api.Assertions.*;\nimport java.util.logging.Logger;\nimport org.junit.jupiter.api.Test;\n"
              + f"class {name} {{\n    static final Logger log = Logger.getLogger(\"shop\");\n" + "\n".join(own) + "\n}\n")
    write(root / "src/main/java/shop/Cart.java", "package shop;\npublic class Cart { public static int total(int... parts) { int sum = 0; for (int part : parts) sum += part; return sum; } }\n")
    write(root / "src/main/java/shop/Order.java", "package shop;\npublic record Order(int total, int fee) {}\n")
    write(root / "src/main/java/shop/Refund.java", "package shop;\npublic record Refund(int amount, int fee) {\n    public static Refund of(Order order) {\n        return new Refund(order.total(), order.fee());\n    }\n}\n")
    write(root / "pom.xml", '''<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>shop</groupId><artifactId>shop</artifactId><version>1.0</version>
<properties><maven.compiler.release>17</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.9.2</version><scope>test</scope></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin><plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin></plugins></build></project>
''')
    return output(f"mvn -B -o -Dmaven.repo.local=/usr/share/maven-repo test", root)


# ---------- C++ ----------
@run
def gxx(root):
    # A map in a header whose key has no order, in sixteen files.
    write(root / "stock.h", """#include <map>
#include <string>
#include <vector>
#include <algorithm>
#include <iostream>

struct Order { int id; std::string name; };

inline void report(std::vector<Order> orders) {
    std::map<Order, int> stock;
    for (const Order& order : orders) stock[order] += 1;
    std::sort(orders.begin(), orders.end());
}
""")
    for n, area, deed, thing in cases(16):
        write(root / f"{area}_{n}.cpp", f'#include "stock.h"\n\nvoid {name_of(n, area, deed, thing)}() {{ report({{{{{n}, "pen"}}}}); }}\n')
    return output("g++ -std=c++17 -Wall -c *.cpp", root)


@run
def make(root):
    objects = []
    for n, area, deed, thing in cases(800):
        name = f"{area}_{n}"
        body = f"#include \"shop.h\"\n\nint {name}(int value)\n{{\n    int unused = {n};\n    return value + {n};\n}}\n"
        if n == 417:
            body = f"#include \"shop.h\"\n\nint {name}(struct order *order)\n{{\n    return order->totl - order->fee;\n}}\n"
        write(root / f"src/{name}.c", body)
        objects.append(f"build/{name}.o")
    write(root / "include/shop.h", "struct order { int total; int fee; };\n")
    write(root / "Makefile", "CFLAGS = -std=c11 -O2 -Wall -Wextra -Wshadow -Wconversion -Iinclude -DNDEBUG -DVERSION='\"1.4.2\"'\nOBJECTS = " + " ".join(objects)
          + "\n\nshop: $(OBJECTS)\n\t$(CC) -o $@ $^\n\nbuild/%.o: src/%.c\n\t@mkdir -p build\n\t$(CC) $(CFLAGS) -c -o $@ $<\n")
    return output("make -k -j4 2>&1", root)


@run
def make_link(root):
    objects, calls, heads = [], [], []
    for n, area, deed, thing in cases(700):
        name = f"{area}_{n}"
        write(root / f"src/{name}.c", f"int {'refund_order' if n == 300 else name}(int value) {{ return value + {n}; }}\n")
        heads.append(f"int {name}(int);")
        calls.append(f"    sum += {name}(sum);")
        objects.append(f"build/{name}.o")
    write(root / "src/main.c", "\n".join(heads) + "\nint main(void) {\n    int sum = 0;\n" + "\n".join(calls) + "\n    return sum;\n}\n")
    objects.append("build/main.o")
    write(root / "Makefile", "CFLAGS = -std=c11 -O2 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-declarations -Iinclude -Ithird_party/include -DNDEBUG -DVERSION='\"1.4.2\"' -fPIC -fstack-protector-strong -ffunction-sections -fdata-sections\nOBJECTS = " + " ".join(objects)
          + "\n\nshop: $(OBJECTS)\n\t$(CC) -o $@ $^\n\nbuild/%.o: src/%.c\n\t@mkdir -p build\n\t$(CC) $(CFLAGS) -c -o $@ $<\n")
    return output("make -j4 2>&1", root)


for name in sys.argv[2:] or RUNS:
    root = WORK / name / "shop"
    root.mkdir(parents=True, exist_ok=True)
    text = RUNS[name](root)
    (WORK / f"{name}.log").write_text(text)
    print(f"{name}: {len(text)} bytes, {text.count(chr(10))} lines", flush=True)
