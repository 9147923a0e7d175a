"""Measures how the package is laid out: how much there is, and how much one has to open.

    python tools/house.py [TREE] [--json]

TREE is a checkout with a folder src/antichain [default: this one]. What is counted:

Files to open for a class: the module that defines it is followed through its imports of other
modules of the package, at module level and inside functions, and through theirs, to the end.
Imports under `if TYPE_CHECKING` are left out, as nothing happens there. `from package import name`
leads to the module that defines the name, past the package's `__init__`. Each module counts once,
and the module one begins with is not counted. The first number leaves out plumbing: modules at the
root of the package that are not packages (errors, checks and the like), which one need not open to
understand a method. The second has them in.

Files a tell crosses: every `Search.tell` of one duel is traced in a small run of
`UnchainedBandits`. A file counts if a line of it runs between entering and leaving `tell`. The
median is that of a duel that is only counted; the most is that of one that ends an epoch, so that
the method itself runs on. Compiled kernels do not show.

Names that occur twice: of modules (without `__init__`) and of classes, private ones included.
Public names: at module level without an underscore, in modules whose path has none either.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "antichain"
CLASSES = ("UnchainedBandits", "Witness", "SlicingBandits", "RealDecoys")
LONGEST = 8


@dataclass(frozen=True)
class Module:
    """A module of the package."""

    name: str  # without the package's own name; "" is the package itself
    path: Path
    tree: ast.Module
    lines: int

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__` of a package."""
        return self.path.name == "__init__.py"

    @property
    def parts(self) -> list[str]:
        """The parts of its name."""
        return self.name.split(".") if self.name else []


def read(tree: Path) -> dict[str, Module]:
    """The modules of a checkout, by name."""
    root = tree / "src" / PACKAGE
    modules = {}
    for path in sorted(root.rglob("*.py")):
        parts = list(path.relative_to(root).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        text = path.read_text("utf-8")
        name = ".".join(parts)
        modules[name] = Module(name, path, ast.parse(text), len(text.splitlines()))
    if not modules:
        raise SystemExit(f"{root} holds no modules; give a checkout with a folder src/{PACKAGE}")
    return modules


class _Imports(ast.NodeVisitor):
    """The imports of a module, those for type checkers only left out."""

    def __init__(self) -> None:
        self.found: list[ast.Import | ast.ImportFrom] = []

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            for statement in node.orelse:
                self.visit(statement)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.found.append(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.found.append(node)


def imports_of(module: Module, modules: dict[str, Module]) -> set[str]:
    """The modules of the package that a module imports, names of packages followed home."""
    visitor = _Imports()
    visitor.visit(module.tree)
    found: set[str] = set()
    for node in visitor.found:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first, _, rest = alias.name.partition(".")
                if first == PACKAGE and rest in modules:
                    found.add(rest)
            continue
        source = _source(node, module)
        if source is None or source not in modules:
            continue
        found |= {home(source, alias.name, modules) for alias in node.names}
    return found - {module.name, ""}


def _source(node: ast.ImportFrom, module: Module) -> str | None:
    """The module that a `from` statement names, or None if it is not of the package."""
    if node.level:
        parts = module.parts if module.is_package else module.parts[:-1]
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *(node.module or "").split(".")]).strip(".")
    first, _, rest = (node.module or "").partition(".")
    return rest if first == PACKAGE else None


def home(source: str, name: str, modules: dict[str, Module]) -> str:
    """The module in which a name imported from `source` is defined."""
    inner = f"{source}.{name}" if source else name
    if inner in modules:
        return inner
    module = modules[source]
    if not module.is_package:
        return source
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            behind = _source(node, module)
            for alias in node.names:
                if (alias.asname or alias.name) == name and behind in modules and behind != source:
                    return home(behind, alias.name, modules)
    return source


def closure(start: str, modules: dict[str, Module]) -> set[str]:
    """All modules reached from one by imports, itself left out."""
    seen, waiting = {start}, [start]
    while waiting:
        for name in imports_of(modules[waiting.pop()], modules) - seen:
            seen.add(name)
            waiting.append(name)
    return seen - {start}


def files_to_open(name: str, modules: dict[str, Module]) -> dict[str, Any] | None:
    """How many modules one opens to understand a class."""
    for module in modules.values():
        if any(isinstance(node, ast.ClassDef) and node.name == name for node in module.tree.body):
            reached = closure(module.name, modules)
            rooms = {inner for inner in reached if "." in inner or modules[inner].is_package}
            return {
                "files": len(rooms),
                "files_with_plumbing": len(reached),
                "direct": len(imports_of(module, modules)),
                "names": sorted(reached),
            }
    return None


def names_twice(modules: dict[str, Module]) -> dict[str, Any]:
    """Names of modules and of classes that occur more than once."""
    stems = Counter(module.parts[-1] for module in modules.values() if not module.is_package)
    classes = Counter(
        node.name
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    )
    packages = {
        module.parts[-1] for module in modules.values() if module.is_package and module.name
    }
    return {
        "modules": {name: n for name, n in sorted(stems.items()) if n > 1},
        "modules_like_packages": sorted(packages & stems.keys()),
        "classes": {name: n for name, n in sorted(classes.items()) if n > 1},
    }


def public_names(modules: dict[str, Module]) -> dict[str, int]:
    """Names at module level without an underscore, in modules without one."""
    counts = {"functions_and_classes": 0, "constants_and_aliases": 0}
    for module in modules.values():
        if any(part.startswith("_") for part in module.parts):
            continue
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                counts["functions_and_classes"] += not node.name.startswith("_")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [target.id for target in targets if isinstance(target, ast.Name)]
                counts["constants_and_aliases"] += sum(not n.startswith("_") for n in names)
    return counts


def longest(modules: dict[str, Module]) -> dict[str, Any]:
    """The longest modules and functions, and how long functions are in general."""
    functions = [
        (int(node.end_lineno or 0) - node.lineno + 1, f"{module.name}:{node.name}")
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = sorted(length for length, _ in functions)
    sizes = sorted(((module.lines, module.name) for module in modules.values()), reverse=True)
    return {
        "modules": {name: lines for lines, name in sizes[:LONGEST]},
        "modules_over_400": sum(lines > 400 for lines, _ in sizes),
        "functions": {name: n for n, name in sorted(functions, reverse=True)[:LONGEST]},
        "functions_over_40": sum(length > 40 for length in lengths),
        "function_median": lengths[len(lengths) // 2],
        "function_90th": lengths[len(lengths) * 9 // 10],
    }


_TRACED = """
import json, os, random, statistics, sys
import antichain as ac

root = os.path.dirname(os.path.abspath(ac.__file__)) + os.sep
model = ac.posets.layered(2, 3, 3, seed=1, gaps="minimum:0.2")
place = {item: k for k, item in enumerate(model.items)}
rng = random.Random(0)
search = ac.UnchainedBandits(delta=0.1, decoy_gap=0.2).start(model.items, 0)

def answer(ask):
    gap = model.gaps[place[ask.left], place[ask.right]]
    if ask.decoy and gap > 0:
        gap = max(gap, 0.2)
    return ["left" if rng.random() < 0.5 + gap else "right" for _ in range(ask.duels)]

counts, seen = [], {}
files = set()

def trace(frame, event, argument):
    if not frame.f_code.co_filename.startswith(root):
        return None
    def inside(frame, event, argument):
        if event == "line":
            files.add(frame.f_code.co_filename)
        return inside
    return inside

while not search.finished:
    for ask in search.ask(1):
        answers = answer(ask)
        files.clear()
        sys.settrace(trace)
        search.tell(ask, answers)
        sys.settrace(None)
        names = sorted(f[len(root):] for f in files)
        counts.append(len(names))
        for name in names:
            seen[name] = seen.get(name, 0) + 1
tells = len(counts)
print(json.dumps({
    "tells": tells, "median": statistics.median_low(counts), "most": max(counts),
    "tells_by_files": {n: counts.count(n) for n in sorted(set(counts))},
    "in_half_of_all_tells": sorted(n for n, k in seen.items() if k * 2 >= tells),
    "in_any": {n: k for n, k in sorted(seen.items(), key=lambda x: -x[1])},
}))
"""


def tell_crosses(tree: Path) -> dict[str, Any]:
    """How many files one `tell` runs through."""
    script = f"import sys; sys.path.insert(0, {str(tree / 'src')!r})\n{_TRACED}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"tracing a run of {tree} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(tree: Path) -> dict[str, Any]:
    """All measures of a checkout."""
    modules = read(tree)
    plain = [module for module in modules.values() if not module.is_package]
    return {
        "lines": sum(module.lines for module in modules.values()),
        "modules": len(modules),
        "packages": len(modules) - len(plain),
        "private_modules": sum(
            any(part.startswith("_") for part in module.parts) for module in plain
        ),
        "public_names": public_names(modules),
        "imports_between_modules": sum(len(imports_of(m, modules)) for m in modules.values()),
        "median_lines": int(statistics.median(module.lines for module in plain)),
        "to_open": {name: files_to_open(name, modules) for name in CLASSES},
        "tell": tell_crosses(tree),
        "twice": names_twice(modules),
        "longest": longest(modules),
    }


def table(found: dict[str, Any]) -> str:
    """The measures in lines of text."""
    rows: list[tuple[str, object]] = [
        ("lines in src", f"{found['lines']:,}"),
        ("modules", f"{found['modules']} ({found['packages']} of them packages)"),
        ("median lines of a module", found["median_lines"]),
        ("private modules", found["private_modules"]),
        ("public functions and classes", found["public_names"]["functions_and_classes"]),
        ("public constants and aliases", found["public_names"]["constants_and_aliases"]),
        ("imports between modules", found["imports_between_modules"]),
    ]
    for name, opened in found["to_open"].items():
        if opened is None:
            rows.append((f"files to open for {name}", "not found"))
        else:
            rows.append(
                (
                    f"files to open for {name}",
                    f"{opened['files']} ({opened['files_with_plumbing']} with plumbing)",
                )
            )
    tell, twice, long = found["tell"], found["twice"], found["longest"]
    rows += [
        ("files a tell crosses", f"{tell['median']} (median), {tell['most']} (most)"),
        ("files in most tells", ", ".join(tell["in_half_of_all_tells"])),
        ("files in the fullest tells", ", ".join(tell["in_any"])),
        ("module names that occur twice", _listed(twice["modules"])),
        ("modules named like a package", ", ".join(twice["modules_like_packages"]) or "none"),
        ("class names that occur twice", _listed(twice["classes"])),
        ("modules over 400 lines", long["modules_over_400"]),
        ("longest modules", _listed(long["modules"])),
        ("functions over 40 lines", long["functions_over_40"]),
        ("longest functions", _listed(long["functions"])),
        (
            "lines of a function",
            f"{long['function_median']} (median), {long['function_90th']} (90%)",
        ),
    ]
    return "\n".join(f"{label:<36}{value}" for label, value in rows)


def _listed(names: dict[str, int]) -> str:
    inner = ", ".join(f"{name} {count}" for name, count in names.items())
    return f"{len(names)}: {inner}" if names else "none"


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.tree.resolve())
    if options.json:
        print(json.dumps(found, indent=1, sort_keys=True))
    else:
        print(table(found))


if __name__ == "__main__":
    main()
