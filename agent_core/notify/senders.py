"""Which sender serves which kind of channel."""

import ssl
from dataclasses import dataclass

from pydantic import SecretStr

from agent_core.clock import Clock
from agent_core.errors import NotifyRefusal
from agent_core.notify.carried import CarriedSender, is_installed
from agent_core.notify.mail import MailSender
from agent_core.notify.model import Carried, Channel, Discord, Mail, Sender, Telegram, Webhook
from agent_core.notify.web import TELEGRAM_API, DiscordSender, TelegramSender, WebhookSender
from agent_core.outbound.client import Outbound

DEADLINE_S = 20.0  # of one try, and of each step of a mail


@dataclass(frozen=True, slots=True, kw_only=True)
class Senders:
    """What channels are sent to with. `private` are the hosts of our own that the settings name."""

    outbound: Outbound
    clock: Clock
    tls: ssl.SSLContext
    private: tuple[str, ...] = ()
    telegram_token: SecretStr | None = None
    telegram_api: str = TELEGRAM_API
    deadline_s: float = DEADLINE_S

    def __call__(self, channel: Channel) -> Sender:
        """Return what sends to this channel.

        Raises:
            NotifyRefusal: it lacks something of the installation ("telegram", "extra").
        """
        target, outbound, clock, deadline_s = channel.target, self.outbound, self.clock, self.deadline_s
        match target:
            case Discord():
                return DiscordSender(target, outbound, clock, deadline_s)
            case Telegram():
                if self.telegram_token is None:
                    raise NotifyRefusal(reason="telegram", channel=channel.name)
                return TelegramSender(
                    target, self.telegram_token, self.telegram_api, outbound, clock, deadline_s
                )
            case Webhook():
                return WebhookSender(channel.name, target, outbound, clock, deadline_s)
            case Mail():
                return MailSender(target, outbound, self.tls, clock, deadline_s)
            case Carried():
                if not is_installed():
                    raise NotifyRefusal(reason="extra", channel=channel.name)
                return CarriedSender(target, self.private)
