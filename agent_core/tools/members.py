"""The tools that say who belongs to a series, with which role."""

import json
from dataclasses import replace

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from agent_core.errors import NotPermitted
from agent_core.lore.answers import Answer, CardLine, Place
from agent_core.lore.canon import Canon
from agent_core.lore.fold import name_key
from agent_core.lore.lens import Lens
from agent_core.lore.model import Author
from agent_core.people.model import Identity, Membership, Person, Progress, SeriesRole
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.lore_read import canon_of
from agent_core.tools.spec import Family, NoArgs, Proposal, Risk, Tool, ToolContext


class MembersArgs(Based):
    """Arguments of members."""

    person: str = Field(description="platform:user, such as terminal:ann, or a member's name or id")
    role: SeriesRole = Field(description="owner (lead), editor (co-author), reader (beta reader), none")
    may_destroy: bool = Field(False, description="a co-author who may confirm dangerous calls")
    ceiling: str | None = Field(None, description="how far a reader may set their progress")
    new_person_id: SkipJsonSchema[str | None] = None


class MemberItem(Answer):
    """A member as the list shows them."""

    name: str
    role: SeriesRole
    may_destroy: bool = False
    finished: Place | None = None


class MemberList(Answer):
    """All members, leads first."""

    members: tuple[MemberItem, ...]


async def _members(context: ToolContext, args: MembersArgs) -> Proposal:
    canon = canon_of(context)
    person, account = await _person(context, canon.series.id, args)
    before = await context.people.membership(person.id, canon.series.id)
    if before and before.role is SeriesRole.OWNER and args.role is not SeriesRole.OWNER:
        await _check_not_last_lead(context, canon.series.id)
    ceiling = _ceiling(canon, args.ceiling, context.asker.conversation.book) if args.ceiling else None
    after = Membership(person=person.id, series=canon.series.id, role=args.role, may_destroy=args.may_destroy)

    async def effect() -> str:
        member = person.id
        if account is not None:  # they may have come by themselves since
            new = await context.people.person_for(account, person.name, new_id=member, operator=False)
            member = new.id
        await context.people.set_membership(replace(after, person=member))
        if ceiling is not None:
            stored = await context.people.progress(member, canon.series.id)
            progress = stored or Progress(person=member, series=canon.series.id)
            await context.people.set_progress(replace(progress, ceiling=ceiling))
        return json.dumps({"status": "done", "role": args.role.value})

    card = CardLine(
        kind="members",
        title=person.name,
        before_text=before.role.value if before else SeriesRole.NONE.value,
        after_text=args.role.value,
        facts={"may_destroy": int(args.may_destroy)},
    )
    fixed = {"new_person_id": person.id} if account is not None else {"person": person.id}
    fixed["basis"] = basis_of(card, str(before and before.may_destroy), ceiling or "")
    arguments = args.model_copy(update=fixed).model_dump(mode="json", by_alias=True)
    return Proposal(arguments=arguments, card=card, effect=effect)


def _ceiling(canon: Canon, text: str, book: str | None) -> str:
    outline = canon.outline
    return outline.finished(outline.find(text, book=book, here=None, bound=Author()))


async def _person(context: ToolContext, series: str, args: MembersArgs) -> tuple[Person, Identity | None]:
    """Return who is meant, and the account by which they are to become a person where they are none yet.

    Raises:
        NotPermitted: reason "ambiguous_person" or "unknown_person".
    """
    text = args.person
    members = [
        person
        for membership in await context.people.members(series)
        if (person := await context.people.person(membership.person)) is not None
    ]
    called = [one for one in members if one.id == text or name_key(one.name) == name_key(text)]
    if len(called) > 1:
        raise NotPermitted(reason="ambiguous_person", name=text)
    if called:
        return called[0], None
    proposed = await context.people.person(text)  # as the id that a proposal has fixed
    if proposed is not None:
        return proposed, None
    platform, colon, user = text.partition(":")
    if not colon or not user:
        raise NotPermitted(reason="unknown_person")
    account = Identity(platform, user)
    known = await context.people.person_known_as(account)
    if known is not None:
        return known, None
    return Person(id=args.new_person_id or context.new_id(), name=user, operator=False), account


async def _check_not_last_lead(context: ToolContext, series: str) -> None:
    leads = [one for one in await context.people.members(series) if one.role is SeriesRole.OWNER]
    if len(leads) < 2:
        raise NotPermitted(reason="last_lead")


async def _list_members(context: ToolContext, args: NoArgs) -> MemberList:
    canon = canon_of(context)
    lens = Lens(canon, Author())
    items: list[MemberItem] = []
    for membership in await context.people.members(canon.series.id):
        person = await context.people.person(membership.person)
        progress = await context.people.progress(membership.person, canon.series.id)
        items.append(
            MemberItem(
                name=person.name if person else "?",
                role=membership.role,
                may_destroy=membership.may_destroy,
                finished=lens.place(progress.finished) if progress and progress.finished else None,
            )
        )
    return MemberList(members=tuple(items))


MEMBERS = Tool(
    name="members",
    family=Family.PLACE,
    risk=Risk.DANGEROUS,
    args=MembersArgs,
    propose=_members,
    description="Give a person a role in this series, or take it.",
    for_models=False,
)
LIST_MEMBERS = Tool(
    name="list_members",
    family=Family.PLACE,
    risk=Risk.READ,
    args=NoArgs,
    read=_list_members,
    description="List who belongs to this series and how far readers have read.",
    for_models=False,
)

MEMBERSHIPS = (MEMBERS, LIST_MEMBERS)
