"""Ask questions about videos and write a table of the answers.

    longtake demo
    python examples/ask_many.py demo.mp4 < questions.txt > answers.csv

Each line of the input is a question. A video is a file, or a name or id in the library.
"""

import csv
import sys

import longtake


def main(videos: list[str]) -> None:
    """Write a row for each question."""
    table = csv.writer(sys.stdout)
    table.writerow(["question", "status", "answer", "seconds", "quote"])
    with longtake.Library() as library:
        for question in filter(None, map(str.strip, sys.stdin)):
            answer = library.ask(videos, question)
            place = next(iter(answer.places), None)
            proof = [f"{place.start:.0f}-{place.end:.0f}", place.quote] if place else ["", ""]
            table.writerow([question, answer.status, answer.answer, *proof])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except longtake.LongtakeError as error:
        sys.exit(str(error))
