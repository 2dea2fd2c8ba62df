"""Follow-up questions are searched with what was asked before."""

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from tests.small_world import QUESTION, SmallWorld, ask

from secondhop.errors import UsageError
from secondhop.graph.builder import build_recall_graph
from secondhop.nodes.planning.follow_up import with_subject
from secondhop.nodes.state import RecallInput


async def test_a_follow_up_finds_what_the_question_before_it_is_about(world: SmallWorld) -> None:
    services = world.services()
    alone = await ask(services, "And the other one?")
    after = await ask(
        services, "And the other one?", earlier=["Hello!", QUESTION, "Anything else?"]
    )

    assert "research-1" not in alone.result.ids()
    assert {"research-1", "research-2"} & set(after.result.ids())
    assert after.result.question == f"{QUESTION}\nAnd the other one?"


@pytest.mark.parametrize(
    "question",
    ["When does the Lisbon flight leave?", "Where is the market?", "Thanks!", "👍"],
)
def test_a_subject_of_its_own_and_small_talk_stay_alone(question: str) -> None:
    assert with_subject(question, [QUESTION]) == question


@pytest.mark.parametrize(
    "question",
    ["why", "Could you put that in a short list, please?", "Didn't we do it differently?"],
)
def test_words_about_the_answer_are_no_subject(question: str) -> None:
    assert with_subject(question, [QUESTION]) == f"{QUESTION}\n{question}"


def test_the_last_question_counts_if_none_has_a_subject() -> None:
    assert with_subject("Why?", ["Is it well?", "And Ann?"]) == "And Ann?\nWhy?"
    assert with_subject("Why?", []) == "Why?"


def test_who_was_named_since_counts() -> None:
    earlier = ["How is school going for Mia?", "Thanks!", "And Jonas?", "Why?"]
    found = with_subject("What about his sport?", earlier)
    asked_of_jonas = "How is school going for Jonas?"
    assert found.splitlines() == [asked_of_jonas, "And Jonas?", "What about his sport?"]


@pytest.mark.parametrize(
    ("earlier", "question", "searched"),
    [
        ("When can Ana go?", "And when can Ben?", "When can Ben go?"),
        ("What could I get for Ana?", "And for Ben?", "What could I get for Ben?"),
        ("What could I give Ana?", "And Ben?", "What could I give Ben?"),
        ("Where did Ana sleep in Porto?", "And in Lisbon?", "Where did Ana sleep in Lisbon?"),
        ("Plan my trip to Lisbon", "What about Porto?", "Plan my trip to Porto"),
    ],
)
def test_a_follow_up_about_somebody_else_asks_the_same_of_them(
    earlier: str, question: str, searched: str
) -> None:
    assert with_subject(question, [earlier]) == f"{searched}\n{question}"


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("Plan a birthday for Ana", "And what should Ben bring?"),
        ("What does Ana like to eat?", "And in Lisbon?"),
        ("What does Ana like to eat?", "And at Christmas?"),
        ("What does Ana like to eat?", "So what, OK?"),
        ("Does the TV break often?", "And Ben?"),
        ("When does Dr. Peeters see patients?", "And Ben?"),
        ("What does Ana think about Lisbon?", "And Ben?"),
        ("When does Ana meet Ben?", "And when does Ben?"),
        ("Prepare my Carefeed talk", "Can you turn this into a message to Ben?"),
    ],
)
def test_names_stay_if_it_is_not_clear_whose_place_another_takes(
    earlier: str, question: str
) -> None:
    assert with_subject(question, [earlier]) == f"{earlier}\n{question}"


@pytest.mark.parametrize(
    ("question", "earlier", "note"),
    [
        ("Why?", [QUESTION], "with an earlier question"),
        ("Where is the market?", [QUESTION], "the earlier questions do not count"),
        ("Why?", ["", " "], "characters, effort"),
    ],
)
async def test_the_trace_says_whether_the_earlier_questions_counted(
    world: SmallWorld, question: str, earlier: list[str], note: str
) -> None:
    trace = (await ask(world.services(), question, earlier=earlier)).trace

    assert note in trace.steps[0].note


@pytest.mark.parametrize("earlier", [QUESTION, 5, {"a": "b"}, [1]])
async def test_what_is_no_list_of_texts_is_refused(world: SmallWorld, earlier: object) -> None:
    with pytest.raises(UsageError, match="earlier must be a list of texts"):
        await ask(world.services(), "Why?", earlier=earlier)


async def test_characters_that_no_file_holds_do_not_get_in(world: SmallWorld) -> None:
    answer = await ask(world.services(), "Why?", earlier=["a trip \ud800 to\x00 Lisbon", " "])

    assert answer.result.question == "a trip \ufffd to Lisbon\nWhy?"


async def test_the_next_turn_of_a_thread_is_asked_alone(world: SmallWorld) -> None:
    graph = build_recall_graph(world.services(), InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    asked: RecallInput = {"question": "Why?", "earlier": [QUESTION]}

    assert (await graph.ainvoke(asked, thread))["result"]["question"] == f"{QUESTION}\nWhy?"
    assert (await graph.ainvoke({"question": "Why?"}, thread))["result"]["question"] == "Why?"
