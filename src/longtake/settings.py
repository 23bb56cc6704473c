"""The settings: one frozen tree of sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _like(pattern: str, example: str) -> AfterValidator:
    """Refuses what doesn't match a pattern, and says what would."""

    def check(given: str) -> str:
        if not re.fullmatch(pattern, given):
            raise ValueError(f"write it as {example}")
        return given

    return AfterValidator(check)


# Chroma takes names of 3 to 512 letters, digits, dots, dashes and underscores; we add 11 for each embedding.
_SERVER = _like(
    r"https?://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:[1-9]\d{0,4})?/[a-zA-Z0-9][a-zA-Z0-9._-]{1,498}[a-zA-Z0-9]",
    "http://host:port/name, with a name of three letters or digits or more",
)
_STORAGE = _like(r"[a-z][a-z0-9]+://[^/@]+(/[^/@]+)+", "s3://bucket/folder")


class PriceSettings(_Section):
    """What a model's endpoint charges, in dollars per million tokens."""

    input: float = Field(default=0.0, ge=0)
    output: float = Field(default=0.0, ge=0)

    def of(self, tokens: Mapping[str, float]) -> float:
        """Dollars for `input_tokens` and `output_tokens`."""
        spent = tokens.get("input_tokens", 0) * self.input + tokens.get("output_tokens", 0) * self.output
        return round(spent / 1_000_000, 6)


class ControllerSettings(_Section):
    """The planning model."""

    engine: Literal["extractive", "openai", "qwen_agent", "transformers", "gguf"] = "extractive"
    base_url: str | None = None
    model: str | None = Field(
        default=None,
        description="Model name at the endpoint; with `transformers`, a folder or a hub name; with `gguf`, a file.",
    )
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = Field(default=120.0, gt=0, description="Seconds per reply.")
    context: int | None = Field(
        default=None,
        ge=512,
        description="Tokens that a request and its reply may have together. By default, this and what follows is as "
        "`configs/models.yaml` knows the model by its name.",
    )
    reply_tokens: int | None = Field(default=None, ge=1, description="Maximum tokens per reply, thoughts included.")
    temperature: float | None = Field(default=None, ge=0, description="By default what the maker recommends, or none.")
    calls: Literal["native", "text"] | None = Field(
        default=None,
        description="`text` for models without tool calling: calls are written and parsed as text. `longtake setup` "
        "tries it.",
    )
    sees: bool | None = Field(
        default=None, description="Whether the model takes pictures. `longtake setup` tries it with one."
    )
    thinking: bool | None = Field(
        default=None,
        description="Whether a model such as Qwen3 thinks before it writes; by default as its chat template says. "
        "Thoughts are never part of an answer.",
    )
    price: PriceSettings | None = Field(default=None, description="By default the maker's, if it is well known.")


class EngineSettings(_Section):
    """For each capability, the engines to try, best first. A single one may be given by its name alone."""

    shots: tuple[str, ...] = ("content",)
    scene_text: tuple[str, ...] = ("paddleocr", "rapidocr")
    sounds: tuple[str, ...] = ("ast", "clap", "spectral")
    audio_question: tuple[str, ...] = ("audio_flamingo",)
    speech: tuple[str, ...] = ("faster_whisper", "packaged_whisper")
    closer_speech: tuple[str, ...] = ("faster_whisper",)
    maths: tuple[str, ...] = ("written_maths",)
    translation: tuple[str, ...] = ("ctranslate2", "apertium")
    summary: tuple[str, ...] = ("textrank",)
    text_embedding: tuple[str, ...] = ("minilm", "wordllama")
    reranking: tuple[str, ...] = ("gguf", "ms_marco")
    image_text_embedding: tuple[str, ...] = ("siglip", "open_clip")
    speakers: tuple[str, ...] = ("ge2e",)
    captions: tuple[str, ...] = ("endpoint",)
    objects: tuple[str, ...] = ("owlv2", "grounding_dino", "opencv")
    detections: tuple[str, ...] = ("nanodet",)
    people: tuple[str, ...] = Field(
        default=("nanodet", "cascades"), description="Finds people and faces; recognises nobody."
    )
    faces: tuple[str, ...] = Field(default=(), description="Biometric, so off until you name an engine.")
    activities: tuple[str, ...] = ("optical_flow",)
    visual_question: tuple[str, ...] = ("endpoint", "gguf", "transformers_vl")
    sandbox: tuple[str, ...] = ("bubblewrap", "monty")
    web: tuple[str, ...] = ("searxng", "ddgs")

    @model_validator(mode="before")
    @classmethod
    def _single(cls, given: Any) -> Any:
        return {key: [value] if isinstance(value, str) else value for key, value in dict(given).items()}


class PassSettings(_Section):
    """The single decoding pass over the pixels."""

    shot_threshold: float = Field(default=27.0, gt=0)
    min_shot_seconds: float = Field(default=0.4, gt=0)
    text_frames_per_second: float = Field(
        default=1.0, gt=0, description="Maximum frames per second read for on-screen text."
    )
    keyframe_height: int = Field(default=360, ge=64)
    chunk_seconds: float = Field(
        default=60.0, gt=0, description="Of video per chunk; a killed pass resumes after the last finished one."
    )


class SceneTextSettings(_Section):
    """Text recognition in frames."""

    min_confidence: float = Field(default=0.8, ge=0, le=1)
    long_side: int = Field(
        default=736, ge=320, description="Pixels on the long side of the frames that detection sees."
    )
    detection: str | None = Field(
        default=None, description="PaddleOCR: folder of a model that finds lines; by default the fetched one."
    )
    recognition: str | None = Field(
        default=None, description="PaddleOCR: folder of a model that reads lines; by default the fetched one."
    )


class SoundSettings(_Section):
    """Names of everyday sounds."""

    model: str | None = Field(
        default=None,
        description="AST or CLAP: a folder or a model name; by default the one that `longtake models` has fetched.",
    )
    names: tuple[str, ...] = Field(
        default=(), description="Sounds that `clap` listens for; by default those in configs/sounds.yaml."
    )
    min_confidence: float = Field(default=0.3, ge=0, le=1)


class AudioQuestionSettings(_Section):
    """Questions about sounds, put to a model while a question is answered."""

    model: str | None = Field(
        default=None,
        description="Audio Flamingo 3: a folder or a model name; by default the one in the models folder.",
    )


class SpeechSettings(_Section):
    """Speech recognition, for videos without subtitles."""

    model: str | None = Field(
        default=None,
        description="Whisper: a folder or a model name; by default the best one that `longtake models` has fetched, "
        "or else `small`.",
    )
    closer_model: str | None = Field(
        default=None, description="A larger Whisper that transcribes the short spans a question needs again."
    )
    fetch: bool = Field(default=False, description="Download the model if it isn't on disk.")
    language: str | None = Field(default=None, description="Language code; detected by default.")
    track: Annotated[str, Field(min_length=1, max_length=200, coerce_numbers_to_str=True)] | None = Field(
        default=None,
        description="Of several sound tracks the one that is read: its number from 1 on, language or title. By default "
        "the one with the most speech; commentaries and tracks for the visually or hearing impaired come last.",
    )


class EndpointSettings(_Section):
    """A vision-language model behind an OpenAI-compatible server."""

    base_url: str | None = None
    model: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = Field(default=120.0, gt=0, description="Seconds per reply.")


class CaptionSettings(EndpointSettings):
    """Descriptions by a vision-language model, written while a video is indexed."""

    every: float = Field(default=10.0, gt=0, description="Usual seconds of a segment, of which one description is.")
    pictures: int = Field(default=6, ge=1, le=32, description="Pictures of each description, at most.")
    at_once: int = Field(default=4, ge=1, le=64, description="Requests to an endpoint that are under way together.")


MAX_PICTURES = 64  # of one visual question


class VisualQuestionSettings(EndpointSettings):
    """Questions about pictures to a vision-language model, put while a question is answered."""

    pictures: int = Field(
        default=32, ge=1, le=MAX_PICTURES, description="Maximum pictures per question, unless it asks for more."
    )
    megabytes: float = Field(default=4.0, gt=0, description="Maximum total size of these pictures, as JPEG files.")


class ImageTextSettings(_Section):
    """Pictures and texts in one space, so that words find pictures."""

    model: str | None = Field(
        default=None,
        description="SigLIP or OpenCLIP: a folder or a model name; by default the SigLIP that `longtake models` has "
        "fetched.",
    )
    floor: float = Field(
        default=0.07, ge=-1, le=1, description="Cosine below which a picture doesn't match; models of CLIP need 0.2."
    )


class TextEmbeddingSettings(_Section):
    """Text embedding with a GGUF file: `engines.text_embedding: [gguf, minilm]`."""

    model: str | None = Field(
        default=None, description="A GGUF file; by default the one `longtake models` has fetched."
    )
    floor: float = Field(default=0.5, ge=-1, le=1, description="Cosine below which two texts count as unrelated.")


class RerankingSettings(_Section):
    """Reads the query together with what search found, for a better order."""

    model: str | None = Field(
        default=None, description="A GGUF file; by default the one `longtake models` has fetched."
    )
    candidates: int = Field(default=20, ge=1, description="How many of the best results are read.")


class GgufSettings(_Section):
    """Models in GGUF files, run by llama.cpp on this machine."""

    context: int = Field(default=8_192, ge=512, description="Maximum tokens that a model reads and writes.")
    idle_seconds: int = Field(default=600, ge=1, description="An unused model leaves the memory after this time.")
    mmproj: str | None = Field(
        default=None, description="Projector file of the model named in `captions` and `visual_question`."
    )


class ObjectSettings(_Section):
    """Object search by name."""

    model: str | None = Field(
        default=None,
        description="OWLv2 or Grounding DINO: a folder or a model name; by default the one that `longtake models` has "
        "fetched.",
    )
    min_confidence: float = Field(default=0.2, ge=0, le=1)


class TranslationSettings(_Section):
    """Translation without a language model."""

    model: str | None = Field(
        default=None,
        description="NLLB or M2M100, converted for CTranslate2: a folder or a model name; by default the one that "
        "`longtake models` has fetched.",
    )


class SearchSettings(_Section):
    """Hybrid search."""

    k: int = Field(default=5, ge=1)
    rrf_constant: int = Field(
        default=60, ge=1, description="Cormack et al. 2009: score = sum of 1 / (constant + rank)."
    )
    chroma: Annotated[str, _SERVER] | None = Field(
        default=None,
        description="Address of a Chroma server that compares the vectors, `http://host:port/name`. Libraries on one "
        "server need different names, of 3 to 500 letters, digits, dots, dashes and underscores. By default, "
        "Longtake compares them itself.",
    )


class GatheringSettings(_Section):
    """Evidence retrieved before the controller's first round."""

    tokens: int | None = Field(
        default=None,
        ge=0,
        description="Maximum tokens of evidence in the controller's first message; by default 1,000, and 500 with "
        "`gguf`, because a model on a CPU reads slowly.",
    )

    def tokens_for(self, controller: str) -> int:
        """The maximum with a kind of controller."""
        return self.tokens if self.tokens is not None else {"gguf": 500}.get(controller, 1_000)


def _off(value: object) -> object:
    """YAML reads a bare `off` as false."""
    return "off" if value is False else value


class VerificationSettings(_Section):
    """How what a language model says is checked against the evidence."""

    mode: Annotated[Literal["mark", "strict", "off"], BeforeValidator(_off)] = Field(
        default="mark",
        description="`mark` publishes everything and marks what isn't supported; `strict` leaves that out; `off` "
        "checks nothing.",
    )
    model: str | None = Field(default=None, description="The model that judges; by default the controller's own.")
    base_url: str | None = Field(default=None, description="Its endpoint; by default the controller's.")
    api_key_env: str | None = Field(
        default=None,
        description="Environment variable with its key; by default the controller's, for its endpoint alone.",
    )
    timeout: float | None = Field(
        default=None, gt=0, description="Seconds for one judgement; by default `controller.timeout`."
    )


class SandboxSettings(_Section):
    """Limits for a code snippet."""

    seconds: float = Field(default=10.0, gt=0)
    megabytes: int = Field(default=512, ge=128, description="Of memory, at most.")


class WebSettings(_Section):
    """Search of the web."""

    searxng_url: str | None = Field(default=None, description="URL of a SearXNG instance with JSON output enabled.")


class LibrarySettings(_Section):
    """Where a library keeps what isn't in its folder."""

    database: SecretStr | None = Field(
        default=None,
        exclude=True,  # neither traces nor runs record it
        description="URL of a PostgreSQL database for threads, notes and readings, by default LONGTAKE_DATABASE.",
    )
    layers: Annotated[str, _STORAGE] | None = Field(
        default=None,
        description="Address of a folder on object storage, such as `s3://bucket/folder`, that holds all layers; each "
        "library needs its own. The library's folder then has copies of those that were needed there.",
    )


class BudgetSettings(_Section):
    """What one question may spend; reaching a limit ends with the best partial answer."""

    rounds: int = Field(default=8, ge=1)
    seconds: float = Field(default=300.0, gt=0)
    tokens: int = Field(default=200_000, ge=1)
    cost: float = Field(default=1.0, ge=0)


class ToolSettings(_Section):
    """Limits for every tool."""

    timeout: float = Field(default=60.0, gt=0, description="Seconds per call.")
    off: tuple[str, ...] = Field(default=(), description="Names of tools that no controller is offered.")
    result_characters: int = Field(default=6_000, ge=200, description="Maximum characters passed to the controller.")


class Settings(_Section):
    """Everything that changes what a run does."""

    controller: ControllerSettings = ControllerSettings()
    engines: EngineSettings = EngineSettings()
    visual_pass: PassSettings = PassSettings()
    scene_text: SceneTextSettings = SceneTextSettings()
    sounds: SoundSettings = SoundSettings()
    audio_question: AudioQuestionSettings = AudioQuestionSettings()
    speech: SpeechSettings = SpeechSettings()
    captions: CaptionSettings = CaptionSettings()
    visual_question: VisualQuestionSettings = VisualQuestionSettings()
    gguf: GgufSettings = GgufSettings()
    image_text: ImageTextSettings = ImageTextSettings()
    text_embedding: TextEmbeddingSettings = TextEmbeddingSettings()
    reranking: RerankingSettings = RerankingSettings()
    objects: ObjectSettings = ObjectSettings()
    translation: TranslationSettings = TranslationSettings()
    search: SearchSettings = SearchSettings()
    gathering: GatheringSettings = GatheringSettings()
    verification: VerificationSettings = VerificationSettings()
    sandbox: SandboxSettings = SandboxSettings()
    web: WebSettings = WebSettings()
    library: LibrarySettings = LibrarySettings()
    budget: BudgetSettings = BudgetSettings()
    tools: ToolSettings = ToolSettings()
    offline: bool = False

    @property
    def judge(self) -> ControllerSettings | None:
        """The model that judges, if it is another one than the controller's."""
        named, own = self.verification, self.controller
        if named.mode == "off" or not (named.model or named.base_url):
            return None
        elsewhere = named.base_url is not None and named.base_url != own.base_url
        return ControllerSettings(
            engine="openai",
            model=named.model or own.model,
            base_url=named.base_url or own.base_url,
            api_key_env=named.api_key_env or ("LONGTAKE_JUDGE_KEY" if elsewhere else own.api_key_env),
            timeout=named.timeout or own.timeout,
        )
