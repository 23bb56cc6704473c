"""Feeds and the server-sent events made of them."""

from __future__ import annotations

import asyncio
import threading

from longtake.web.event_feed import Feed, FeedEvent, sent_event


async def _followed(feed: Feed, after: int = -1) -> list[int]:
    return [event.number async for event in feed.follow(after) if event]


def _told(count: int) -> Feed:
    feed = Feed()
    for number in range(count):
        feed.notify("step", {"step": number}, last=number == count - 1)
    return feed


def test_a_feed_repeats_earlier_events_and_ends() -> None:
    assert asyncio.run(_followed(_told(3))) == [0, 1, 2]
    assert asyncio.run(_followed(_told(3), after=1)) == [2]


def test_after_the_last_event_nothing_is_added() -> None:
    feed = _told(2)
    feed.notify("step", {})
    assert len(feed.after(-1)) == 2


def test_events_distinguished_from_another_thread_reach_everybody_who_follows() -> None:
    feed = Feed()

    async def follow() -> list[list[int]]:
        telling = threading.Thread(
            target=lambda: [feed.notify("step", {}, last=number == 499) for number in range(500)]
        )
        following = [asyncio.create_task(_followed(feed)) for _ in range(5)]
        await asyncio.sleep(0)
        telling.start()
        return await asyncio.gather(*following)

    assert asyncio.run(follow()) == [list(range(500))] * 5


def test_a_follower_gets_a_heartbeat_while_nothing_happens() -> None:
    feed = Feed()

    async def beats() -> None:
        async for event in feed.follow(beat=0.01):
            assert event is None
            return

    asyncio.run(beats())


def test_whoever_leaves_is_not_woken_any_more() -> None:
    feed = Feed()

    async def leave() -> None:
        following = feed.follow(beat=0.01)
        await anext(following)
        await following.aclose()

    asyncio.run(leave())
    feed.notify("step", {})  # the loop is gone: nobody may be woken in it
    assert feed.after(-1)[0].kind == "step"


def test_an_event_is_sent_with_its_number_on_one_line_of_data() -> None:
    sent = sent_event(FeedEvent(7, "step", {"text": "two\nlines"}))
    assert sent == 'id: 7\nevent: step\ndata: {"text":"two\\nlines"}\n\n'
