"""llama.cpp in process: language models and vision-language models from GGUF files."""
