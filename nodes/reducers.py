"""Applies a node's update to a state outside the graph, with the graph's reducers."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from secondhop.nodes.state import RecallState


def taken_in(state: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """The state after the update.

    >>> taken_in({"queries": {"q0": 1}, "round": 1}, {"queries": {}, "round": 2})
    {'queries': {'q0': 1}, 'round': 2}
    """
    reduced = {
        key: REDUCERS[key](state.get(key, {}), update[key])
        for key in REDUCERS.keys() & update.keys()
    }
    return {**state, **update, **reduced}


REDUCERS: Mapping[str, Callable[[Any, Any], Any]] = {
    key: get_args(hint)[1]
    for key, hint in get_type_hints(RecallState, include_extras=True).items()
    if get_origin(hint) is Annotated
}
