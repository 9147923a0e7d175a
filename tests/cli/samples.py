"""Small files in the exact shape in which evaluation tools write them."""

import json
from pathlib import Path

MODELS = {"EleutherAI__good": 1, "fair": 2, "bad": 9}  # right on every k-th question


def is_right(model: str, k: int) -> bool:
    return k % MODELS[model] == 0


def lm_eval_folder(folder: Path, questions: int = 60) -> Path:
    """Samples of two tasks, one with two filters, and an older run of the first."""
    for model in MODELS:
        inner = folder / model
        inner.mkdir(parents=True)
        (inner / "results_2024-06-09T12-00-00.123456.json").write_text("{}")
        math, arc, old = [], [], []
        for k in range(questions):
            right = float(is_right(model, k))
            sample = {
                "doc_id": k, "doc": {"question": f"{k} + {k}?"}, "target": str(2 * k),
                "arguments": {"gen_args_0": {"arg_0": f"Q: {k}?", "arg_1": {"until": ["Q:"]}}},
                "resps": [["It is 4."]], "filtered_resps": ["4"], "doc_hash": "a1",
                "prompt_hash": "b2", "target_hash": "c3",
            }  # fmt: skip
            for chosen, score in (("strict-match", right), ("flexible-extract", 1.0)):
                more = {"filter": chosen, "metrics": ["exact_match"], "exact_match": score}
                math.append(sample | more)
            more = {"filter": "none", "metrics": ["acc", "acc_norm"], "acc": right, "acc_norm": 0.0}
            arc.append(sample | more)
            old.append(sample | {"filter": "strict-match", "metrics": ["exact_match"],
                                 "exact_match": 0.0})  # fmt: skip
        for name, rows in (
            ("gsm8k_2024-06-09T12-00-00.123456", math),
            ("gsm8k_2024-06-08T12-00-00.123456", old),
            ("arc_easy_2024-06-09T12-00-00.123456", arc),
        ):
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (inner / f"samples_{name}.jsonl").write_text(lines)
    return folder


def promptfoo_results(path: Path, tests: int = 60, prompts: int = 1) -> Path:
    results = [
        {
            "cost": 0.0001, "id": f"r{k}-{model}-{prompt}", "testIdx": k, "promptIdx": prompt,
            "promptId": f"hash{prompt}", "latencyMs": 812, "namedScores": {},
            "failureReason": 2 if k == 0 and model == "bad" else int(not is_right(model, k)),
            "success": is_right(model, k), "score": float(is_right(model, k)),
            "prompt": {"raw": f"Answer: {k}", "label": f"style {prompt}"},
            "provider": {"id": f"openai:{model}", "label": ""},
            "vars": {"question": f"question {k}"},
            "testCase": {"vars": {"question": f"question {k}"},
                         "assert": [{"type": "contains", "value": "x"}]},
            "response": {"output": "x", "tokenUsage": {"total": 12}},
            "gradingResult": {
                "pass": is_right(model, k), "score": float(is_right(model, k)), "reason": "why",
                "componentResults": [{"pass": is_right(model, k), "score": 1,
                                      "assertion": {"type": "contains", "value": "x"}}],
            },
        }
        for k in range(tests)
        for model in MODELS
        for prompt in range(prompts)
    ]  # fmt: skip
    document = {
        "evalId": "eval-abc-2025-01-01T00:00:00",
        "results": {"version": 3, "timestamp": "2025-01-01T00:00:00.000Z", "prompts": [],
                    "results": results, "stats": {"successes": 1, "failures": 2, "errors": 0}},
        "config": {"description": "", "providers": []}, "shareableUrl": None,
    }  # fmt: skip
    path.write_text(json.dumps(document, indent=2))
    return path


def inspect_samples(epochs: int = 2, samples: int = 40) -> str:
    """What samples_df(columns=EvalModel + SampleSummary) has, as CSV."""
    head = (
        "sample_id,eval_id,log,model,id,epoch,input,target,score_match,total_tokens,error,limit\n"
    )
    rows = [
        f"u{k}{model}{epoch},e-{model},logs/{model}.eval,openai/{model},{k},{epoch},"
        f'"Say ""{k}"", please",{k},{"C" if is_right(model, k + epoch - 1) else "I"},12,,\n'
        for model in MODELS
        for k in range(samples)
        for epoch in range(1, epochs + 1)
    ]
    return head + "".join(rows)
