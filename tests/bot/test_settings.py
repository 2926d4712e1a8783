"""Settings: what the environment says, and how it is told when it cannot be used."""

import os
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.reference import PAGES
from bot.setting_kinds import variable
from bot.settings import Settings, SettingsError, load_settings, unknown_variables, unread_lines

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.upper().startswith(("LOREKEEPER_", "BOOKSLM_", "LC_", "LANG", "XDG_", "TZ")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def problems() -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        load_settings()
    return caught.value.problems


def test_nothing_set_gives_the_offline_responder_and_a_database_in_the_home_folder(tmp_path: Path) -> None:
    settings = load_settings()

    assert settings.model is None
    assert settings.database == tmp_path / "home/.local/share/lorekeeper/lorekeeper.db"
    assert settings.language == "en"


def test_database_follows_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOREKEEPER_DATA_DIR", "~/books")

    assert load_settings().database == tmp_path / "home/books/lorekeeper.db"


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("/var/data", "/var/data/lorekeeper"), ("relative", "{home}/.local/share/lorekeeper")],
)
def test_data_folder_follows_xdg_where_that_is_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str, expected: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", folder)

    assert load_settings().data_dir == Path(expected.format(home=tmp_path / "home"))


@pytest.mark.parametrize(
    ("names", "language"),
    [
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "de_AT"}, "de"),
        ({"LANG": "ja_JP.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "fr_FR", "LOREKEEPER_LANGUAGE": "DE"}, "de"),
    ],
)
def test_language_comes_from_the_locale_unless_set(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, str], language: str
) -> None:
    for name, value in names.items():
        monkeypatch.setenv(name, value)

    assert load_settings().language == language


def test_time_zone_comes_from_the_machine_unless_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":Asia/Tokyo")
    assert load_settings().time_zone == ZoneInfo("Asia/Tokyo")

    monkeypatch.setenv("LOREKEEPER_TIME_ZONE", "Europe/Berlin")
    assert load_settings().time_zone == ZoneInfo("Europe/Berlin")


def test_env_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LOREKEEPER_MAX_REPLIES=3\nLOREKEEPER_MAX_TOKENS=100\nOTHER=1\n")
    monkeypatch.setenv("LOREKEEPER_MAX_TOKENS", "200")

    settings = load_settings()

    assert (settings.max_replies, settings.max_tokens) == (3, 200)


def test_an_empty_value_counts_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_MAX_REPLIES", "")

    assert load_settings().max_replies == 10


def test_tool_call_budget_is_read_under_its_older_name_and_its_own_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOOKSLM_MAX_TOOL_CALLS", "7")
    assert load_settings().max_tool_calls == 7

    monkeypatch.setenv("LOREKEEPER_MAX_TOOL_CALLS", "9")
    assert load_settings().max_tool_calls == 9


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("max_replies", "ten", "LOREKEEPER_MAX_REPLIES is 'ten', but must be a whole number."),
        ("max_replies", "0", "LOREKEEPER_MAX_REPLIES is '0', but must be 1 or more."),
        ("max_tool_calls", "-1", "LOREKEEPER_MAX_TOOL_CALLS is '-1', but must be 0 or more."),
        ("temperature", "warm", "LOREKEEPER_TEMPERATURE is 'warm', but must be a number."),
        ("temperature", "2.1", "LOREKEEPER_TEMPERATURE is '2.1', but must be 2 or less."),
        ("model_timeout_s", "nan", "LOREKEEPER_MODEL_TIMEOUT_S is 'nan', but must be a number."),
        ("model_timeout_s", "0", "LOREKEEPER_MODEL_TIMEOUT_S is '0', but must be more than 0."),
        ("price_prompt_per_mtok", "-2", "LOREKEEPER_PRICE_PROMPT_PER_MTOK is '-2', but must be 0 or more."),
        ("trace", "loud", "LOREKEEPER_TRACE is 'loud', but must be one of 'off', 'short' or 'full'."),
        (
            "time_zone",
            "Europe",
            "LOREKEEPER_TIME_ZONE is 'Europe', which is no time zone; one is written like Europe/Berlin.",
        ),
        (
            "model_base_url",
            "localhost:8000",
            "LOREKEEPER_MODEL_BASE_URL must be an address that starts with http:// or https:// and a host.",
        ),
        (
            "model_base_url",
            "http://[::1",
            "LOREKEEPER_MODEL_BASE_URL must be an address that starts with http:// or https:// and a host.",
        ),
        (
            "model_base_url",
            "http://localhost:99999/v1",
            "LOREKEEPER_MODEL_BASE_URL must be an address that starts with http:// or https:// and a host.",
        ),
        (
            "confirmation_group_h",
            "999999999",
            "LOREKEEPER_CONFIRMATION_GROUP_H is '999999999', but must be 8760 or less.",
        ),
        ("max_result_chars", "9", "LOREKEEPER_MAX_RESULT_CHARS is '9', but must be 1000 or more."),
        (
            "data_dir",
            "C:\new folder",
            "LOREKEEPER_DATA_DIR holds a line break or the like; between double quotes \\n is one.",
        ),
        (
            "database",
            "postgres://u:p@host/db",
            "LOREKEEPER_DATABASE must be the path of a SQLite file, not an address; "
            "LOREKEEPER_DATABASE_URL takes one.",
        ),
        (
            "data_dir",
            "~nobody-here/x",
            "LOREKEEPER_DATA_DIR starts with the home folder of a user who has none.",
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_told_in_a_sentence_that_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, field: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(variable(field), value)

    assert problems() == (sentence,)


def test_all_problems_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_MAX_REPLIES", "ten")
    monkeypatch.setenv("LOREKEEPER_TRACE", "loud")

    assert len(problems()) == 2


def test_a_model_without_an_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_MODEL", "writer-model")

    assert problems() == (
        "LOREKEEPER_MODEL_BASE_URL is missing: LOREKEEPER_MODEL is set, and this says who gets your text.",
    )


def test_an_unreadable_env_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"LOREKEEPER_MODEL=\xff\xfe\n")

    assert problems() == (".env cannot be read as a text file.",)


def test_a_key_is_trimmed_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_MODEL_API_KEY", " sk-sesame-open-1234\n")

    settings = load_settings()

    assert settings.secret_values() == ("sk-sesame-open-1234",)
    assert "sesame" not in repr(settings)


def test_a_broken_key_is_told_without_showing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_MODEL_API_KEY", "sk-sesame\nopen")

    [sentence] = problems()

    assert sentence.startswith("LOREKEEPER_MODEL_API_KEY contains characters")
    assert "sesame" not in sentence


def test_an_unknown_variable_is_told_with_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOREKEEPER_TIMEZONE", "Europe/Berlin")
    (tmp_path / ".env").write_text("LOREKEEPER_MODLE=x\n")

    assert unknown_variables() == (
        "LOREKEEPER_MODLE is no setting; did you mean LOREKEEPER_MODEL?",
        "LOREKEEPER_TIMEZONE is no setting; did you mean LOREKEEPER_TIME_ZONE?",
    )


def test_lines_of_env_that_give_no_value_are_told_and_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_bytes(
        b'\xef\xbb\xbfLOREKEEPER_TRACE=off\r\nLOREKEEPER_LANGUAGE: de\r\nLOREKEEPER_MAX_REPLIES="9"\r\n'
    )

    settings = load_settings()

    assert (settings.trace, settings.max_replies) == ("off", 9)
    assert unread_lines() == (".env: line 2 is not of the form NAME=value and was passed over.",)
    assert (capsys.readouterr().err, caplog.text) == ("", "")


@pytest.mark.parametrize("path", PAGES)
def test_generated_page_is_up_to_date(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == PAGES[path](), "run python -m bot.reference"


def test_env_example_lists_each_setting_once_and_sets_none(tmp_path: Path) -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    names = [line[1:].partition("=")[0] for line in lines if line.startswith("#LOREKEEPER_")]

    assert names == [variable(field) for field in Settings.model_fields]
    assert all(line.startswith("#") or not line for line in lines)


def test_env_example_with_every_default_set_is_accepted(tmp_path: Path) -> None:
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    (tmp_path / ".env").write_text("\n".join(line.removeprefix("#") for line in lines if "=" in line))

    assert load_settings().max_replies == 10
    assert unknown_variables() == ()


def test_audit_file_stands_in_the_data_folder_until_it_is_set_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOREKEEPER_DATA_DIR", "~/books")
    assert load_settings().audit_file == tmp_path / "home/books/audit.jsonl"

    monkeypatch.setenv("LOREKEEPER_AUDIT_FILE", "Off")
    assert load_settings().audit_file is None


def test_a_budget_in_money_without_prices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_MONEY_PER_MONTH", "20")
    monkeypatch.setenv("LOREKEEPER_PRICE_PROMPT_PER_MTOK", "0.15")

    assert problems() == (
        "LOREKEEPER_PRICE_COMPLETION_PER_MTOK is missing: LOREKEEPER_MONEY_PER_MONTH is set, and money is"
        " counted by prices.",
    )


def test_money_is_read_as_an_exact_decimal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOREKEEPER_PRICE_PROMPT_PER_MTOK", "0.1")

    assert load_settings().price_prompt_per_mtok == Decimal("0.1")
