"""People, chats and topics, as a test sets them up and changes them."""

from collections.abc import Iterable
from itertools import count

from tests.emulators.telegram.methods.topics import remove, rename, set_closed
from tests.emulators.telegram.records import Chat, Member, Topic, User
from tests.emulators.telegram.wire import ALL_RIGHTS, Json, chat_json, member_json, stamp, user_json
from tests.emulators.telegram.world import World

# above 32 bits, as real ids are
_FIRST_USER = 5_000_000_001
_FIRST_GROUP = 4_001
_FIRST_SUPERGROUP = 1_002_000_000_001


class Stage:
    """The part of the driving API about who and where."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._user_ids = count(_FIRST_USER)
        self._group_ids = count(_FIRST_GROUP)
        self._supergroup_ids = count(_FIRST_SUPERGROUP)

    def user(
        self,
        name: str,
        *,
        username: str = "",
        last_name: str = "",
        language: str = "en",
        is_bot: bool = False,
    ) -> User:
        """Return a new person (or another bot)."""
        user = User(next(self._user_ids), name, last_name, username, language, is_bot)
        self.world.users[user.id] = user
        return user

    def private(self, user: User) -> Chat:
        """Return the private chat that a person has opened with the bot."""
        known = self.world.chats.get(user.id)
        return known or self._keep(Chat(user.id, "private", user=user))

    def group(self, title: str, *members: User) -> Chat:
        """Return a plain group with the bot and members in it."""
        return self._keep(Chat(-next(self._group_ids), "group", title), members)

    def supergroup(self, title: str, *members: User) -> Chat:
        """Return a supergroup without topics."""
        return self._keep(Chat(-next(self._supergroup_ids), "supergroup", title), members)

    def forum(self, title: str, *members: User) -> Chat:
        """Return a supergroup with topics; "General" is there without a `Topic`."""
        chat = self.supergroup(title, *members)
        chat.is_forum = True
        next(chat.ids)  # 1 is General's
        return chat

    def topic(self, chat: Chat, name: str, by: User) -> Topic:
        """Return a new topic that somebody makes; the bot is told if it hears the chat."""
        assert chat.is_forum or (chat.is_private and self.world.manners.has_private_topics), "no topics here"
        return self.world.new_topic(chat, name, by)

    def rename_topic(self, topic: Topic, name: str) -> None:
        """Give a topic another name."""
        rename(self.world, topic, name)

    def close_topic(self, topic: Topic) -> None:
        """Close a topic: only administrators write there."""
        set_closed(self.world, topic, is_closed=True)

    def reopen_topic(self, topic: Topic) -> None:
        """Open a closed topic again."""
        set_closed(self.world, topic, is_closed=False)

    def delete_topic(self, topic: Topic) -> None:
        """Delete a topic with its messages; the bot is not told."""
        remove(self.world, topic)

    def switch_topics_off(self, chat: Chat) -> None:
        """Let a forum be a supergroup without topics; the bot is not told."""
        chat.is_forum = False

    def promote(
        self,
        chat: Chat,
        user: User | None = None,
        *,
        anonymous: bool = False,
        rights: Iterable[str] = ALL_RIGHTS,
    ) -> None:
        """Make somebody (the bot, if nobody is named) administrator."""
        who = user or self.world.bot
        self._change(chat, Member(who, "administrator", anonymous, frozenset(rights)))

    def demote(self, chat: Chat, user: User | None = None) -> None:
        """Make somebody (the bot, if nobody is named) a plain member again."""
        self._change(chat, Member(user or self.world.bot))

    def mute(self, chat: Chat) -> None:
        """Take the right to write from the bot; it is not told."""
        chat.bot_may_write = False

    def unmute(self, chat: Chat) -> None:
        """Let the bot write again."""
        chat.bot_may_write = True

    def allow_reactions(self, chat: Chat, *emoji: str) -> None:
        """Let only these reactions be set in a chat, none at all if none are named."""
        chat.allowed_reactions = frozenset(emoji)

    def add_bot(self, chat: Chat, by: User) -> None:
        """Bring the bot into a group (again)."""
        self._change(chat, Member(self.world.bot), by)
        self.world.service(chat, by, {"new_chat_members": [user_json(self.world.bot)]})

    def kick(self, chat: Chat, by: User | None = None) -> None:
        """Throw the bot out of a group."""
        self._change(chat, Member(self.world.bot, "kicked"), by)

    def join(self, chat: Chat, user: User) -> None:
        """Let somebody come into a group."""
        chat.members[user.id] = Member(user)
        self.world.service(chat, user, {"new_chat_members": [user_json(user)]})

    def leave(self, chat: Chat, user: User) -> None:
        """Let somebody leave a group."""
        chat.members[user.id] = Member(user, "left")
        self.world.service(chat, user, {"left_chat_member": user_json(user)})

    def block(self, user: User) -> None:
        """Let a person block the bot."""
        self._set_blocked(user, is_blocked=True)

    def unblock(self, user: User) -> None:
        """Let a person unblock the bot."""
        self._set_blocked(user, is_blocked=False)

    def migrate(self, chat: Chat, *, announced: bool = True, new_first: bool = False) -> Chat:
        """Turn a group into a supergroup and return that; the bot may be told, in either order."""
        assert chat.kind == "group", "only plain groups are upgraded"
        upgraded = self.supergroup(chat.title)
        upgraded.members = dict(chat.members)
        chat.migrated_to = upgraded
        creator = next(iter(chat.members.values())).user
        notes: list[tuple[Chat, Json]] = [
            (chat, {"migrate_to_chat_id": upgraded.id}),
            (upgraded, {"migrate_from_chat_id": chat.id}),
        ]
        for place, note in (reversed(notes) if new_first else notes) if announced else ():
            self.world.service(place, creator, note)
        return upgraded

    def _keep(self, chat: Chat, members: Iterable[User] = ()) -> Chat:
        self.world.chats[chat.id] = chat
        if not chat.is_private:
            chat.members = {user.id: Member(user) for user in (*members, self.world.bot)}
        return chat

    def _set_blocked(self, user: User, *, is_blocked: bool) -> None:
        chat = self.private(user)
        chat.is_blocked = is_blocked
        before, after = ("member", "kicked") if is_blocked else ("kicked", "member")
        self._announce(chat, Member(self.world.bot, before), Member(self.world.bot, after), user)

    def _change(self, chat: Chat, member: Member, by: User | None = None) -> None:
        before = chat.member(member.user)
        chat.members[member.user.id] = member
        if member.user is self.world.bot:
            self._announce(chat, before, member, by or next(iter(chat.members.values())).user)

    def _announce(self, chat: Chat, before: Member, after: Member, by: User) -> None:
        payload: Json = {
            "chat": chat_json(chat),
            "from": user_json(by),
            "date": stamp(self.world.now()),
            "old_chat_member": member_json(before),
            "new_chat_member": member_json(after),
        }
        self.world.feed.add("my_chat_member", payload)
        self.world.bell.ring()
