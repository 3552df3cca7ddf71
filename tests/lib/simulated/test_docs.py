from pathlib import Path

from lib.simulated.knobs import BIASES
from lib.simulated.misbehaviours import LIBRARY
from lib.simulated.profiles import PROFILES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "simulated-model.md").read_text()


def test_the_page_lists_every_misbehaviour_with_its_cause() -> None:
    for one in LIBRARY.values():
        cause = f"`{one.cause}`" if one.cause else "read all the same"
        assert f"| `{one.name}` | {one.about} | {cause} | {'yes' if one.common else ''} |" in PAGE


def test_the_page_names_every_bias() -> None:
    assert all(f"--bias {name}=" in PAGE for name in BIASES)


def test_the_page_describes_every_profile() -> None:
    described = {line.split("|")[1] for line in PAGE.split("## Profiles")[1].splitlines() if line.startswith("| `")}
    assert all(any(f"`{name}`" in cell for cell in described) for name in PROFILES)
