"""Which engine supplies which capability; an engine's module is imported when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from inspect import getmembers, isfunction
from typing import Any

from longtake.config import EngineSettings, Settings
from longtake.errors import ConfigError, EngineUnavailable, PluginError, did_you_mean
from longtake.plugins import Table
from longtake.preprocess.engines.process import engine_process


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an engine lives, what it is, and the packages it needs (and the extra that installs them).

    `check` names a function of the settings that says what else is missing, such as a model; None if nothing is.
    An engine with `process` runs in a separate process (`engines.process`).
    """

    target: str
    summary: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    check: str = ""
    process: bool = False

    def missing(self, settings: Settings) -> str | None:
        """Why the engine can't be used here and what to do; None if it can be used."""
        absent = [name for name in self.packages if find_spec(name) is None]
        if not absent:
            return _named(self.check)(settings) if self.check else None
        install = f"pip install 'longtake[{self.extra}]'" if self.extra else "pip install longtake"
        return f"{', '.join(absent)} not installed: {install}"


_BUILT_IN: Mapping[str, Mapping[str, Entry]] = {
    "shots": {
        "content": Entry(
            "longtake.preprocess.engines.content_shots:ContentShots",
            "PySceneDetect's content detector",
            ("scenedetect",),
        ),
    },
    "speech": {
        "faster_whisper": Entry(
            "longtake.preprocess.engines.audio.faster_whisper:FasterWhisper",
            "Whisper in CTranslate2",
            ("faster_whisper",),
            check="longtake.preprocess.engines.audio.faster_whisper:missing_model",
            process=True,
        ),
        "packaged_whisper": Entry(
            "longtake.preprocess.engines.audio.packaged_whisper:PackagedWhisper",
            "Whisper tiny.en, small and English only",
            ("faster_whisper",),
            check="longtake.preprocess.engines.audio.packaged_whisper:missing_package",
            process=True,
        ),
        "pocketsphinx": Entry(
            "longtake.preprocess.engines.audio.pocketsphinx:PocketSphinx",
            "PocketSphinx: finds places by their words; its words prove nothing",
            ("pocketsphinx",),
            extra="pocketsphinx",
            process=True,
        ),
    },
    "closer_speech": {
        "faster_whisper": Entry(
            "longtake.preprocess.engines.audio.faster_whisper:CloserWhisper",
            "a larger Whisper, for the short spans that a question needs",
            ("faster_whisper",),
            check="longtake.preprocess.engines.audio.faster_whisper:missing_closer_model",
            process=True,
        ),
    },
    "speakers": {
        "ge2e": Entry(
            "longtake.preprocess.engines.audio.ge2e:Ge2eSpeakers",
            "GE2E speaker encoder: tells voices apart",
            check="longtake.preprocess.engines.audio.ge2e:missing_weights",
        ),
    },
    "scene_text": {
        "rapidocr": Entry(
            "longtake.preprocess.engines.text.rapidocr:RapidOcr",
            "PP-OCR in ONNX",
            ("rapidocr", "onnxruntime"),
            process=True,
        ),
    },
    "sounds": {
        "ast": Entry(
            "longtake.preprocess.engines.sounds.ast_sounds:AstSounds",
            "AST: names 527 kinds of sounds; with all that `spectral` finds",
            ("torch", "transformers"),
            extra="transformers",
            check="longtake.preprocess.engines.sounds.ast_sounds:missing_model",
            process=True,
        ),
        "clap": Entry(
            "longtake.preprocess.engines.sounds.clap_sounds:ClapSounds",
            "CLAP: recognises the sounds that the settings name; with all that `spectral` finds",
            ("torch", "transformers"),
            extra="transformers",
            check="longtake.preprocess.engines.sounds.clap_sounds:missing_model",
            process=True,
        ),
        "spectral": Entry(
            "longtake.preprocess.engines.sounds.spectral_sounds:SpectralSounds",
            "voice activity (Silero) and spectral events",
            ("faster_whisper", "onnxruntime"),
        ),
    },
    "audio_question": {
        "audio_flamingo": Entry(
            "longtake.preprocess.engines.sounds.audio_flamingo:AudioFlamingo",
            "Audio Flamingo 3: answers questions about sounds",
            ("torch", "transformers"),
            extra="transformers",
            check="longtake.preprocess.engines.sounds.audio_flamingo:missing_model",
            process=True,
        ),
    },
    "text_embedding": {
        "minilm": Entry(
            "longtake.preprocess.engines.text.minilm:MiniLmEmbedding",
            "all-MiniLM-L6-v2, 384-d",
            ("onnxruntime", "tokenizers"),
            check="longtake.preprocess.engines.text.minilm:missing_weights",
        ),
        "gguf": Entry(
            "longtake.preprocess.engines.llama_cpp.text_vectors:GgufEmbedding",
            "a text embedding model in a GGUF file",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.text_vectors:missing_model",
        ),
        "wordllama": Entry(
            "longtake.preprocess.engines.text.wordllama:WordLlamaEmbedding",
            "static word vectors, 256-d",
            ("wordllama",),
        ),
    },
    "reranking": {
        "gguf": Entry(
            "longtake.preprocess.engines.llama_cpp.text_vectors:GgufReranker",
            "a reranker in a GGUF file: reads query and text together",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.text_vectors:missing_reranker",
        ),
    },
    "image_text_embedding": {
        "siglip": Entry(
            "longtake.preprocess.engines.pictures.siglip:Siglip",
            "SigLIP or SigLIP 2 through transformers",
            ("torch", "transformers"),
            extra="vision",
            check="longtake.preprocess.engines.pictures.siglip:missing_model",
        ),
        "open_clip": Entry(
            "longtake.preprocess.engines.pictures.open_clip:OpenClip",
            "a model of OpenCLIP",
            ("torch", "open_clip"),
            extra="openclip",
            check="longtake.preprocess.engines.pictures.open_clip:missing_model",
        ),
    },
    "objects": {
        "opencv": Entry(
            "longtake.preprocess.engines.objects.objects_opencv:OpenCvObjects",
            "colours, simple shapes and movement; can't name objects",
        ),
        "owlv2": Entry(
            "longtake.preprocess.engines.objects.owlv2:Owlv2",
            "OWLv2: finds objects by name",
            ("torch", "transformers", "scipy"),
            extra="vision",
            check="longtake.preprocess.engines.objects.owlv2:missing_model",
            process=True,
        ),
        "grounding_dino": Entry(
            "longtake.preprocess.engines.objects.grounding_dino:GroundingDino",
            "Grounding DINO: finds objects by name",
            ("torch", "transformers"),
            extra="vision",
            check="longtake.preprocess.engines.objects.grounding_dino:missing_model",
            process=True,
        ),
    },
    "people": {
        "opencv": Entry(
            "longtake.preprocess.engines.people.people_opencv:OpenCvPeople",
            "people moving upright in front of a still camera, and faces; identifies nobody",
        ),
    },
    "faces": {
        "dlib": Entry(
            "longtake.preprocess.engines.people.dlib_faces:DlibFaces",
            "frontal faces, compared with enrolled ones",
            ("dlib", "face_recognition_models"),
            extra="faces",
            process=True,
        ),
    },
    "captions": {
        "endpoint": Entry(
            "longtake.preprocess.engines.endpoints.caption_endpoint:CaptionEndpoint",
            "a vision-language model behind an OpenAI-compatible server",
            check="longtake.preprocess.engines.endpoints.caption_endpoint:missing_endpoint",
        ),
        "gguf": Entry(
            "longtake.preprocess.engines.llama_cpp.picture_models:GgufCaptions",
            "a vision-language model in a GGUF file, with its projector",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.picture_models:missing_caption_model",
        ),
        "transformers_vl": Entry(
            "longtake.preprocess.engines.transformers_vl:TransformersCaptions",
            "Qwen2.5-VL or Qwen3-VL, in a separate process",
            ("torch", "transformers", "PIL"),
            extra="vision",
            check="longtake.preprocess.engines.transformers_vl:missing_caption_model",
            process=True,
        ),
    },
    "activities": {
        "optical_flow": Entry(
            "longtake.preprocess.engines.optical_flow:OpticalFlow",
            "what moves, where and how fast; can't name actions",
        ),
    },
    "visual_question": {
        "endpoint": Entry(
            "longtake.preprocess.engines.endpoints.visual_question_endpoint:VisualQuestionEndpoint",
            "a vision-language model behind an OpenAI-compatible server",
            check="longtake.preprocess.engines.endpoints.visual_question_endpoint:missing_endpoint",
        ),
        "gguf": Entry(
            "longtake.preprocess.engines.llama_cpp.picture_models:GgufVisualQuestions",
            "a vision-language model in a GGUF file, with its projector",
            ("xllamacpp", "psutil"),
            extra="gguf",
            check="longtake.preprocess.engines.llama_cpp.picture_models:missing_question_model",
        ),
        "transformers_vl": Entry(
            "longtake.preprocess.engines.transformers_vl:TransformersVisualQuestions",
            "Qwen2.5-VL or Qwen3-VL, in a separate process",
            ("torch", "transformers", "PIL"),
            extra="vision",
            check="longtake.preprocess.engines.transformers_vl:missing_question_model",
            process=True,
        ),
    },
    "maths": {
        "written_maths": Entry(
            "longtake.preprocess.engines.maths.written_maths:WrittenMaths",
            "a grammar of formulas over recognised text",
        ),
    },
    "translation": {
        "ctranslate2": Entry(
            "longtake.preprocess.engines.text.ctranslate2_models:CTranslate2",
            "NLLB or M2M100 in CTranslate2; the controller's model translates if there is one",
            ("ctranslate2", "tokenizers"),
            check="longtake.preprocess.engines.text.ctranslate2_models:missing_model",
            process=True,
        ),
        "apertium": Entry(
            "longtake.preprocess.engines.text.apertium:Apertium",
            "Apertium, rule-based; the controller's model translates if there is one",
            check="longtake.preprocess.engines.text.apertium:missing_apertium",
        ),
    },
    "summary": {
        "textrank": Entry(
            "longtake.preprocess.engines.text.textrank:TextRank", "extractive, graph ranking over sentences"
        ),
    },
    "sandbox": {
        "bubblewrap": Entry(
            "longtake.preprocess.engines.sandbox.bubblewrap:Bubblewrap",
            "Python in separate namespaces, with the packages installed here",
            check="longtake.preprocess.engines.sandbox.bubblewrap:missing_bubblewrap",
        ),
        "monty": Entry(
            "longtake.preprocess.engines.sandbox.monty:Monty",
            "an isolated interpreter for a subset of Python",
            ("pydantic_monty",),
        ),
    },
    "web": {
        "searxng": Entry(
            "longtake.preprocess.engines.web.searxng:Searxng",
            "a SearXNG named in the settings",
            check="longtake.preprocess.engines.web.searxng:missing_searxng",
        ),
        "ddgs": Entry(
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
    "shots": "longtake.preprocess.transitions.cuts:ShotEngine",
    "speech": f"{_ENGINES}.audio.speech_engine:SpeechEngine",
    "closer_speech": f"{_ENGINES}.audio.speech_engine:SpeechEngine",
    "speakers": f"{_ENGINES}.audio.speaker_engine:SpeakerEngine",
    "scene_text": f"{_ENGINES}.text.scene_text_engine:SceneTextEngine",
    "sounds": f"{_ENGINES}.sounds.sound_engine:SoundEngine",
    "audio_question": f"{_ENGINES}.sounds.audio_question:AudioQuestionEngine",
    "text_embedding": f"{_ENGINES}.text.text_embedding:TextEmbedding",
    "reranking": f"{_ENGINES}.text.reranker:Reranker",
    "image_text_embedding": f"{_ENGINES}.pictures.image_text_embedding:ImageTextEmbedding",
    "objects": f"{_ENGINES}.objects.object_engine:ObjectEngine",
    "people": f"{_ENGINES}.people.people_engine:PeopleEngine",
    "faces": f"{_ENGINES}.people.face_engine:FaceEngine",
    "captions": f"{_ENGINES}.endpoints.caption_engine:CaptionEngine",
    "activities": f"{_ENGINES}.activity_engine:ActivityEngine",
    "visual_question": f"{_ENGINES}.endpoints.visual_question:VisualQuestionEngine",
    "maths": f"{_ENGINES}.maths.maths:MathsEngine",
    "translation": f"{_ENGINES}.text.translation:Translator",
    "summary": f"{_ENGINES}.text.summary_engine:Summarizer",
    "sandbox": f"{_ENGINES}.sandbox.sandbox:Sandbox",
    "web": f"{_ENGINES}.web.web:WebSearch",
}


def _reader(capability: str) -> Callable[[str, object], Entry]:
    """Reads the engines of a capability that plugins declare."""

    def read(name: str, declared: object) -> Entry:
        """Importing the module now reports a broken plugin early."""
        if not isinstance(declared, Entry):
            raise TypeError(f"{name} isn't an `Entry` of the engine table")
        engine = _named(declared.target)
        protocol = PROTOCOLS[capability]
        methods = (key for key, _ in getmembers(_named(protocol), isfunction) if not key.startswith("_"))
        absent = [method for method in methods if not callable(getattr(engine, method, None))]
        if absent:
            raise TypeError(f"{declared.target} lacks {', '.join(absent)} of the protocol {protocol}")
        return declared

    return read


def _named(target: str) -> Any:
    """Import `module:attribute`."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


ENGINES: Mapping[str, Table[Entry]] = {
    capability: Table(f"engines.{capability}", entries, _reader(capability))
    for capability, entries in _BUILT_IN.items()
}


@dataclass(frozen=True, slots=True)
class CapabilityReport:
    """What `doctor` reports about one capability."""

    capability: str
    engine: str | None
    summary: str
    reasons: Mapping[str, str] = field(default_factory=dict)


class EngineTable:
    """The engines of one run: chosen by the profile's order, loaded once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._loaded: dict[tuple[str, str], Any] = {}
        self._chosen: dict[str, str] = {}
        self._loading = threading.Lock()
        for capability in EngineSettings.model_fields:
            for name in self._names(capability):
                if name not in ENGINES[capability]:
                    raise ConfigError(_unknown(capability, name))

    def report(self, capability: str) -> CapabilityReport:
        """The engine a capability would use now, and why the ones before it can't be used."""
        reasons: dict[str, str] = {}
        for name in self._names(capability):
            reason = self._missing(capability, name)
            if reason is None:
                return CapabilityReport(capability, name, ENGINES[capability][name].summary, reasons)
            reasons[name] = reason
        return CapabilityReport(capability, None, "", reasons)

    def reports(self) -> list[CapabilityReport]:
        """One report for each capability."""
        return [self.report(capability) for capability in ENGINES]

    def load(self, capability: str) -> Any:
        """The engine of a capability, made on first use; concurrent calls share it.

        Raises:
            EngineUnavailable: if none of the profile's engines can be used here.
        """
        with self._loading:
            if capability not in self._chosen:
                report = self.report(capability)
                if report.engine is None:
                    reasons = "; ".join(f"{name}: {reason}" for name, reason in report.reasons.items())
                    raise EngineUnavailable(f"No engine for {capability}: {reasons or _how_to_set(capability)}.")
                self._chosen[capability] = report.engine
            return self._made(capability, self._chosen[capability])

    def load_each(self, capability: str) -> list[Any]:
        """All usable engines of the profile, best first: stored data may come from any of them."""
        with self._loading:
            usable = [name for name in self._names(capability) if not self._missing(capability, name)]
            return [self._made(capability, name) for name in usable]

    def _missing(self, capability: str, name: str) -> str | None:
        """Why an engine can't be used here; None if it can."""
        try:
            return ENGINES[capability][name].missing(self.settings)
        except PluginError as error:
            return str(error)

    def _made(self, capability: str, name: str) -> Any:
        """One engine, made once."""
        if (capability, name) not in self._loaded:
            entry = ENGINES[capability][name]
            self._loaded[capability, name] = (
                engine_process(entry.target, self.settings) if entry.process else _named(entry.target)(self.settings)
            )
        return self._loaded[capability, name]

    def _names(self, capability: str) -> tuple[str, ...]:
        names: tuple[str, ...] = getattr(self.settings.engines, capability)
        return names


def _how_to_set(capability: str) -> str:
    known = ", ".join(ENGINES[capability])
    return f"set engines.{capability} to one of {known}" if known else "none is built in; install a plugin that has one"


def _unknown(capability: str, name: str) -> str:
    return f"engines.{capability}: no engine {name!r}. {did_you_mean(name, ENGINES[capability])}"
