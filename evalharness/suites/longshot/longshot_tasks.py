"""The sixteen tasks of LongShOTBench, their four categories, and older names that the released code maps to them."""

from __future__ import annotations

CATEGORIES: dict[str, tuple[str, ...]] = {
    "core_perception": ("entity_recognition", "event_understanding", "temporal_reasoning", "audio_understanding"),
    "reasoning": ("causal_reasoning", "quantitative_reasoning", "compositional_reasoning", "comparative_analysis"),
    "information": ("information_retrieval", "summarization", "instruction_extraction", "sentiment_analysis"),
    "multimodal": (
        "multimodal_synthesis",
        "cross_modal_verification",
        "audio_visual_alignment",
        "motion_analysis",
    ),
}
TASKS = tuple(task for tasks in CATEGORIES.values() for task in tasks)
OLDER_NAMES = {
    "ocr_text_extraction": "entity_recognition",
    "visual_scene_understanding": "event_understanding",
    "spatial_reasoning": "temporal_reasoning",
    "speech_transcription": "audio_understanding",
    "speaker_identification": "audio_understanding",
    "commonsense_reasoning": "causal_reasoning",
    "mathematical_reasoning": "quantitative_reasoning",
    "pattern_recognition": "quantitative_reasoning",
    "reasoning_tasks": "quantitative_reasoning",
    "counterfactual_reasoning": "compositional_reasoning",
    "question_answering": "summarization",
    "ethical_reasoning": "sentiment_analysis",
    "multimodal_translation": "motion_analysis",
}
_VISUAL = (
    "visual text text_extraction text_overlay cross_modal_information timestamp_identification implicit_information "
    "contextual_interpretation"
)
MODALITY_GROUPS = dict.fromkeys(_VISUAL.split(), "visual") | {"audio_environment": "audio", "speech": "speech"}
# Upper edges of the duration buckets in seconds: the released code's and the paper's.
EDGES = {"repo": (1800.0, 2700.0), "paper": (1800.0, 3600.0)}


def task_of(name: str) -> str:
    """The task that a name stands for; an unknown name stands for itself."""
    return OLDER_NAMES.get(name, name)


def modality_group(tag: str, *, parity: bool) -> str:
    """The row a modality tag counts in; with parity `audio` counts as visual, as every unknown tag does."""
    if tag == "audio" and not parity:
        return "audio"
    return MODALITY_GROUPS.get(tag, "visual")


def duration_bucket(seconds: float, variant: str) -> str:
    """short, medium or long; a duration on an edge belongs to the longer bucket."""
    short, medium = EDGES[variant]
    return "short" if seconds < short else "medium" if seconds < medium else "long"
