"""The gateway: WebSocket sessions that hear what their intents and the bot's permissions let them hear."""

import asyncio
import json
import secrets
import zlib
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.emulators.discord.gateway_words import PRIVILEGED, Intent, Op, intent_for
from tests.emulators.discord.model import ChannelKind, Guild, Json
from tests.emulators.discord.wire_people import member_json, user_json
from tests.emulators.discord.wire_places import guild_create_json
from tests.emulators.discord.world import Event, World


@dataclass(eq=False, slots=True)
class Socket:
    """One connection; what is put into its queue is sent in order."""

    connection: web.WebSocketResponse
    request: web.Request
    compressor: "zlib._Compress | None"
    outgoing: asyncio.Queue[Json | int] = field(default_factory=asyncio.Queue)
    session: "Session | None" = None

    def send(self, op: Op, data: object = None) -> None:
        self.outgoing.put_nowait({"op": int(op), "d": data, "s": None, "t": None})

    def close(self, code: int) -> None:
        self.outgoing.put_nowait(code)

    async def write(self) -> None:
        """Send what comes until the end is asked for."""
        while True:
            item = await self.outgoing.get()
            if isinstance(item, int):
                await self.connection.close(code=item)
                return
            text = json.dumps(item)
            if self.compressor is None:
                await self.connection.send_str(text)
                continue
            data = self.compressor.compress(text.encode()) + self.compressor.flush(zlib.Z_SYNC_FLUSH)
            await self.connection.send_bytes(data)


@dataclass(eq=False, slots=True)
class Session:
    """What a bot was told and is to be told, across its connections."""

    id: str
    intents: Intent
    socket: Socket | None = None
    frames: list[Json] = field(default_factory=list)
    sent: int = 0


class Gateway:
    """All sessions, and what a test does to them."""

    def __init__(self, world: World, token: str, heartbeat_s: float) -> None:
        self.sessions: dict[str, Session] = {}
        self.identified = 0
        self.resumed = 0
        self.closed: list[int] = []
        self._world = world
        self._token = token
        self._heartbeat_s = heartbeat_s
        self._sockets: set[Socket] = set()
        self._held = False
        world.listen(self._hear)

    @property
    def connected(self) -> bool:
        """Whether a bot has a session with a live connection."""
        return any(session.socket is not None for session in self.sessions.values())

    def drop(self, code: int | None = None) -> None:
        """Close every connection with the code, or cut it without one."""
        for socket in list(self._sockets):
            if code is not None:
                socket.close(code)
            elif socket.request.transport is not None:
                socket.request.transport.abort()
            self._detach(socket)

    def forget_sessions(self) -> None:
        """Lose all sessions: the next RESUME is answered with INVALID_SESSION."""
        for session in self.sessions.values():
            if session.socket is not None:
                session.socket.session = None
        self.sessions.clear()

    def invalidate(self, *, resumable: bool = False) -> None:
        """Send INVALID_SESSION to every connection."""
        if not resumable:
            self.forget_sessions()
        for socket in self._sockets:
            socket.send(Op.INVALID_SESSION, resumable)

    def reconnect(self) -> None:
        """Ask every connection to reconnect and resume."""
        for socket in self._sockets:
            socket.send(Op.RECONNECT)

    def hold(self) -> None:
        """Keep events back until `release`."""
        self._held = True

    def release(self) -> None:
        """Send what was held back and hold no longer."""
        self._held = False
        for session in self.sessions.values():
            self._flush(session)

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection until it ends."""
        asked = request.query.get("compress")
        connection = web.WebSocketResponse(compress=False, max_msg_size=16384, timeout=1.0)
        await connection.prepare(request)
        if asked not in (None, "zlib-stream"):
            self._world.violations.append(f"gateway: compression {asked} is not emulated")
            await connection.close(code=4000)
            return connection
        socket = Socket(connection, request, zlib.compressobj() if asked else None)
        self._sockets.add(socket)
        writer = asyncio.create_task(socket.write())
        socket.send(Op.HELLO, {"heartbeat_interval": int(self._heartbeat_s * 1000)})
        try:
            await self._listen(socket)
        finally:
            writer.cancel()
            self._sockets.discard(socket)
            self._detach(socket)
            await asyncio.gather(writer, return_exceptions=True)
        return connection

    async def _listen(self, socket: Socket) -> None:
        async for received in socket.connection:
            if received.type is not WSMsgType.TEXT:
                continue
            try:
                frame = json.loads(received.data)
                op = Op(frame["op"])
            except (ValueError, KeyError, TypeError):
                self._close(socket, 4002)
                continue
            self._take(socket, op, frame.get("d"))

    def _take(self, socket: Socket, op: Op, data: Json) -> None:
        if op is Op.HEARTBEAT:
            socket.send(Op.HEARTBEAT_ACK)
        elif op is Op.IDENTIFY:
            self._identify(socket, data)
        elif op is Op.RESUME:
            self._resume(socket, data)
        elif socket.session is None:
            self._close(socket, 4003)
        elif op is Op.REQUEST_MEMBERS:
            self._send_members(socket.session, data)
        elif op not in (Op.PRESENCE, Op.VOICE_STATE):
            self._close(socket, 4001)

    def _close(self, socket: Socket, code: int) -> None:
        self.closed.append(code)
        self._world.announce()
        socket.close(code)

    def _identify(self, socket: Socket, data: Json) -> None:
        intents = data.get("intents")
        if data.get("token") != self._token:
            self._close(socket, 4004)
        elif not isinstance(intents, int) or intents < 0 or intents >= 1 << 26:
            self._close(socket, 4013)
        elif intents & PRIVILEGED & ~self._world.portal_intents:
            self._close(socket, 4014)
        elif socket.session is not None:
            self._close(socket, 4005)
        else:
            self._begin(socket, Intent(intents))

    def _begin(self, socket: Socket, intents: Intent) -> None:
        session = Session(secrets.token_hex(16), intents, socket)
        socket.session = self.sessions[session.id] = session
        guilds = [guild for guild in self._world.guilds.values() if self._world.bot.id in guild.members]
        ready = {
            "v": 10,
            "user": user_json(self._world.bot) | {"verified": True, "mfa_enabled": True, "email": None},
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "resume_gateway_url": self._world.gateway_url,
            "application": {"id": str(self._world.application_id), "flags": 0},
            "private_channels": [],
            "relationships": [],
        }
        self._dispatch(session, "READY", ready)
        for guild in guilds:
            if intents & Intent.GUILDS:
                self._dispatch(session, "GUILD_CREATE", self._guild_create(session, guild))
        self.identified += 1
        self._world.announce()

    def _resume(self, socket: Socket, data: Json) -> None:
        session = self.sessions.get(data.get("session_id", ""))
        seen = data.get("seq") or 0
        if data.get("token") != self._token:
            self._close(socket, 4004)
        elif session is None:
            socket.send(Op.INVALID_SESSION, data=False)
        elif seen > len(session.frames):
            self._close(socket, 4007)
        else:
            session.socket, socket.session = socket, session
            session.sent = seen
            self._dispatch(session, "RESUMED", {"_trace": []})
            self.resumed += 1
            self._world.announce()

    def _hear(self, event: Event) -> None:
        for session in self.sessions.values():
            if not event.always and not self._is_told(session, event):
                continue
            data = event.data
            if event.name == "GUILD_CREATE" and event.guild is not None:
                data = self._guild_create(session, event.guild)
            elif event.blanked is not None and not session.intents & Intent.MESSAGE_CONTENT:
                data = event.blanked
            self._dispatch(session, event.name, data)

    def _is_told(self, session: Session, event: Event) -> bool:
        guild = event.guild
        if guild is not None and self._world.bot.id not in guild.members:
            return False
        hidden = event.channel is not None and not self._world.bot_sees(event.channel)
        if hidden and not event.name.startswith("CHANNEL_"):
            return False
        direct = event.channel is not None and event.channel.kind is ChannelKind.DM
        needed = intent_for(event.name, direct=direct)
        return needed is None or bool(session.intents & needed)

    def _guild_create(self, session: Session, guild: Guild) -> Json:
        all_members = bool(session.intents & Intent.GUILD_MEMBERS)
        return guild_create_json(self._world, guild, all_members=all_members)

    def _dispatch(self, session: Session, name: str, data: Json) -> None:
        frame = {"op": int(Op.DISPATCH), "t": name, "s": len(session.frames) + 1, "d": data}
        session.frames.append(frame)
        self._flush(session)

    def _flush(self, session: Session) -> None:
        if session.socket is None or self._held:
            return
        for frame in session.frames[session.sent :]:
            session.socket.outgoing.put_nowait(frame)
        session.sent = len(session.frames)

    def _detach(self, socket: Socket) -> None:
        session = socket.session
        if session is not None and session.socket is socket:
            session.socket = None
        self._world.announce()

    def _send_members(self, session: Session, data: Json) -> None:
        guild = self._world.guilds[int(data["guild_id"])]
        wanted = data.get("user_ids")
        keys = [int(key) for key in (wanted if isinstance(wanted, list) else [wanted])] if wanted else None
        query = str(data.get("query") or "")
        found = [
            member_json(member)
            for member in guild.members.values()
            if (member.user.id in keys if keys is not None else member.user.name.startswith(query))
        ]
        chunk: Json = {"guild_id": str(guild.id), "members": found, "chunk_index": 0, "chunk_count": 1}
        self._dispatch(session, "GUILD_MEMBERS_CHUNK", chunk | {"nonce": data.get("nonce")})
