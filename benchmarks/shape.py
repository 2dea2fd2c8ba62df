"""The shape of a checkout: lines, files, members, settings and constants, counted with `ast`.

    python -m benchmarks.shape [FOLDER]

Nothing is imported from the checkout, so any version can be counted.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

SHIPPED = ("graph", "nodes", "prompts", "stores", "src")

ENVIRONMENT = ("Settings", "OpenAISettings")
"""Classes that read the environment; in earlier versions their base `BaseSettings` shows it."""

_SETTINGS = re.compile(r"\w*(Settings|Limits|Config)")
_VARIABLE = re.compile(r"SECONDHOP_[A-Z0-9_]+")
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*")

Classes = Mapping[str, ast.ClassDef]


def shape(root: Path) -> dict[str, int]:
    """{what is counted: number} for the checkout at `root`. Commands are counted elsewhere."""
    shipped, tests = sources(root, *SHIPPED), sources(root, "tests")
    modules = [ast.parse(text) for text in shipped]
    classes = {
        node.name: node
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
    }
    settings = settings_fields(classes)
    return {
        "shipped_lines": sum(map(line_count, shipped)),
        "shipped_files": len(shipped),
        "test_lines": sum(map(line_count, tests)),
        "test_functions": sum(test_function_count(ast.parse(text)) for text in tests),
        "files_flat_in_nodes": len(list((root / "nodes").glob("*.py"))),
        "recall_members": len(public_members("Recall", classes)),
        "recall_open_parameters": parameter_count("open", classes.get("Recall")),
        "settings": sum(map(len, settings.values())),
        "settings_classes": len(settings),
        "environment_variables": len(environment_variables(modules, classes)),
        "numeric_constants": sum(map(numeric_constant_count, modules)),
    }


def sources(root: Path, *folders: str) -> list[str]:
    """The text of every Python file in these folders."""
    paths = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def line_count(text: str) -> int:
    """All lines: code, comments, docstrings and blank lines."""
    return len(text.splitlines())


def test_function_count(module: ast.Module) -> int:
    """Test functions and methods. A parametrised one counts once."""
    return sum(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for node in ast.walk(module)
    )


def public_members(name: str, classes: Classes) -> set[str]:
    """Methods, properties and attributes without a leading underscore, inherited ones included."""
    node = classes.get(name)
    if node is None:
        return set()
    own = {member for statement in node.body for member in names_bound(statement)}
    own |= {
        target.attr
        for target in ast.walk(node)
        if isinstance(target, ast.Attribute)
        and isinstance(target.ctx, ast.Store)
        and last_name(target.value) == "self"
    }
    inherited = [public_members(base, classes) for base in base_names(node) if base != name]
    return {member for member in own if not member.startswith("_")}.union(*inherited)


def names_bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement of a class or module defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case _:
            pass


def base_names(node: ast.ClassDef) -> list[str]:
    """Names of the base classes, without their modules and type arguments."""
    return [
        last_name(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases
    ]


def last_name(node: ast.expr) -> str:
    """`c` of `a.b.c`, or the name itself; "" for any other expression."""
    return str(getattr(node, "id", "") or getattr(node, "attr", ""))


def parameter_count(method: str, node: ast.ClassDef | None) -> int:
    """Parameters of a method, without `self` or `cls`; 0 if there is no such method."""
    for statement in node.body if node else ():
        if isinstance(statement, ast.FunctionDef) and statement.name == method:
            arguments = statement.args
            given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            return len([argument for argument in given if argument.arg not in {"self", "cls"}])
    return 0


def settings_fields(classes: Classes) -> dict[str, set[str]]:
    """{settings class: its fields}. A class that reads the environment is not one of them.

    A settings class is a dataclass or pydantic model whose name ends in Settings, Limits or
    Config, or the type of a field of such a class. A field that holds another settings class is
    not counted, but the fields of that class are.
    """
    waiting = [name for name in classes if _SETTINGS.fullmatch(name)]
    found: dict[str, set[str]] = {}
    while waiting:
        name = waiting.pop()
        if name in found or not holds_fields(classes[name]) or reads_environment(classes[name]):
            continue
        fields = fields_of(classes[name])
        groups = {
            field: group
            for field, annotation in fields.items()
            if (group := group_of(annotation, classes))
        }
        found[name] = fields.keys() - groups.keys()
        waiting.extend(groups.values())
    return found


def holds_fields(node: ast.ClassDef) -> bool:
    """Whether it is a dataclass or a pydantic model."""
    return "dataclass" in {
        last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        for decorator in node.decorator_list
    } or any("Model" in base or "Settings" in base for base in base_names(node))


def reads_environment(node: ast.ClassDef) -> bool:
    """Whether environment variables fill its fields."""
    return node.name in ENVIRONMENT or "BaseSettings" in base_names(node)


def fields_of(node: ast.ClassDef) -> dict[str, ast.expr]:
    """{field: its annotation}, without class variables."""
    return {
        statement.target.id: statement.annotation
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and "ClassVar" not in ast.unparse(statement.annotation)
    }


def group_of(annotation: ast.expr, classes: Classes) -> str:
    """The class in `classes` that a field holds, even if optional; "" if there is none."""
    named = [last_name(node) for node in ast.walk(annotation) if isinstance(node, ast.expr)]
    held = [name for name in named if name in classes and holds_fields(classes[name])]
    return held[0] if held else ""


def environment_variables(modules: Sequence[ast.Module], classes: Classes) -> set[str]:
    """Fields of the classes that read the environment, and `SECONDHOP_...` names in the code."""
    fields = {
        f"{name}.{field}"
        for name, node in classes.items()
        if reads_environment(node)
        for field in fields_of(node)
        if field != "model_config"
    }
    return fields | {
        node.value
        for module in modules
        for node in ast.walk(module)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _VARIABLE.fullmatch(node.value)
    }


def numeric_constant_count(module: ast.Module) -> int:
    """How many upper-case names the module assigns a number to."""
    return sum(
        bool(_CONSTANT.fullmatch(name))
        for statement in module.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and statement.value is not None
        and is_number(statement.value)
        for name in names_bound(statement)
    )


def is_number(value: ast.expr) -> bool:
    """Whether it is a number, or arithmetic with numbers only."""
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case _:
            return False


if __name__ == "__main__":
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    sys.stdout.write(json.dumps(shape(root), indent=2) + "\n")
