"""Who may do what where, and how much of the canon they may see."""

from agent_core.conversation.model import Audience, Conversation
from agent_core.errors import NotLinked, NotPermitted
from agent_core.lore.model import Author, Bound, Nothing, UpTo
from agent_core.lore.outline import Outline
from agent_core.people.model import WRITERS, Membership, Progress, SeriesRole
from agent_core.tools.spec import AnyTool, Asker, Risk


def role_of(membership: Membership | None) -> SeriesRole:
    """Return the role, NONE where there is no membership."""
    return membership.role if membership else SeriesRole.NONE


def check_tool(tool: AnyTool, risk: Risk, asker: Asker) -> None:
    """Pass if this asker may ask for this tool here (the requester's side; deciding is `may_decide`).

    Raises:
        NotLinked: the tool needs a book and the thread has none.
        NotPermitted: the role or the reader bound forbids it.
    """
    if tool.needs_series and asker.conversation.series is None:
        raise NotLinked
    if not tool.needs_series:
        return
    role = role_of(asker.membership)
    if role is SeriesRole.NONE:
        raise NotPermitted(reason="role")
    bounded = not isinstance(asker.bound, Author)
    if bounded and not tool.for_readers:
        raise NotPermitted(reason="reader" if role is SeriesRole.READER else "place")
    if risk is not Risk.READ and role not in WRITERS and not tool.for_readers:
        raise NotPermitted(reason="role")


def may_decide(membership: Membership | None, risk: Risk) -> bool:
    """Return whether a member may confirm a call of this risk: co-authors WRITE, leads DANGEROUS."""
    role = role_of(membership)
    if risk is Risk.DANGEROUS:
        return role is SeriesRole.OWNER or (
            role is SeriesRole.EDITOR and membership is not None and membership.may_destroy
        )
    return role in WRITERS


def bound_in(
    conversation: Conversation, membership: Membership | None, progress: Progress | None, outline: Outline
) -> Bound:
    """Return how much an answer in this place may show this person: the lower of progress and audience."""
    own: Bound = Author() if role_of(membership) in WRITERS else _read_up_to(progress)
    if conversation.audience is Audience.TEAM:
        return own
    place: Bound = UpTo(conversation.audience_up_to) if conversation.audience_up_to else Nothing()
    return outline.narrower(own, place)


def bound_to_text(bound: Bound) -> str:
    """Return the stored form: "author", "nothing" or the node's id."""
    match bound:
        case Author():
            return "author"
        case Nothing():
            return "nothing"
        case UpTo(node):
            return node


def bound_from_text(text: str) -> Bound:
    """Return the bound written by `bound_to_text`; an empty text is `Nothing`."""
    if text == "author":
        return Author()
    return Nothing() if text in {"", "nothing"} else UpTo(text)


def within(stored: str, bound: Bound, outline: Outline) -> bool:
    """Return whether what was said under the stored bound may be shown under `bound`."""
    made_under = bound_from_text(stored)
    if isinstance(made_under, UpTo) and made_under.node not in outline.reading:
        return False
    return outline.narrower(made_under, bound) == made_under


def _read_up_to(progress: Progress | None) -> Bound:
    return UpTo(progress.finished) if progress and progress.finished else Nothing()
