"""Opens a `Recall` from options and environment."""

import asyncio
import os
from collections.abc import AsyncGenerator, Coroutine, Generator, Mapping
from contextlib import aclosing, asynccontextmanager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from secondhop.cli.options import Common
from secondhop.errors import UnknownEntityError, UsageError
from secondhop.models.choose_embedder import make_embedder
from secondhop.models.choose_llm import OFFLINE, llm_spec
from secondhop.models.openai_client import api_key_of
from secondhop.models.tokens import prepare_tokens
from secondhop.settings import load_settings
from secondhop.stores.store_address import shown_store

if TYPE_CHECKING:
    from secondhop.annotate.settings import AnnotateSettings
    from secondhop.ingest.run import IngestProgress
    from secondhop.models.embedder import Embedder
    from secondhop.models.llm import StructuredLLM
    from secondhop.nodes.config import Config
    from secondhop.nodes.selection.scale import ModelScale
    from secondhop.prompts.templates import Prompt, PromptSource
    from secondhop.recall import Recall
    from secondhop.recall_pool import RecallPool
    from secondhop.stores.store_directory import StoreDirectory

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work in a new event loop; Ctrl-C cancels it cleanly."""
    return asyncio.run(work)


@asynccontextmanager
async def opened(
    common: Common,
    *,
    entity: str | None = None,
    embedder: "Embedder | None" = None,
    counting: bool = False,
    prompts: "PromptSource | None" = None,
    settings: "Config | None" = None,
    llm: "StructuredLLM | None" = None,
    scale: "ModelScale | None" = None,
    mending: bool = False,
    annotate: "AnnotateSettings | bool" = False,
) -> AsyncGenerator["Recall", None]:
    """The `Recall` of the chosen store and entity, closed at the end.

    Args:
        entity: instead of the one in the options.
        embedder: instead of the one in the options.
        counting: tokens will be counted, so fetch a missing token file now (or raise, if offline).
        prompts: instead of those in the options.
        settings: instead of those of `settings_of`.
        llm: instead of the one in the options; it is not closed.
        scale: instead of the file in the options.
        mending: open the store even if vectors are missing.
        annotate: how cues are written, and whether in the background while it is open.
    """
    from secondhop.recall import Recall

    environment = load_settings()
    model = llm or chosen_spec(common)
    if counting or model is not None:  # the tokens of prompts are counted, too
        prepare_tokens(cache_dir=environment.model_dir, offline=environment.offline)
    async with await Recall.aopen(
        store_of(common),
        entity=entity or entity_of(common),
        embedder=embedder or chosen_embedder(common),
        llm=model,
        prompts=prompts or common.prompts or environment.prompts,
        chroma_url=server_of(common),
        config=settings or settings_of(common),
        sessions=common.sessions or environment.sessions,
        prices=environment.prices,
        scale=scale or common.scale or environment.scale,
        mending=mending,
        annotate=annotate,
    ) as recall:
        try:
            yield recall
        except UnknownEntityError as error:
            others = await entities_of(common, filled=True)
            raise UnknownEntityError(error.entity, store=error.store, others=others) from error


async def entities_of(common: Common, *, filled: bool) -> list[str]:
    """The entities of the chosen store; `filled`: only those with memories."""
    async with aclosing(directory_of(common)) as home:
        return await asyncio.to_thread(home.entities, filled=filled)


def pool_of(common: Common, *, embedder: "Embedder | None" = None) -> "RecallPool":
    """A pool that serves all entities of the chosen store; `embedder` replaces the chosen one."""
    from secondhop.recall_pool import RecallPool

    environment = load_settings()
    prepare_tokens(cache_dir=environment.model_dir, offline=environment.offline)
    return RecallPool(
        store_of(common),
        embedder=embedder or chosen_embedder(common),
        llm=chosen_spec(common),
        prompts=common.prompts or environment.prompts,
        chroma_url=server_of(common),
        config=settings_of(common),
        sessions=common.sessions or environment.sessions,
        prices=environment.prices,
        scale=common.scale or environment.scale,
    )


def settings_of(common: Common) -> "Config":
    """The library's settings, changed by settings files, `--set` and the deadline option."""
    from secondhop.nodes.config import Config

    settings, environment = Config(), load_settings()
    files = [str(environment.settings)] if environment.settings else []
    if said := [*files, *(common.settings or ())]:
        from secondhop.evals.setting_files import changed_settings, settings_said

        settings = changed_settings(settings_said(said))
    deadline_s = common.deadline or environment.deadline
    if deadline_s is None:
        return settings
    try:
        return replace(settings, limits=replace(settings.limits, deadline_s=deadline_s))
    except ValueError as error:
        raise UsageError(f"--deadline {deadline_s:g}: {error}") from error


def untraced(settings: "Config") -> "Config":
    """These settings, but keeping no traces: those of an evaluation would take the place of those
    of the user's own recalls."""
    return replace(settings, traces=replace(settings.traces, max_count=0))


async def expect_sessions(common: Common) -> None:
    """If sessions are kept on a server, check at start that it answers."""
    from secondhop.sessions.stores import chosen_sessions

    store = chosen_sessions(common.sessions or load_settings().sessions)
    if store is not None:
        async with aclosing(store):
            await store.load("none", owner="none")


async def expect_memories(recall: "Recall", common: Common) -> None:
    """Raises UnknownEntityError if nothing is stored for the entity in the options."""
    if not (await recall.memories.acounts()).memories:
        raise unknown_entity(common)


def unknown_entity(common: Common) -> UnknownEntityError:
    """The error for an entity in the options for which nothing is stored."""
    return UnknownEntityError(entity_of(common), store=shown_store(store_of(common)))


async def rebuild(
    common: Common, *, progress: "IngestProgress | None", dry_run: bool = False
) -> dict[str, int]:
    """Embed the entity in the options again, or all of the store; {entity: number of passages}.

    `dry_run`: count the passages only; nothing is embedded or written.
    """
    from secondhop.memories.reindex import passages_to_embed, reindex_entity

    async with aclosing(directory_of(common)) as home:
        known = await asyncio.to_thread(home.entities)
        named = named_entity(common)
        entities = [named] if named else known
        if not known or not set(entities) <= set(known):
            raise UnknownEntityError(entity_of(common), store=home.name, others=known)
        if dry_run:
            return {entity: await passages_to_embed(home, entity) for entity in entities}
        embedder = chosen_embedder(common)
        return {
            entity: await reindex_entity(home, entity, embedder=embedder, progress=progress)
            for entity in entities
        }


def entity_of(common: Common) -> str:
    """Whose memory it is."""
    return common.entity or load_settings().entity


def named_entity(common: Common) -> str | None:
    """The entity that an option or the environment names, for a command that works on all."""
    settings = load_settings()
    return common.entity or (settings.entity if "entity" in settings.model_fields_set else None)


def store_of(common: Common) -> str | Path:
    """The store's folder, or the address of its database."""
    return common.store or load_settings().store


def server_of(common: Common) -> str | None:
    """URL of the Chroma server that holds the vectors; None without one. The option "" means none,
    whatever the environment says."""
    return (load_settings().chroma if common.chroma is None else common.chroma) or None


def directory_of(common: Common) -> "StoreDirectory":
    """The chosen store, with all its entities."""
    from secondhop.stores.store_directory import StoreDirectory

    return StoreDirectory(store_of(common), chroma_url=server_of(common))


def chosen_embedder(common: Common) -> "Embedder":
    """The embedder that the options or the environment name; it is loaded at first use."""
    settings = load_settings()
    return make_embedder(
        common.embedder or settings.embedder,
        cache_dir=settings.model_dir,
        offline=settings.offline,
    )


@contextmanager
def kept_embeddings(common: Common) -> Generator["Embedder", None, None]:
    """The chosen embedder, with the vectors of evaluations and demos cached for this user."""
    from secondhop.models.embedding_cache import CachingEmbedder

    kept = CachingEmbedder(chosen_embedder(common), cache_folder() / "eval" / "embeddings.db")
    with closing(kept) as embedder:
        yield embedder


@contextmanager
def throwaway(common: Common) -> Generator[Common, None, None]:
    """The options if they name a store; otherwise with a temporary one in a folder."""
    if common.store is not None:
        yield common
        return
    if common.chroma:
        raise UsageError("--chroma needs --store here: data on a server is not temporary")
    with TemporaryDirectory(prefix="secondhop-", ignore_cleanup_errors=True) as folder:
        yield replace(common, store=Path(folder), chroma="")


def cache_folder() -> Path:
    """The user's cache folder, for files that can be made again."""
    from platformdirs import user_cache_path

    return user_cache_path("secondhop", appauthor=False)


def chosen_spec(common: Common) -> str | None:
    """Spec of the language model that the options or the environment name; None without one."""
    said = common.llm or load_settings().llm
    if said == OFFLINE:
        return None
    model = os.environ.get("OPENAI_MODEL")
    return llm_spec(said, openai_model=model, openai_key=api_key_of(None) is not None)


def named_llm(common: Common) -> str:
    """Spec of the language model that the options or the environment name."""
    spec = chosen_spec(common)
    if spec is None:
        raise UsageError(
            "this needs a language model, and none is named; name one: --llm openai:MODEL (or "
            "SECONDHOP_LLM, or OPENAI_MODEL), with OPENAI_API_KEY, and OPENAI_BASE_URL where "
            "the model is not OpenAI's own"
        )
    return spec


def prompts_in_force(common: Common) -> "Mapping[str, Prompt]":
    """{name: prompt}, from the prompts folder in options or environment if it has one, otherwise as
    shipped.
    """
    from secondhop.prompts.templates import load_prompts

    return load_prompts(common.prompts or load_settings().prompts)
