"""Large topics are worked on in blocks: the same values whatever their size, in bounded memory."""

import json
import resource
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prum_eval.collection import locations
from prum_eval.evaluation.api import evaluate
from prum_eval.measures import prum
from tests.gold import ROOT
from tests.oracles.worlds import examples

DEMO = ("fixtures/demo/judged.txt", "fixtures/demo/run-a.offsets.run")
MEASURES = ["prum", "prum:mode=exact", "prum:mode=normal", "eprum", "gen_recall", "num_rel_ret"]
SIZES = st.sampled_from([1, 2, 3, 7, 20])


def values(model):
    return evaluate(*DEMO, measures=MEASURES, user_model=model, collection_size=65).runs[0]


@pytest.mark.parametrize("model", ["t2i", "t2i:decay=inverse", "hierarchical", "logistic:lambda=0.001", "none"])
@examples(12)
@given(SIZES, SIZES)
def test_values_do_not_depend_on_the_size_of_blocks(model, pairs, laws):
    whole = values(model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locations, "PAIRS_PER_BLOCK", pairs)
        patch.setattr(prum, "TABLE_CELLS", laws)
        blocks = values(model)
    for topic, expected in whole.topics.items():
        assert blocks.topics[topic] == pytest.approx(expected, rel=1e-12, abs=1e-15)


LIMITED = """
import json, resource, sys
import prum_eval
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]),) * 2)
found = prum_eval.evaluate(sys.argv[1], sys.argv[2], measures=["eprum_map", "prum_map", "gen_recall.1000,9000"],
                           user_model=sys.argv[4], collection_size=10**8)
print(json.dumps(found.runs[0].all))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system bounds no memory")
def test_a_large_topic_in_one_document(tmp_path):
    """3,000 passages and 9,000 results, 27 million pairs of which few reach anything; libraries count too."""
    targets, tolerance = [200 * i for i in range(3000)], 300
    starts = [(i * 7919) % 600_000 for i in range(9000)]
    spans = " ".join(f"{start}:100" for start in targets)
    (tmp_path / "qrels").write_text(f"1 Q0 d 300000 600000 0 {spans}\n", encoding="utf-8")
    lines = [f"1 Q0 d 1 {9000 - i} r {start} 50\n" for i, start in enumerate(starts)]
    (tmp_path / "run").write_text("".join(lines), encoding="utf-8")
    command = [sys.executable, "-c", LIMITED, tmp_path / "qrels", tmp_path / "run", str(1200 << 20), "t2i"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for rank in (1000, 9000):
        seen = {x for x in targets if any(x + 100 > start and x - start <= tolerance for start in starts[:rank])}
        assert found[f"gen_recall_{rank}"] == pytest.approx(len(seen) / 3000, rel=1e-12)
    assert 0 < found["prum_map"] <= 1
    assert found["eprum_map"] > 0
