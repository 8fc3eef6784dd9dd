"""Numbers that papers print, for comparison in notebook 07 and in tests/golden/test_reproductions.py.

Measures have irdiv's names, so that the ERR-IA of Wang et al. is ``ERR_IA`` here. Shares and correlations are as
printed, with three digits, and discriminative power is in percent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

# Wang, Wen, Dou, Sakai and Zhang, "Search Result Diversity Evaluation Based on Intent Hierarchies", TKDE 30(1), 2018.
# Parts of its tables for NTCIR-11 IMine: 11 Chinese and 15 English runs, 55 + 105 pairs.

PAIRS = {"en": 105, "zh": 55}
WEIGHTS = ("UT", "NT", "UB", "NB")
"""How nodes are weighted, in the order of the columns of tables 10 and 11."""

POWER = {
    "alpha-nDCG": 65.63, "alpha-nDCG-LA": 63.13, "ERR_IA": 62.50, "ERR_IA-LA": 65.00,
    "nDCG-IA": 68.75, "nDCG-IA-LA": 73.13, "Q-IA": 65.00, "Q-IA-LA": 71.88,
    "D#-nDCG": 68.75, "D#-nDCG-LA": 69.38, "D#-Q": 70.63, "D#-Q-LA": 71.25,
    "LD#-nDCG": 68.75, "LD#-Q": 71.25, "HD#-nDCG": 69.38, "HD#-Q": 71.25, "LAD#-nDCG": 69.38, "LAD#-Q": 71.25,
}  # fmt: skip
"""Tables 2 and 3: discriminative power."""


def with_weights(measure: str, weights: str) -> str:
    """Return the spec of a measure with weights of nodes; flat and binary measures have none."""
    return measure if measure in ("D-nDCG", "D-Q", "ERR_IA-LA", "alpha-nDCG-LA") else f"{measure}(weights='{weights}')"


POWER_BY_WEIGHTS = {
    "alpha-nDCG-LA": (63.13, 63.13, 63.13, 63.13),
    "ERR_IA-LA": (65.00, 65.00, 65.00, 65.00),
    "nDCG-IA-LA": (70.63, 71.25, 72.50, 73.13),
    "Q-IA-LA": (69.38, 68.75, 71.88, 71.88),
    "D#-nDCG-LA": (68.75, 69.38, 70.00, 69.38),
    "D#-Q-LA": (70.63, 70.63, 71.25, 71.25),
    "LD#-nDCG": (68.75, 68.75, 69.38, 68.75),
    "HD#-nDCG": (69.38, 68.75, 69.38, 69.38),
    "LAD#-nDCG": (69.38, 68.75, 69.38, 69.38),
    "LD#-Q": (70.63, 70.63, 71.25, 71.25),
    "HD#-Q": (71.25, 71.25, 71.25, 71.25),
    "LAD#-Q": (71.25, 71.25, 71.25, 71.25),
}
"""Table 10: discriminative power by the weights of nodes."""

POWER_OF_RELEVANCE = {
    "D-nDCG": (77.50, 77.50, 77.50, 77.50),
    "HD-nDCG": (77.50, 78.13, 76.88, 76.25),
    "D-nDCG-LA": (76.88, 78.13, 76.88, 77.50),
    "D-Q": (81.88, 81.88, 81.88, 81.88),
    "HD-Q": (81.88, 81.88, 81.25, 81.25),
    "D-Q-LA": (81.88, 81.88, 81.25, 81.25),
}
"""Table 11: the same for the parts of measures that reward relevance."""

COMPARED = ("alpha-nDCG", "ERR_IA", "D#-nDCG", "LD#-nDCG", "HD#-nDCG", "LAD#-nDCG")
"""The measures of tables 5 and 7."""


def _by_pair(pairs: Iterable[tuple[str, str]], cells: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Return cells such as ``.869/.763`` by pair of measures."""
    numbers = [cell.split("/") for cell in cells.split()]
    return {pair: (float(one), float(two)) for pair, (one, two) in zip(pairs, numbers, strict=True)}


CORRELATIONS = _by_pair(
    combinations(COMPARED, 2),
    """
    .869/.763 .899/.922 .825/.843 .835/.878 .835/.878
              .787/.767 .713/.704 .723/.728 .723/.728
                        .926/.913 .936/.949 .936/.949
                                  .990/.964 .990/.964
                                            .999/.999
    """,
)
"""Table 7: Kendall's τ and symmetric τ_ap, means over the two languages."""

LAYER_AWARE = ("alpha-nDCG-LA", "ERR_IA-LA", "nDCG-IA-LA", "Q-IA-LA")
SHARPENED = ("LD#-nDCG", "HD#-nDCG", "LAD#-nDCG", "LD#-Q", "HD#-Q", "LAD#-Q")

CONCORDANCE_OF_LAYERS = _by_pair(
    [(row, column) for row in SHARPENED for column in LAYER_AWARE],
    """
    .705/.171 .806/.131 .653/.112 .654/.144
    .704/.145 .813/.108 .624/.130 .633/.144
    .721/.151 .815/.114 .657/.119 .657/.130
    .785/.096 .835/.077 .718/.091 .728/.067
    .792/.070 .845/.058 .718/.100 .736/.082
    .782/.096 .837/.078 .720/.094 .730/.070
    """,
)
"""Table 4: concordance with N-rec and Precision together."""

CONCORDANCE = {
    ("N-rec",): _by_pair(
        combinations(COMPARED, 2),
        """
        .973/.159 .385/.885 .420/.867 .458/.862 .419/.883
                  .256/.944 .284/.933 .319/.922 .292/.935
                            .548/.644 .643/.622 .540/.698
                                      .719/.626 .605/.721
                                                .475/.852
        """,
    ),
    ("P",): _by_pair(
        combinations(COMPARED, 2),
        """
        .886/.227 .348/.841 .466/.812 .467/.829 .467/.811
                  .287/.886 .361/.868 .363/.870 .366/.860
                            .788/.587 .720/.636 .762/.619
                                      .662/.727 .663/.698
                                                .738/.639
        """,
    ),
    ("N-rec", "P"): _by_pair(
        combinations(COMPARED, 2),
        """
        .868/.050 .100/.733 .182/.698 .213/.707 .183/.710
                  .067/.834 .116/.811 .139/.802 .120/.805
                            .385/.346 .413/.350 .365/.405
                                      .439/.403 .337/.442
                                                .295/.525
        """,
    ),
}
"""Table 5: concordance with each gold measure, and with both."""


def _by_weights(cells: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Return cells by measure with top-down and with bottom-up weights, both uniform or both nonuniform."""
    by_pair = {}
    for measure, *row in (line.split() for line in cells.strip().splitlines()):
        for (top_down, bottom_up), cell in zip((("UT", "UB"), ("NT", "NB")), (row[:2], row[2:]), strict=True):
            pair = with_weights(measure, top_down), with_weights(measure, bottom_up)
            by_pair[pair] = (float(cell[0]), float(cell[1]))
    return by_pair


CONCORDANCE_BY_WEIGHTS = {
    ("I-rec",): _by_weights(
        """
        nDCG-IA-LA .653 .721 .669 .673
        Q-IA-LA    .654 .681 .681 .620
        D#-nDCG-LA .636 .821 .753 .771
        D#-Q-LA    .818 .864 .864 .909
        LD#-nDCG   .565 .768 .736 .753
        HD#-nDCG   .705 .795 .813 .731
        LAD#-nDCG  .691 .819 .779 .785
        LD#-Q      .882 .647 .912 .794
        HD#-Q      .837 .837 .800 .855
        LAD#-Q     .837 .837 .843 .843
        """
    ),
    ("P",): _by_weights(
        """
        nDCG-IA-LA .620 .697 .618 .687
        Q-IA-LA    .598 .657 .576 .629
        D#-nDCG-LA .649 .709 .620 .753
        D#-Q-LA    .864 .886 .864 .886
        LD#-nDCG   .464 .761 .545 .781
        HD#-nDCG   .705 .659 .684 .720
        LAD#-nDCG  .691 .698 .674 .727
        LD#-Q      .412 .765 .735 .824
        HD#-Q      .857 .816 .836 .782
        LAD#-Q     .857 .816 .863 .804
        """
    ),
    ("I-rec", "P"): _by_weights(
        """
        nDCG-IA-LA .407 .502 .429 .502
        Q-IA-LA    .413 .492 .437 .445
        D#-nDCG-LA .377 .543 .446 .566
        D#-Q-LA    .727 .750 .750 .795
        LD#-nDCG   .152 .536 .354 .567
        HD#-nDCG   .438 .472 .518 .497
        LAD#-nDCG  .403 .523 .477 .552
        LD#-Q      .353 .471 .647 .647
        HD#-Q      .694 .653 .636 .636
        LAD#-Q     .694 .653 .706 .647
        """
    ),
}
"""Table 12: concordance of top-down against bottom-up weights. α-nDCG-LA and ERR-IA-LA, which have no weights, are left
out; the paper prints 1.000 for them."""


def number_of_disagreements(shares: Sequence[float], limit: int = 350) -> int | None:
    """Return the smallest N of which all shares, printed with three digits, are k/N; None if it is above a limit.

    With six shares it is the number of disagreements that the paper counted, unless all of its counts have a common
    divisor. Near the limit and above, three digits fit many numbers.
    """
    for N in range(2, limit + 1):
        if all(abs(round(share * N) / N - share) < 0.000501 for share in shares):
            return N
    return None


def can_include(shares: Sequence[float], N: int, counts: Sequence[int], n: int) -> bool:
    """Return whether n of N disagreements can be English: counts of them are among those that the shares count."""
    return all(count <= round(share * N) <= N - n + count for share, count in zip(shares, counts, strict=True))


# Sakai and Song, "Evaluating Diversified Search Results Using Per-intent Graded Relevance", SIGIR 2011.

TREC_2009 = {
    "topics": 50, "ambiguous topics": 12, "faceted topics": 38,
    "subtopics": 243, "informational subtopics": 177, "navigational subtopics": 66,
    "intents with a relevant document": 199, "most intents of a topic": 6, "most intents of a document": 5,
    "relevant documents over topics": 4942, "relevant documents over intents": 6499,
    "relevant to 1 intent": 3622, "to 2": 1113, "to 3": 178, "to 4": 28, "to 5": 1,
}  # fmt: skip
"""Table 1 (a), and from section 5.2 how many documents are relevant to how many intents."""

AGREEMENT = {
    ("I-rec", "D#-Q"): (4, 115, 11, 86),
    ("I-rec", "D#-nDCG"): (4, 115, 10, 89),
    ("I-rec", "alpha-nDCG"): (9, 110, 16, 81),
    ("I-rec", "nDCG-IA"): (23, 96, 15, 72),
    ("D#-Q", "D#-nDCG"): (1, 125, 0, 99),
    ("D#-Q", "alpha-nDCG"): (9, 117, 9, 87),
    ("D#-Q", "nDCG-IA"): (21, 105, 6, 80),
    ("D#-nDCG", "alpha-nDCG"): (9, 116, 10, 86),
    ("D#-nDCG", "nDCG-IA"): (21, 104, 7, 79),
    ("alpha-nDCG", "nDCG-IA"): (20, 106, 5, 81),
}
"""Table 5: significant pairs by the first measure only, by both, by the second only, and the agreement in percent."""

POWER_2009 = {"I-rec": 62.6, "D#-Q": 66.3, "D#-nDCG": 65.8, "alpha-nDCG": 66.3, "nDCG-IA": 58.4}
"""Table 3 (ii): discriminative power in percent of 190 pairs, at cutoff 10 with equally probable intents."""

CASES = {
    "A": ("47", "1:1 2:1 3:1 6:1", "2:12 7:2", 0.018),
    "B": ("21", "1:5", "3:5 4:5 5:5 6:5 7:5 8:5 9:5 10:5", 0.023),
    "C": ("46", "2:1 4:1", "6:1 8:1 10:1", 0.010),
    "D": ("26", "1:13 3:1 5:1 10:1", "3:134 7:134 10:134", 0.027),
    "E": ("26", "1:13 2:1 5:1 7:1 9:1", "3:134 7:134 10:134", 0.042),
    "F": ("50", "1:3 2:3 5:3", "5:12", 0.168),
    "G": ("20", "2:5 3:2", "2:3", 0.150),
    "H": ("14", "1:2 2:2 3:2 4:2 5:2 6:2 7:2 8:2 9:2 10:2", "4:2 10:24", 0.131),
    "I": ("50", "1:3 2:3 6:3 7:12", "1:3 2:3 3:3 4:3 5:3 7:3 8:3 9:3 10:3", 0.131),
    "J": ("38", "2:1 4:3 5:1 8:1 9:1", "3:1 4:1 5:1 6:1 7:1", 0.130),
}
"""Table 6: topic, what two runs show as ``rank:intents``, and their difference in α-nDCG@10."""

# Clarke et al., "Novelty and Diversity in Information Retrieval Evaluation", SIGIR 2008.

TOPIC_85 = {"a": "24", "b": "2", "c": "2", "e": "16", "f": "1", "g": "3", "h": "1"}
"""Table 2: the questions that documents a to j answer; the others answer none."""
GAIN_85 = [2, 1 / 2, 1 / 4, 0, 2, 1 / 2, 1, 1 / 4]
IDEAL_GAIN_85 = [2, 2, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 4]
ALPHA_DCG_85, IDEAL_ALPHA_DCG_85, ALPHA_NDCG_85 = [2, 2.315, 2.440], [2, 3.262, 3.762], [1, 0.710, 0.649]

# Baeza-Yates and Ribeiro-Neto, "Modern Information Retrieval", slides of chapter 4. They cut digits off.

GRADES = {
    "q1": {"d3": 3, "d5": 3, "d9": 3, "d25": 2, "d39": 2, "d44": 2, "d56": 1, "d71": 1, "d89": 1, "d123": 1},
    "q2": {"d3": 3, "d56": 2, "d129": 1},
}
LISTS = {
    "q1": "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3",
    "q2": "d425 d87 d56 d32 d124 d615 d512 d129 d4 d130 d193 d715 d810 d5 d3",
}
PRECISION_AT_RECALL = {
    "q1": [100, 100, 66.6, 50, 40, 33.3, 0, 0, 0, 0, 0],
    "q2": [33.3, 33.3, 33.3, 33.3, 25, 25, 25, 20, 20, 20, 20],
    "mean": [66.6, 66.6, 49.9, 41.6, 32.5, 29.1, 12.5, 10, 10, 10, 10],
}
"""Interpolated precision in percent at recall 0, 10, …, 100%."""
SINGLE_VALUES = {"P@5": 0.40, "P@10": 0.40, "Rprec": 0.4, "AP-seen": 0.57}
"""Of q1."""
GAIN_CURVES = {
    "cg": [0.5, 0.5, 2, 2, 2, 3.5, 3.5, 4, 4, 5, 5, 5, 5, 5, 8],
    "dcg": [0.5, 0.5, 1.4, 1.4, 1.4, 2.0, 2.0, 2.1, 2.1, 2.4, 2.4, 2.4, 2.4, 2.4, 3.2],
    "ncg": [0.17, 0.09, 0.29, 0.27, 0.25, 0.44, 0.44, 0.50, 0.50, 0.63, 0.63, 0.63, 0.63, 0.63, 1.00],
    "ndcg": [0.17, 0.09, 0.22, 0.22, 0.21, 0.29, 0.29, 0.32, 0.32, 0.36, 0.36, 0.36, 0.36, 0.36, 0.47],
}
"""Means over q1 and q2 by rank, and ratios of these means to those of ideal lists."""

# Albahem et al., "Desirable Properties for Diversity and Truncated Effectiveness Metrics", ADCS 2018.

PROPERTY_MEASURES = (
    "RR", "P@5", "P@10", "nDCG@5", "nDCG@10", "AP", "StRecall@10", "AP_IA", "P_IA@10", "ERR_IA@10",
    "alpha_nDCG@10", "NRBP", "CT", "nCT", "ACT",
)  # fmt: skip
PROPERTY_CASES = {"irrelevance": 29523, "redundancy": 2026}
VIOLATIONS = {("ACT", "irrelevance"): 29496, ("AP_IA", "redundancy"): 2026}
"""Table 1 and section 4.2: all violations of the first three properties; no other measure has any."""
VIOLATES_INDUCTION = ("ACT", "AP_IA")
EXAMPLES = {("ACT", "ab"): 0.0750, ("ACT", "abx"): 0.08330, ("AP_IA", "axxa"): 0.150, ("AP_IA", "axxb"): 0.125}
"""Section 4.3: scores of rankings; for AP-IA, five documents are relevant to each aspect."""
