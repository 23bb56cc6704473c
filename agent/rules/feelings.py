"""Whether what somebody wrote or said is positive, negative or neutral, by the words of VADER's lexicon.

C. Hutto and E. Gilbert, VADER: A Parsimonious Rule-based Model for Sentiment Analysis of Social Media Text, 2014. Its
compound score runs from -1 to 1. What lies between the bands below, and what only might have been, is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from longtake.agent.orientation import Orientation
from longtake.agent.rows import CELLS
from longtake.agent.rules.matching import names_in
from longtake.agent.rules.moves import LISTENER, evidence_from, failures, not_found, on_video, quote, trusted
from longtake.agent.rules.outline import Slide, read_outline, words_of
from longtake.agent.rules.steps import Steps
from longtake.agent.words import STOPWORDS, content_stems, coverage, cue, stems, words
from longtake.memory.records import Evidence

CLEAR = 0.4  # compound score from which a text is positive or negative
NEUTRAL = 0.05  # and below which it is neutral: VADER's own bound
LEAST_PLAIN = 0.2  # share of words without content of their own, for a text to be English
ABOUT = 0.4  # share of a question's words that stand on the slide that it names
_NAMES = {
    "positive": ("positive", "good", "favourable", "favorable", "happy", "pleased", "satisfied"),
    "negative": ("negative", "bad", "unfavourable", "unfavorable", "unhappy", "displeased", "dissatisfied"),
    "neutral": ("neutral", "indifferent"),
}
_OPINION = cue(
    "sentiment, sentiments, feel, feels, felt, feeling, feelings, mood, attitude, tone, opinion, opinions, review, "
    "reviews, comment, comments, entry, remark, remarks, statement, feedback, testimonial, letter, message, note, "
    "write, writes, wrote, written, say, says, said, word, words, think, thinks, thought, find, finds, found, happy, "
    "satisfied, pleased, like, likes, liked, judge, judges, judged, speak, speaks, express, expresses, expressed, "
    "positively, negatively, view, views, viewed"
)
_SENTIMENT = cue(
    "sentiment, sentiments, positive, negative, positively, negatively, favourable, favorable, unfavourable, "
    "unfavorable"
)
_FEELING = re.compile(
    r"\b(?:(?:what|which) (?:feelings?|mood|attitude|emotions?)\b|the (?:mood|tone|attitude) of the (?!music|sound)"
    r"|how (?:do|does|did) .+? feel\b|what (?:do|does|did) .+? think (?:of|about)\b)",
    re.IGNORECASE,
)
_OF_PERSON = re.compile(
    r"\b(?:[Hh]ow (?:do|does|did) (?:[A-Z][\w-]+ )+(?:like|find|rate)"
    r"|[Ii]s (?:[A-Z][\w-]+ )+(?:positive|negative|neutral)\b.*\b(?:about|towards?))\b"
)
_OBJECT = re.compile(r"\b(?:about|of|towards?|like|find|rate) (?P<object>[^,?]+)", re.IGNORECASE)
_EXPRESSED = re.compile(
    r"\b(?:feel|felt|think|thought|write|wrote|written|sa(?:y|id)|find|found|like|rate|judge|express|spe?ak|spoken"
    r"|opinion|review|comment|remark|statement|feedback|testimonial|letter|message|note|word)(?:s|d|ed|ing)?\b",
    re.IGNORECASE,
)
_ABOUT_IT = cue(
    "feel, feels, feeling, feelings, felt, think, thinks, thought, sentiment, sentiments, positive, negative, "
    "neutral, mood, tone, attitude, opinion, emotion, judge, judging, judged, rate, like, likes, find, finds, "
    "express, expresses, expressed, written, writes, wrote, write, said, says, say, spoken, sound, sounds, heard, "
    "hear, shown, statement, words, word, text, speaker, under, name, while, or, come, across, neutrally, "
    "positively, negatively, speak, speaks, classify, would, you, call, overall, happy, satisfied, pleased, review, "
    "comment, entry, remark, feedback, message, note"
)
_SUPPOSED = re.compile(r"\b(?:could|should|would|might) (?:not )?have\b|\b(?:if|unless)\b|\?", re.IGNORECASE)
_SIGNATURE = re.compile(r"^\W*(?:signed|by|from|name|author|written by)\b", re.IGNORECASE)
FEWEST_WORDS = 3  # of what is judged


def asks_feeling(orientation: Orientation) -> bool:
    """Whether a question asks for the sentiment of what somebody wrote or said."""
    named = [_sentiment_named(option) for option in orientation.options]
    if orientation.options:
        return all(named) and len(set(named)) == len(named) and bool(_OPINION.search(orientation.question))
    question = orientation.question
    judged = _SENTIMENT.search(question) and _OPINION.search(question)
    return bool(judged or _FEELING.search(question) or _OF_PERSON.search(question))


def judge_feeling(orientation: Orientation) -> Steps[str]:
    """The sentiment of what stands on the slide that the question names, else of what is said while it is shown.

    Empty where no one slide is sure to be meant.
    """
    slide = _slide_meant(orientation.question, (yield from read_outline(orientation)))
    if slide is None:
        return ""
    texts = [line for line in slide.lines if _is_opinion(line, orientation.question)]
    if not texts:
        span = [round(slide.span.start, 3), round(slide.span.end, 3)]
        done = yield [on_video(orientation, slide.title.video, LISTENER, timestamp=span)]
        heard = trusted(evidence_from(done, LISTENER))
        texts = [item for item in heard if slide.span.start <= item.span.start < slide.span.end]
        if not texts:
            return not_found(" ".join(failures(done)) or "Nothing is said while that is shown.")
    told = quote(texts, orientation)
    feeling = feeling_of(". ".join(item.content.rstrip(".") for item in texts))
    if feeling is None or (feeling == "neutral" and not _EXPRESSED.search(orientation.question)):
        return not_found(f"Whether this is positive or negative is not clear from its words: {told}")
    return f"{feeling.capitalize()}: {told}"


def feeling_of(text: str) -> str | None:
    """Positive, negative or neutral; None where the words do not tell it clearly, or are not English."""
    said = words(text)
    plain = sum(word in STOPWORDS for word in said) / max(1, len(said))
    if _SUPPOSED.search(text) or plain < LEAST_PLAIN:
        return None
    compound = _analyser().polarity_scores(text)["compound"]
    if abs(compound) < NEUTRAL:
        return "neutral"
    if abs(compound) < CLEAR:
        return None
    return "positive" if compound > 0 else "negative"


@cache
def _analyser() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()


def _sentiment_named(option: str) -> str | None:
    """The sentiment that an option names by one word; None where it says anything else."""
    said = words(option)
    return next((feeling for feeling, synonyms in _NAMES.items() if len(said) == 1 and said[0] in synonyms), None)


def _slide_meant(question: str, slides: Sequence[Slide]) -> Slide | None:
    """The one slide that holds the names of a question, and the most of its other words; None where none is sure."""
    named, wanted = names_in(question), content_stems(_ABOUT_IT.sub(" ", question))
    held = [(coverage(wanted, words_of(slide)), slide) for slide in slides if named <= stems(words_of(slide))]
    most = max((share for share, _ in held), default=0.0)
    best = [slide for share, slide in held if share == most]
    told_as_rows = len(best) == 1 and any(CELLS in line.content for line in best[0].lines)
    least = ABOUT if named else 1.0
    sure = len(best) == 1 and most >= least and not told_as_rows
    return best[0] if sure and (_SENTIMENT.search(question) or _is_of_object(question, best[0])) else None


def _is_of_object(question: str, slide: Slide) -> bool:
    """Whether a slide speaks of all that the question asks the feeling about, or is named by its title."""
    match = _OBJECT.search(question)
    wanted = content_stems(_ABOUT_IT.sub(" ", match["object"])) if match else []
    return set(wanted) <= stems(words_of(slide)) or coverage(content_stems(slide.title.content), question) == 1.0


def _is_opinion(line: Evidence, question: str) -> bool:
    """Whether a line may be somebody's words: a sentence, and no name or signature."""
    more = set(content_stems(line.content)) - set(content_stems(question))
    return len(words(line.content)) >= FEWEST_WORDS and bool(more) and not _SIGNATURE.match(line.content)
