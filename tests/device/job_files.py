"""Job files of corpus programs at sizes that a campaign chooses."""
import os


def read(*path: str) -> str:
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def job_of(work: str, family: str, program: str, contract: str, dims: dict, **more) -> dict:
    """One timed case of these dims, named `timed`, added to the contract; it and what `cases` names are run."""
    folder = os.path.join(work, "tests/corpus", family)
    at = "".join(f' dims {{ key: "{name}" value: {value} }}' for name, value in dims.items())
    text = read(folder, contract + ".workload.textproto")
    text += f'\ncases {{ name: "timed" tier: WORKLOAD_TIER_DEVICE set: WORKLOAD_SET_SEARCH weight: 1{at} }}\n'
    job = {"schema": 1, "job": program, "source": read(folder, program + ".cake"), "file": program + ".cake",
           "contract_text": text, "seed": "7"}
    return job | more | {"cases": [*more.get("cases", ()), "timed"]}


def program_of(work: str, family: str, program: str, **binding) -> dict:
    return {"source": read(work, "tests/corpus", family, program + ".cake"), "file": program + ".cake", "binding": binding}
