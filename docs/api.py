"""The pages of the API: one for each public module, written from its source at each build."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

PACKAGES = ("spatial_game", "spatial_agents")
NOT_LINKED = re.compile("[a-z]+|[A-Z]+|rgb_array")
HIDDEN = (".cli", ".__main__", "._", ".pretrained")
"""Parts of the names of modules that have no page; the help of the commands documents `cli`."""


@dataclass(frozen=True)
class Module:
    """A public module, as its source describes it."""

    name: str
    summary: str
    """The first line of its docstring."""
    names: Mapping[str, str]
    """The public names that it defines, each with the first line of its docstring."""
    offered: dict[str, str]
    """The names in its `__all__` that it imports, each with its full name."""
    aliases: list[str]
    """The names that it gives to types."""
    children: list[str] = field(default_factory=list)

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"api/{self.name}.md"


# --- Reading the source ---------------------------------------------------------------------------------


@cache
def modules() -> dict[str, Module]:
    """All public modules by name; a package comes before its modules."""
    found = {}
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        root = Path(spec.origin).parent
        for path in sorted(root.rglob("*.py")):
            name = ".".join((package, *path.relative_to(root).with_suffix("").parts)).removesuffix(
                ".__init__"
            )
            if not any(part in name for part in HIDDEN):
                found[name] = read(name, ast.parse(path.read_text("utf-8")))
    for name in sorted(found):
        parent = name.rpartition(".")[0]
        if parent in found:
            found[parent].children.append(name)
    for module in found.values():
        module.offered.update({name: home(full, found) for name, full in module.offered.items()})
    return found


def home(full: str, found: Mapping[str, Module]) -> str:
    """The full name under which something is defined; `full` may be a name that a package offers again."""
    package, _, name = full.rpartition(".")
    again = found[package].offered.get(name) if package in found else None
    return home(again, found) if again else full


def read(name: str, tree: ast.Module) -> Module:
    """What a module's syntax tree says of it."""
    imported, offered, names = {}, [], {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for defined, node, docstring in definitions(tree):
        if defined == "__all__":
            offered = ast.literal_eval(node)
        elif docstring and not defined.startswith("_"):
            names[defined] = first_line(docstring)
    elsewhere = {each: imported[each] for each in offered if each in imported}
    aliases = [
        defined for defined, node, _ in definitions(tree) if isinstance(node, (ast.Subscript, ast.BinOp))
    ]
    return Module(name, first_line(ast.get_docstring(tree) or ""), names, elsewhere, aliases)


def definitions(tree: ast.Module) -> Iterator[tuple[str, Any, str]]:
    """The classes, functions and constants at the top of a module: name, node or value, docstring."""
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, node, ast.get_docstring(node) or ""
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                stated = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                yield target.id, node.value, str(after.value.value) if stated else ""


def first_line(docstring: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(docstring.split("\n\n")[0].split())


@cache
def names() -> dict[str, str]:
    """All public names in full, each with the first line of its docstring."""
    return {f"{m.name}.{name}": line for m in modules().values() for name, line in m.names.items()}


@cache
def targets() -> dict[str, str]:
    """What text in `code` links to: modules, full names, and short names that only one module defines."""
    found = {name: name for name in (*modules(), *names())}
    for module in modules().values():
        found |= {f"{module.name}.{name}": home for name, home in module.offered.items()}
    short = [(full.split(".")[-1], full) for full in names()]
    short += [(".".join(full.split(".")[-2:]), full) for full in names()]
    times = Counter(name for name, _ in short)
    # A plain word such as `count` can also be a column, and `rgb_array` a mode: they are not linked.
    return found | {name: full for name, full in short if times[name] == 1 and not NOT_LINKED.fullmatch(name)}


@cache
def type_aliases() -> dict[str, str]:
    """Names of types that signatures show as they are written, such as `IntArray`."""
    aliases = {name: name for module in modules().values() for name in module.aliases}
    return aliases | {"npt.ArrayLike": "ArrayLike"}


# --- Writing the pages ----------------------------------------------------------------------------------


def pages() -> dict[str, str]:
    """The index of the API and the page of each module, by the names of their files."""
    return {"api.md": index(), **{module.page: page(module) for module in modules().values()}}


def index() -> str:
    """The first page: the names that most programs need, then all modules."""
    parts = [
        "# The API\n",
        "Most programs need only the names in this table. Import them from the package that is named.\n",
        "| Package | Names |\n|---|---|",
    ]
    for module in modules().values():
        if module.offered:
            names = ", ".join(link(name, home) for name, home in sorted(module.offered.items()))
            parts.append(f"| {link(module.name, module.name)} | {names} |")
    parts.append("\n## All modules\n")
    for package in PACKAGES:
        parts += [f"- {link(package, package)}: {modules()[package].summary}", *tree(package, "  ")]
    return "\n".join([*parts, "", toctree(PACKAGES, "api/"), ""])


def tree(package: str, indent: str) -> list[str]:
    """The modules of a package as a nested list."""
    lines = []
    for name in modules()[package].children:
        summary = modules()[name].summary
        lines += [f"{indent}- {link(name.rpartition('.')[2], name)}: {summary}", *tree(name, indent + "  ")]
    return lines


def page(module: Module) -> str:
    """A module's page: its docstring, its names, its modules, then each name in full."""
    parts = [f"# {module.name}\n", f"```{{eval-rst}}\n.. automodule:: {module.name}\n```\n"]
    if module.children:
        parts.append(toctree(module.children, ""))
    return "\n".join(parts)


def link(text: str, target: str) -> str:
    """A link in Markdown to a name of the API."""
    return f"{{py:obj}}`{text} <{target}>`"


def toctree(names: Any, folder: str) -> str:
    """The entries of the sidebar for these modules, under their short names."""
    entries = "\n".join(f"{name.rpartition('.')[2]} <{folder}{name}>" for name in names)
    return f"```{{toctree}}\n:hidden:\n\n{entries}\n```"


# --- While Sphinx reads docstrings ----------------------------------------------------------------------


def list_of_names(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Add to a module's docstring the list of its modules and names, for whoever looks for one."""
    if what != "module" or name not in modules():
        return
    module = modules()[name]
    rows = {child: modules()[child].summary for child in module.children}
    rows |= {f"{name}.{each}": summary for each, summary in module.names.items()}
    rows |= {home: names().get(home, "") for home in module.offered.values()}
    if len(rows) > 1:
        lines += ["", ".. list-table::", "   :class: names", ""]
        for full, summary in rows.items():
            lines += list_row([f":py:obj:`{full.rpartition('.')[2]} <{full}>`", summary])
        lines.append("")


def plain_signature(*event: Any) -> tuple[Any, ...]:
    """Write the names of types in a signature as they are in the source."""
    names = re.compile(r"TypeAliasForwardRef\('([\w.]+)'\)")
    return tuple(text and names.sub(r"\1", text) for text in event[-2:])  # arguments, returned


def code_in_docstring(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Mark the indented blocks of a docstring as code."""
    text: list[str] = []
    before = ""  # the last line that is not empty
    for line in lines:
        begins = line.startswith("    ") and text and not text[-1]
        if begins and before and not before.startswith((" ", "-", "*")) and not before.endswith("::"):
            text += ["::", ""]
        text.append(line)
        before = line or before
    lines[:] = text


def tables_in_docstring(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Turn the Markdown tables of a docstring into those of reStructuredText."""
    text: list[str] = []
    for i, line in enumerate(lines):
        if not line.startswith("|"):
            text.append(line)
        elif i and lines[i - 1].startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            text += [] if set(line) <= set("|-: ") else list_row(cells)
        else:
            heading = [cell.strip() for cell in line.strip("|").split(" | ")]
            text += ["", ".. list-table::", "   :header-rows: 1", "", *list_row(heading)]
    lines[:] = text


def list_row(cells: list[str]) -> list[str]:
    """A row of a list-table."""
    return [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(cells)]


class LinkNames(SphinxTransform):
    """Link each `code` that is a name of the API to its page."""

    default_priority = 400

    def apply(self) -> None:
        """Replace the literals of a page by references around them."""
        skipped = (nodes.title, nodes.reference, addnodes.pending_xref, addnodes.desc_signature)
        for literal in list(self.document.findall(nodes.literal)):
            found = re.fullmatch(r"([\w.]+)(\(.*\))?", literal.astext())
            target = targets().get(found[1]) if found else None
            if target and not any(isinstance(parent, skipped) for parent in ancestors(literal)):
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=target, refexplicit=True, refwarn=False
                )
                literal.replace_self(link)
                link += literal


def ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    """The nodes around a node, the nearest first."""
    while node.parent is not None:
        node = node.parent
        yield node


def undocumented(objects: Mapping[str, Any]) -> list[str]:
    """The public names that are not among the objects of the built API."""
    return [name for name in names() if name not in objects]
