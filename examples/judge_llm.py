r"""A language model as the judge, through any endpoint that speaks OpenAI's chat completions.

    export OPENAI_API_KEY=...
    python examples/judge_llm.py --model gpt-4o-mini --study jokes.duels \
        --price-in 0.15 --price-out 0.60 --max-cost 1.00

Prices are per million tokens. Every answer is in the study's file before the next question
is asked: stop it when you like, and the same command goes on without paying for anything twice.
Without --model it judges three lines by their length, to show what comes out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import antichain as ac

ITEMS = {
    "milk": "I spilled milk. It was a dairy bad day.",
    "time": "Time flies like an arrow; fruit flies like a banana.",
    "atom": "Never trust an atom: they make up everything.",
}
QUESTION = "Which of the two is better? Say A or B, or TIE, or CANNOT if they cannot be compared."
SAID = re.compile(r"\b(A|B|TIE|CANNOT)\b")
MEANING = {"A": "left", "B": "right", "TIE": "tie", "CANNOT": "incomparable"}


LARGEST_REPLY = 1_000_000  # bytes; an answer of ten tokens is far smaller


class CallError(Exception):
    """A call that brought no answer.

    `cost` says what it cost; without it antichain books the expected cost, since the call may
    have been paid. `retry_after` says how long the endpoint wants to be left alone.
    """


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to whichever host it names."""

    def redirect_request(self, *_: object) -> None:
        """Follow none: the reply counts as an error."""


class Model:
    """Asks a model which of two texts is better."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.url = options.base_url.rstrip("/") + "/v1/chat/completions"
        self.key = os.environ.get(options.key_variable, "")
        self.opener = urllib.request.build_opener(NoRedirects)

    def __call__(self, left: str, right: str) -> tuple[str, float | None]:
        """The answer and what it cost; raises where there is no clear answer."""
        reply = self.post(f"{QUESTION}\n\nA: {left}\n\nB: {right}")
        cost = self.cost(reply)
        try:
            text = reply["choices"][0]["message"]["content"]
            words = set(SAID.findall(text))
        except (LookupError, TypeError) as error:
            raise failed(f"there is no answer in the reply {reply!r:.200}", cost) from error
        if len(words) != 1:
            return text, cost  # no answer: it is paid for and asked again
        return MEANING[words.pop()], cost

    def cost(self, reply: object) -> float | None:
        """What a reply cost, by its tokens; None if it does not say how many there were."""
        try:
            usage = reply["usage"]
            read, written = float(usage["prompt_tokens"]), float(usage["completion_tokens"])
        except (LookupError, TypeError, ValueError):
            return None
        cost = (read * self.options.price_in + written * self.options.price_out) / 1e6
        return cost if 0 <= cost < float("inf") else None

    def post(self, prompt: str) -> object:
        """The endpoint's reply to one message."""
        body = {
            "model": self.options.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 1,  # votes of one pair must not all be the same one
            "max_tokens": 10,
        }
        request = urllib.request.Request(
            self.url,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
        )
        try:
            with self.opener.open(request, timeout=self.options.timeout) as answer:
                raw = answer.read(LARGEST_REPLY + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise refused(error) from error
        except urllib.error.URLError as error:
            unreached = isinstance(error.reason, ConnectionRefusedError | socket.gaierror)
            raise failed(str(error.reason), 0.0 if unreached else None) from error
        if len(raw) > LARGEST_REPLY:
            raise failed(f"the reply is larger than {LARGEST_REPLY:,} bytes")
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise failed(f"the reply is not JSON: {raw[:100]!r}") from error


def failed(reason: str, cost: float | None = None) -> CallError:
    error = CallError(reason)
    if cost is not None:
        error.cost = cost
    return error


def refused(error: urllib.error.HTTPError) -> CallError:
    """What to raise about a reply that is an error.

    A request that is refused costs nothing; one that failed at the other end may have been paid.
    """
    reason = f"{error.code} {error.reason}"
    if 300 <= error.code < 400:
        place = error.headers.get("Location")
        reason += f": redirects are not followed; give {place!r} as --base-url if you trust it"
    made = failed(reason, 0.0 if error.code < 500 else None)
    made.retry_after = seconds_of(error.headers.get("Retry-After"))
    return made


def seconds_of(wish: str | None) -> float | None:
    """Seconds from now, from a header that holds them or a date."""
    with suppress(ValueError, TypeError):
        return float(wish)
    with suppress(ValueError, TypeError):
        date = parsedate_to_datetime(wish)
        return (date - datetime.now(date.tzinfo)).total_seconds()
    return None


def shortest(left: str, right: str) -> str:
    return "left" if len(left) < len(right) else "right"


def read_items(path: Path | None) -> dict[str, str]:
    """Texts by name: from a JSON object, or the three lines above."""
    return ITEMS if path is None else json.loads(path.read_text("utf-8"))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=Path, help="a JSON object of texts by name")
    parser.add_argument("--study", help="the study's file; without it nothing is kept")
    parser.add_argument("--base-url", default="https://api.openai.com")
    parser.add_argument("--key-variable", default="OPENAI_API_KEY")
    parser.add_argument("--model", help="without one, the shortest text wins")
    parser.add_argument("--price-in", type=float, default=0.0)
    parser.add_argument("--price-out", type=float, default=0.0)
    parser.add_argument("--max-cost", type=float)
    parser.add_argument("--expected-cost", type=float, help="what a call costs at most")
    parser.add_argument("--max-votes", type=int)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=60.0)
    options = parser.parse_args(arguments)
    items = read_items(options.items)
    study = ac.Study.in_memory(list(items))
    if options.study:
        study = ac.Study.open(options.study, list(items))
    with study:
        result = ac.judge(
            study,
            Model(options) if options.model else shortest,
            voter=options.model or "length",
            show=lambda name, decoy: items[name],
            concurrency=options.concurrency,
            timeout=options.timeout,
            max_votes=options.max_votes,
            max_cost=options.max_cost,
            expected_cost=options.expected_cost,
        )
        progress = study.progress
    print("best:", ", ".join(result.front), "(certified)" if result.certified else "(so far)")
    print(f"{progress.answers} votes, {progress.expired} given up, cost {progress.cost:.6f}")
    return 0 if result.certified else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
