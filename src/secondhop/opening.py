"""Opens the parts of a `Recall`: store, models, services."""

import logging
import os
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from platformdirs import user_cache_path

from secondhop.annotate.settings import AnnotateSettings, request_seconds
from secondhop.deprecated import with_old_arguments
from secondhop.errors import UsageError
from secondhop.given_values import check_id
from secondhop.models.choose_embedder import chosen_embedder
from secondhop.models.choose_llm import chosen_llm
from secondhop.models.embedder import Embedder, HoldsConnections
from secondhop.models.embedding_cache import CachingEmbedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import PriceTable, load_prices, price_of
from secondhop.models.reranker import Reranker
from secondhop.nodes.config import Config
from secondhop.nodes.critics.port import Critic
from secondhop.nodes.planning.port import Planner
from secondhop.nodes.selection.scale import ModelScale
from secondhop.nodes.selection.scale_file import chosen_scale
from secondhop.nodes.services import Services
from secondhop.prompts.library import shipped_intents
from secondhop.prompts.templates import PromptSource, load_prompts
from secondhop.ranking.keyphrases import topic_names
from secondhop.sessions.stores import chosen_sessions
from secondhop.shared_playbooks import SharedPlaybooks, shared_playbooks
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.open_files import files_left
from secondhop.stores.sessions import SessionStore
from secondhop.stores.store_directory import StoreDirectory
from secondhop.stores.vectors.chroma_database import UnfinishedIndexError
from secondhop.wording import shown

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel

DEFAULT_STORE = Path(".secondhop")

logger = logging.getLogger(__name__)


class OpenOptions(TypedDict, total=False):
    """Rarely used arguments of `Recall.open`, all by name."""

    reranker: Reranker | None
    """Scores question and passage together; default none."""
    sessions: str | SessionStore | None
    """Where recalls that wait for votes are kept: the address of a Redis server, or a store of
    your own; default beside the entity's memories."""
    prices: str | Path | None
    """A YAML file of model prices; they override those that ship with secondhop."""
    scale: str | Path | ModelScale | None
    """The scale of the embedding model's cosines: a file that `secondhop eval calibrate` wrote for
    this model; default the built-in scale (docs/evaluate.md)."""
    caches: str | Path | None
    """The folder of the embedding cache; default the entity's folder."""
    annotate: bool | AnnotateSettings
    """How an open `Recall` with a model annotates new memories by itself; False: only on request
    (docs/cues.md)."""
    mending: bool
    """Open the entity even if vectors are missing, to repair it with
    `recall.admin.doctor(fix=True)`."""


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedder of one entity with its cache, and the playbooks."""

    owned: Sequence[object]
    """Models that we made, so `aclose` closes their connections."""
    entity: CachingEmbedder
    library: SharedPlaybooks

    async def aclose(self) -> None:
        """Close the cache files, and the connections of the models that we made."""
        async with closing_connections(self.owned) as closing:
            closing.callback(self.library.close)
            closing.callback(self.entity.close)


def closing_connections(models: Iterable[object]) -> AsyncExitStack:
    """A block that ends by closing the models' connections, all of them even if one fails."""
    closing = AsyncExitStack()
    for model in models:
        if isinstance(model, HoldsConnections):
            closing.push_async_callback(model.aclose)
    return closing


def cached_embedders(
    base: Embedder,
    *,
    entity_cache: Path,
    owned: Sequence[object] = (),
) -> Embedders:
    """One cache per entity, so that no vector of its texts lies in another entity's file.

    Playbooks are not private, so all stores of this user share one cache for them.
    """
    own = CachingEmbedder(base, entity_cache, of_entity=True)
    shared = user_cache_path("secondhop", appauthor=False) / "playbooks.db"
    library = shared_playbooks(base, shared, intents=shipped_intents())
    return Embedders(owned, own, library)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a `Recall` is made of."""

    home: StoreDirectory
    store: EntityStore
    embedders: Embedders
    services: Services
    sessions: SessionStore
    counters: CounterStore
    llm: StructuredLLM | None
    prompts: PromptSource | None
    prices: PriceTable
    annotate: AnnotateSettings


async def open_parts(
    path: str | Path | None,
    *,
    entity: str,
    embedder: "str | Embedder | Embeddings",
    llm: "str | StructuredLLM | BaseChatModel | None",
    chroma_url: str | None,
    config: Config | None,
    prompts: PromptSource | None,
    options: OpenOptions,
) -> Parts:
    """See `Recall.aopen`."""
    config, prompts = checked(config, prompts, options, caller="Recall.open")
    if path == "":
        raise UsageError("the store is '': name a folder, or leave it out for the default one")
    if not isinstance(path, str | os.PathLike | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"the store must be text (str) or a Path, not {shown(path)}")
    check_id(entity, name="the name of the entity")
    if entity == "*":
        raise UsageError("no entity can be named '*': a token for '*' opens every entity")
    sessions, own_prices = chosen_sessions(options.get("sessions")), options.get("prices")
    config = config or Config()
    deadline_s = config.limits.deadline_s
    annotate = AnnotateSettings.given(options.get("annotate", True), deadline_s=deadline_s)
    model = chosen_llm(llm, deadline_s=request_seconds(deadline_s))
    prices: PriceTable = {}
    if model is not None or own_prices is not None:
        prices = load_prices(own_prices)
    base = await chosen_embedder(embedder)
    owned = [part for given, part in ((embedder, base), (llm, model)) if isinstance(given, str)]
    async with closing_connections(owned) as opened:
        scale = chosen_scale(options.get("scale"), model_id=base.model_id)
        home = StoreDirectory(path if path is not None else DEFAULT_STORE, chroma_url=chroma_url)
        opened.push_async_callback(home.aclose)
        mending = options.get("mending", False)
        with files_left():
            store = await open_entity(home, entity, embedder=base, mending=mending)
        opened.push_async_callback(store.aclose)
        folder = home.path / "entities" / entity_slug(entity)
        embedders = cached_embedders(
            base,
            entity_cache=Path(options.get("caches") or folder) / "embeddings.db",
            owned=owned,
        )
        services = services_of(
            store,
            embedders,
            entity=entity,
            settings=config,
            reranker=options.get("reranker"),
            llm=model,
            prompts=prompts,
            prices=prices,
            scale=scale,
        )
        parts = Parts(
            home=home,
            store=store,
            embedders=embedders,
            services=services,
            sessions=sessions or home.place.sessions(entity),
            counters=home.place.counters(entity),
            llm=model,
            prompts=prompts,
            prices=prices,
            annotate=annotate,
        )
        opened.pop_all()  # now `Recall.aclose` closes them
    return parts


def checked(
    config: Config | None, prompts: PromptSource | None, options: OpenOptions, *, caller: str
) -> tuple[Config | None, PromptSource | None]:
    """The config, with deprecated options in it, and the prompts, read even if no model will.
    Raises TypeError for an unknown option; UsageError if `config` is no `Config`, or a prompt
    file is faulty."""
    config = with_old_arguments(cast(dict[str, Any], options), config)
    if unknown := sorted(options.keys() - OpenOptions.__annotations__.keys()):
        raise TypeError(f"{caller}() has no argument {unknown[0]!r}")
    if config is not None and not isinstance(cast(object, config), Config):
        raise UsageError(f"config must be a secondhop Config, not {shown(config)}")
    if prompts is not None:
        prompts = load_prompts(prompts)
    return config, prompts


def services_of(
    store: EntityStore,
    embedders: Embedders,
    *,
    entity: str,
    settings: Config,
    reranker: Reranker | None,
    llm: StructuredLLM | None,
    prompts: PromptSource | None,
    prices: PriceTable,
    scale: ModelScale,
) -> Services:
    """The services of one entity's recall graph; without an LLM it has no planner and no critic."""
    planner: Planner | None = None
    critic: Critic | None = None
    if llm is not None:
        from secondhop.nodes.llm_services import llm_services

        planner, critic = llm_services(llm, prompts=prompts, planning=settings.planning)
    store.map.phrases_of = topic_names
    return Services(
        entity=entity,
        search=store,
        reader=store,
        cues=store.cues,
        keeping=store,
        embedder=embedders.entity,
        scale=scale,
        playbooks=embedders.library.playbooks,
        planner=planner,
        critic=critic,
        reranker=reranker,
        price=price_of(llm.model_id, prices) if llm is not None else None,
        settings=settings,
    )


async def open_entity(
    home: StoreDirectory, entity: str, *, embedder: Embedder, mending: bool = False
) -> EntityStore:
    """Open the store of one entity; first rebuild vectors that a killed process left half written.

    Most vectors come from the entity's embedding cache; the rest are embedded again. Damage of
    another origin (a disk, a person) stays an error.

    Raises:
        StoreError: as in `StoreDirectory.open_entity`, or another process rebuilds for over 30 s.
        ModelError: passages that the cache lacks could not be embedded; nothing has changed.
    """
    opened = partial(
        home.open_entity,
        entity,
        embedder_id=embedder.model_id,
        dimension=embedder.dimension,
        mending=mending,
    )
    try:
        return await opened()
    except UnfinishedIndexError as damage:
        from secondhop.memories.reindex import rebuild_unfinished

        logger.warning("%s; rebuilding them now", damage)
        passages = await rebuild_unfinished(home, entity, embedder=embedder)
    if passages is not None:
        logger.warning("the vectors of all %d passages are rebuilt", passages)
    return await opened()
