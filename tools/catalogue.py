"""Every tool there is, in the order of the paper's table."""

from longtake.tools.audio_events import detect_audio_events
from longtake.tools.calculator import calculator
from longtake.tools.scene_text import extract_scene_text
from longtake.tools.search import cross_modal_search
from longtake.tools.speech import transcribe_speech
from longtake.tools.summary import summarize_segment

ALL_TOOLS = (
    transcribe_speech,
    extract_scene_text,
    calculator,
    detect_audio_events,
    summarize_segment,
    cross_modal_search,
)
