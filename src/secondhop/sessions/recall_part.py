"""The part of `Recall` that offers the methods of `recall.sessions` under their old names."""

from secondhop.delegating import offered
from secondhop.sessions.service import Sessions

HOME = "sessions"


class KeepsSessions:
    """Methods of `Recall`: recalls that stay open for votes. docs/sessions.md tells the story."""

    sessions: Sessions

    session = offered(Sessions.open, by=HOME)
    astart_session = offered(Sessions.astart, by=HOME)
    start_session = offered(Sessions.start, by=HOME)
    aget_session = offered(Sessions.aget, by=HOME)
    get_session = offered(Sessions.get, by=HOME)
    avote = offered(Sessions.avote, by=HOME)
    vote = offered(Sessions.vote, by=HOME)
    aresolve = offered(Sessions.aresolve, by=HOME)
    resolve = offered(Sessions.resolve, by=HOME)
    aabandon = offered(Sessions.aabandon, by=HOME)
    abandon = offered(Sessions.abandon, by=HOME)
