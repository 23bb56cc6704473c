"""What each capability is for, in a few words."""

from __future__ import annotations

from collections.abc import Mapping

PURPOSES: Mapping[str, str] = {
    "shots": "where shots begin, and how",
    "speech": "what is said",
    "closer_speech": "what is said, transcribed again for the spans that a question needs",
    "speakers": "how many people speak, and who speaks when",
    "scene_text": "writing in the picture",
    "sounds": "what is heard besides speech",
    "audio_question": "questions about sounds, put to a model that hears",
    "text_embedding": "search by meaning",
    "reranking": "a better order of search results",
    "image_text_embedding": "search for what pictures show",
    "objects": "things, found and counted",
    "detections": "people and 80 kinds of things in the picture of every second",
    "people": "people and faces, found and counted",
    "faces": "names of people you enrolled",
    "captions": "a description of every segment",
    "activities": "what moves, and how",
    "visual_question": "questions about pictures, put to a model that sees",
    "maths": "formulas in the picture",
    "translation": "translation of speech and text",
    "summary": "summaries",
    "sandbox": "calculations in Python",
    "web": "search on the web",
}
