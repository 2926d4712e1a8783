"""The check of calls against the Bot API as a JSON file, with a small one."""

import pytest

from tests.emulators.telegram.bot_api_file import BotApiFile
from tests.emulators.telegram.call import Call, Upload


def _field(name: str, *types: str, required: bool = False) -> dict[str, object]:
    return {"name": name, "types": list(types), "required": required}


_API = BotApiFile(
    {
        "methods": {
            "getMe": {},
            "sendMessage": {
                "fields": [
                    _field("chat_id", "Integer", "String", required=True),
                    _field("text", "String", required=True),
                    _field("entities", "Array of MessageEntity"),
                    _field("disable_notification", "Boolean"),
                    _field("reply_markup", "InlineKeyboardMarkup", "ForceReply"),
                ]
            },
            "sendDocument": {"fields": [_field("document", "InputFile", "String", required=True)]},
        },
        "types": {
            "MessageEntity": {
                "fields": [
                    _field("type", "String", required=True),
                    _field("offset", "Integer", required=True),
                ]
            },
            "InlineKeyboardMarkup": {
                "fields": [_field("inline_keyboard", "Array of Array of Button", required=True)]
            },
            "Button": {
                "fields": [_field("text", "String", required=True), _field("callback_data", "String")]
            },
            "ForceReply": {"fields": [_field("force_reply", "Boolean", required=True)]},
            "InputFile": {},
        },
    }
)
_HELLO = {"chat_id": "5", "text": "5"}


@pytest.mark.parametrize(
    "call",
    [
        Call("getMe", {}),
        Call("sendMessage", {**_HELLO, "disable_notification": "true"}),
        Call("sendMessage", {"chat_id": 5, "text": "x", "entities": [{"type": "bold", "offset": 0}]}),
        Call("sendMessage", {**_HELLO, "entities": '[{"type": "bold", "offset": 0}]'}),
        Call("sendMessage", {**_HELLO, "reply_markup": '{"force_reply": true}'}),
        Call("sendMessage", {**_HELLO, "reply_markup": '{"inline_keyboard": [[{"text": "Yes"}]]}'}),
        Call("sendDocument", {}, {"document": Upload("a.txt", b"a", "text/plain")}),
        Call("sendDocument", {"document": "attach://a"}, {"a": Upload("a.txt", b"a", "text/plain")}),
    ],
)
def test_call_as_described_has_no_problems(call: Call) -> None:
    assert _API.problems(call) == []


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (Call("sendMesage", {}), "sendMesage is no method of the Bot API"),
        (Call("sendMessage", {"chat_id": "5"}), "sendMessage needs the parameter text"),
        (Call("sendMessage", {**_HELLO, "silent": "1"}), "sendMessage has no parameter silent"),
        (
            Call("sendMessage", {**_HELLO, "disable_notification": "yes"}),
            "sendMessage.disable_notification is no Boolean: 'yes'",
        ),
        (Call("sendMessage", {**_HELLO, "entities": "{}"}), "sendMessage.entities is no list"),
        (
            Call("sendMessage", {**_HELLO, "entities": '[{"type": "bold"}]'}),
            "sendMessage.entities[0] is no MessageEntity: offset is missing",
        ),
        (
            Call("sendMessage", {**_HELLO, "entities": '[{"type": "bold", "offset": "0"}]'}),
            "sendMessage.entities[0].offset is no Integer: '0'",
        ),
        (
            Call(
                "sendMessage",
                {**_HELLO, "reply_markup": '{"inline_keyboard": [[{"text": "Y", "data": "y"}]]}'},
            ),
            "sendMessage.reply_markup.inline_keyboard[0][0] is no Button: it has no data",
        ),
        (Call("sendDocument", {}), "sendDocument needs the parameter document"),
    ],
)
def test_call_that_differs_is_named(call: Call, problem: str) -> None:
    assert _API.problems(call) == [problem]
