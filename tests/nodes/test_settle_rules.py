"""When a session's answer would hardly change any more: each rule, and where it ends."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from tests.nodes.cast_votes import by_voter, vote

from secondhop.nodes.session_state import SessionState
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.settle_rules import settled
from secondhop.nodes.state import VoteName

SETTINGS = RankingSettings(stable_jaccard=0.8)


def asked(
    *shown: Sequence[str], votes: Sequence[Mapping[str, VoteName]] = (), by: str = "person"
) -> SessionState:
    """What rounds showed so far, and the votes on each."""
    cast_votes = [
        vote(memory_id, name, by=by, round_number=number)
        for number, ballot in enumerate(votes, start=1)
        for memory_id, name in ballot.items()
    ]
    state: dict[str, Any] = {
        "round": len(shown) + 1,
        "shown": {str(number): dict.fromkeys(ids, "") for number, ids in enumerate(shown, 1)},
        "votes": by_voter(cast_votes),
    }
    return cast(SessionState, state)


def converged(state: SessionState, *shown: str) -> tuple[bool, str]:
    return settled(state, shown, settings=SETTINGS)


def test_the_first_answer_is_never_the_last_word() -> None:
    assert converged(asked(), "a", "b") == (False, "2 of 2 memories are new")


def test_an_answer_of_nothing_has_converged_because_nothing_is_near() -> None:
    assert converged(asked()) == (True, "nothing stored is near enough to the question")


def test_it_has_converged_when_nothing_is_new_and_not_while_one_memory_is() -> None:
    before = asked(["a", "b"], ["c"], votes=[{"a": "hot"}, {"c": "warm"}])

    done, why = converged(before, "a", "c", "b")

    assert (done, why) == (True, "the last round brought nothing that was not shown before")
    assert converged(before, "a", "c", "d") == (False, "1 of 3 memories are new")


def test_it_has_converged_when_the_votes_of_two_rounds_agree_though_something_is_new() -> None:
    agreeing = asked(["a", "b"], ["a", "c"], votes=[{"a": "hot"}, {"c": "cold"}])
    undecided = asked(["a", "b"], ["a", "c"], votes=[{"a": "hot"}, {"c": "warm"}])
    only_once = asked(["a", "b"], votes=[{"a": "hot"}])

    done, why = converged(agreeing, "a", "d")

    assert (done, why) == (True, "the votes of two rounds agree: what is good was found")
    assert converged(undecided, "a", "d") == (False, "1 of 2 memories are new")
    assert converged(only_once, "a", "d") == (False, "1 of 2 memories are new")


def test_votes_agree_from_four_fifths_in_common_on() -> None:
    """4 of 5 agree, 3 of 4 do not: Jaccard 0.8 and 0.75."""
    four: dict[str, VoteName] = dict.fromkeys("abcd", "hot")
    three: dict[str, VoteName] = dict.fromkeys("abc", "hot")

    assert converged(asked("abcd", "e", votes=[four, {"e": "warm"}]), "z")[0]
    assert not converged(asked("abc", "e", votes=[three, {"e": "warm"}]), "z")[0]


def test_the_critic_agreeing_with_itself_settles_nothing() -> None:
    before = asked(["a"], ["b"], votes=[{"a": "hot"}, {"b": "cold"}], by="critic")

    assert converged(before, "a", "c") == (False, "1 of 2 memories are new")
