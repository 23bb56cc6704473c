"""Every tool there is, in the order of the paper's table, and after them the extras."""

from longtake.tools.activities import detect_activities
from longtake.tools.audio_events import detect_audio_events
from longtake.tools.calculator import calculator
from longtake.tools.count_objects import count_objects
from longtake.tools.execute_code import execute_code
from longtake.tools.faces import detect_faces
from longtake.tools.fused_frames import integrate_frames
from longtake.tools.inspection import inspect_motion
from longtake.tools.math_expressions import extract_math_exp
from longtake.tools.memory import memory_tool
from longtake.tools.moments import find_moments
from longtake.tools.object_detection import object_detection
from longtake.tools.scene_text import extract_scene_text
from longtake.tools.search import cross_modal_search
from longtake.tools.speech import transcribe_speech
from longtake.tools.summary import summarize_segment
from longtake.tools.translate import translate_speech, translate_text
from longtake.tools.watch import watch_segment
from longtake.tools.web_search import web_search

ALL_TOOLS = (
    transcribe_speech,
    extract_scene_text,
    count_objects,
    object_detection,
    extract_math_exp,
    calculator,
    web_search,
    detect_audio_events,
    execute_code,
    detect_activities,
    summarize_segment,
    detect_faces,
    cross_modal_search,
    memory_tool,
    translate_speech,
    translate_text,
    inspect_motion,
    find_moments,
    integrate_frames,
    watch_segment,
)
