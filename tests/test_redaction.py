"""Secrets: what is masked of what a model repeats, and what only looks like one."""

from __future__ import annotations

import json

import pytest

from longtake.config import load
from longtake.redaction import keys_of, without_secrets

KEY = 'sk-"ключ"-0123'


@pytest.mark.parametrize(
    "contact",
    [
        "Write to https://acme.com\ninfo@acme.com",
        json.dumps("https://acme.com:8443\ninfo@acme.com"),
        "https://acme.com,info@acme.com",
        "git clone ssh://git@github.com/x",
        "https://medium.com/@bob",
        "https://mastodon.social: @bob",
    ],
)
def test_a_contact_stays_as_it_stands_on_a_slide(contact: str) -> None:
    assert without_secrets(contact, ()) == contact


@pytest.mark.parametrize(
    "address", ["http://me:hunter22@host/v1", "ftp://:hunter22@host", "https://a.b:hunt,er22@[::1]"]
)
def test_a_password_is_masked_with_its_user(address: str) -> None:
    host = address.partition("@")[2]
    assert without_secrets({"at": [f"<{address}>"]}, ()) == {"at": [f"<{address.partition('://')[0]}://***@{host}>"]}


def test_a_key_is_masked_in_texts_also_as_json_spells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    keys = keys_of(load())
    assert without_secrets([f"I use {KEY}."], keys) == ["I use ***."]
    assert without_secrets(json.dumps({"k": KEY}), keys) == '{"k": "***"}'
    assert without_secrets(json.dumps({"k": KEY}, ensure_ascii=False), keys) == '{"k": "***"}'


@pytest.mark.parametrize(
    ("key", "said", "shown"),
    [
        ("x", "Use max_tokens, not x.", "Use max_tokens, not ***."),
        ("sk-1234", "Incorrect API key: sk-1234", "Incorrect API key: ***"),
        ("", "Nothing", "Nothing"),
        ("sk-long-enough", "<sk-long-enoughsk-long-enough>", "<******>"),
    ],
)
def test_a_short_key_is_masked_where_it_stands_alone(key: str, said: str, shown: str) -> None:
    assert without_secrets(said, (key,)) == shown


def test_a_number_and_the_name_of_a_field_are_never_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "12345678")
    reported = {"12345678": 112345678.5, "said": "key 12345678"}
    assert without_secrets(reported, keys_of(load())) == {"12345678": 112345678.5, "said": "key ***"}


@pytest.mark.parametrize("placeholder", ["", "EMPTY", "answered", "something", "sk-1234"])
def test_a_placeholder_for_a_key_is_not_masked(monkeypatch: pytest.MonkeyPatch, placeholder: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", placeholder)
    assert keys_of(load()) == frozenset()
