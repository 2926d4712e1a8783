"""What the agent may use besides is switched on a conversation."""

from tests.adapters.http.conftest import Desk


async def test_family_that_is_switched_on_is_on_for_the_next_turn(desk: Desk) -> None:
    desk.house.endpoint.reply("Nothing.")
    asked = await desk.ask("Anything?")
    talk = asked["conversationId"]

    on = await desk.post(f"/api/conversations/{talk}/families", {"family": "web", "on": True})

    assert on["families"] == ["web"]
    assert (await desk.get(f"/api/conversations/{talk}"))["families"] == ["web"]
    desk.house.endpoint.reply("Still nothing.")
    await desk.ask("And now?", talk)
    first, second = (request.messages[0]["content"] for request in desk.house.endpoint.requests)
    assert "no tools for it: web, documents" in first
    assert "no tools for it: documents" in second


async def test_other_families_are_refused(desk: Desk) -> None:
    desk.house.endpoint.reply("Nothing.")
    talk = (await desk.ask("Anything?"))["conversationId"]

    refused = await desk.client.post(
        f"/api/conversations/{talk}/families", json={"family": "vault", "on": True}
    )

    assert refused.status_code == 422
