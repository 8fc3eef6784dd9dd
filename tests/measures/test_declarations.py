"""What measures state of themselves: families, formulas, other programs, and words to search for."""

from __future__ import annotations

import re

import pytest

from irdiv.measures.catalogue import Registry, declarations
from irdiv.measures.operators import adhoc_extensions


@pytest.fixture
def registry():
    return Registry(declarations(), adhoc_extensions())


FAMILIES = {
    "M-IA: every intent scored on its own, then the mean of the scores": ["nDCG-IA", "niRBU-IA"],
    "D-M: gains averaged over intents, then the list scored once": ["D-nDCG", "D-niRBU"],
    "D#-M: D-M sharpened by the share of intents covered": ["D#-nDCG", "D#-niRBU"],
    "ad hoc: on the highest grade of a document over intents": ["CG", "Judged"],
    "DIN-M: as D-M, but a navigational intent gains only the first time it is met": ["DIN-nDCG", "DIN-niRBU"],
    "DIN#-M: DIN-M sharpened by the share of intents covered": ["DIN#-nDCG", "DIN#-niRBU"],
    "P+Q: navigational intents by P+, informational ones by Q": ["P+Q", "P+Q#"],
    "coverage and novelty": ["I-rec", "WS-precision"],
    "coverage of nuggets, rubrics and aspects": ["Coverage", "MRecall"],
    "cube test and utility: how soon intents are filled, and at which cost": ["CT", "RBU"],
    "ndeval's measures, by ir_measures' names: binary, intents uniform": ["ERR_IA", "StRecall"],
    "intent hierarchies": ["N-rec", "N-rec"],
    "HD-M: gains averaged over the layers of the intent hierarchy, then the list scored once": ["HD-nDCG", "HD-niRBU"],
    "LD#-M: D-M on the leaves, sharpened by the share of nodes covered": ["LD#-nDCG", "LD#-niRBU"],
    "HD#-M: HD-M sharpened by the share of nodes covered": ["HD#-nDCG", "HD#-niRBU"],
    "LAD#-M: D-M of each layer, averaged, and sharpened by the share of nodes covered": ["LAD#-nDCG", "LAD#-niRBU"],
    "M-LA: every layer of the intent hierarchy scored on its own, then the mean of the scores": [
        "nDCG-IA-LA", "StRecall-LA",
    ],
}  # fmt: skip


def test_families_in_the_order_of_lists_with_their_first_and_last_measures(registry):
    members = {family: [d.name for d in registry.values() if d.family == family] for family in FAMILIES}
    assert {family: [names[0], names[-1]] for family, names in members.items()} == FAMILIES
    assert list(dict.fromkeys(d.family for d in registry.values())) == list(FAMILIES)


RECALL = "The share of the relevant documents that are among the first l"
COVERED = "intents covered in the first l / intents"
NODES = "nodes covered in the first l / nodes"
NAV = "an intent is navigational where its type is 'nav', else informational"
GG = "GG(r) = Σ_i Pr(i|q)·g_i(r) for g(r)"
D_RECALL = f"C(l)/R, on {GG}; J(r) = 1 iff GG(r) > 0; ideal = judged documents by GG"
DIN_RECALL = (
    f"C(l)/R, on {GG}, over informational intents and navigational ones met for the first time; the ideal list is that "
    f"of D-Recall; {NAV}"
)
HD_RECALL = (
    "C(l)/R, on GG_h(r) = Σ_v w_v·GG_v(r) for g(r), GG_v(r) = Σ_n W(n)·g_n(r) over the nodes n of layer v; "
    "J(r) = 1 iff GG_h(r) > 0"
)
P_PLUS_Q = (
    "Σ_i Pr(i|q) · (Q_i if i is informational, P+_i if navigational), with "
    "Q = 1/min(l,R) · Σ_{r≤l} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r)) and "
    f"P+ = 1/C(r_p) · Σ_{{r≤r_p}} J(r)·(C(r)+β·cg(r)) / (r+β·cg*(r)), r_p in the first l; {NAV}"
)
OF_OPERATORS = {
    "Recall-IA": (
        f"{RECALL}, averaged over intents by probability.",
        "Σ_i Pr(i|q) · Recall_i, with Recall_i = C(l)/R, on the grades for intent i",
    ),
    "D-Recall": (f"{RECALL}, on gains averaged over intents.", D_RECALL),
    "D#-Recall": (
        "D-Recall sharpened by intent recall.",
        f"γ · I-rec + (1−γ) · D-Recall, with I-rec = {COVERED} and D-Recall = {D_RECALL}",
    ),
    "DIN-Recall": (
        "D-Recall in which a navigational intent adds gain only the first time it is met.",
        DIN_RECALL,
    ),
    "DIN#-Recall": (
        "DIN-Recall sharpened by intent recall.",
        f"γ · I-rec + (1−γ) · DIN-Recall, with I-rec = {COVERED} and DIN-Recall = {DIN_RECALL}",
    ),
    "P+Q": ("P-plus of navigational and Q-measure of informational intents, averaged by probability.", P_PLUS_Q),
    "P+Q#": (
        "P+Q sharpened by intent recall.",
        f"γ · I-rec + (1−γ) · P+Q, with I-rec = {COVERED} and P+Q = {P_PLUS_Q}",
    ),
    "HD-Recall": (f"{RECALL}, on gains averaged over nodes and layers.", HD_RECALL),
    "LD#-Recall": (
        "D-Recall on the leaves of the intent hierarchy, sharpened by node recall.",
        f"γ · N-rec + (1−γ) · D-Recall on the leaves, with N-rec = {NODES} and D-Recall = {D_RECALL}",
    ),
    "HD#-Recall": (
        "HD-Recall sharpened by node recall.",
        f"γ · N-rec + (1−γ) · HD-Recall, with N-rec = {NODES} and HD-Recall = {HD_RECALL}",
    ),
    "LAD#-Recall": (
        "D-Recall-LA sharpened by node recall.",
        f"γ · N-rec + (1−γ) · Σ_v w_v · D-Recall_v over layers v, with N-rec = {NODES} and D-Recall_v = {D_RECALL}, on "
        "the nodes of layer v for intents",
    ),
    "Recall-IA-LA": (
        "Recall-IA of each layer of the intent hierarchy, averaged over layers.",
        "Σ_v w_v · Recall-IA_v over layers v, with Recall-IA = Σ_i Pr(i|q) · Recall_i, with Recall_i = C(l)/R, on the "
        "grades for intent i, on the nodes of layer v for intents",
    ),
    "Hit": ("Whether there is a relevant document among the first l.", "1 if C(l) > 0, else 0"),
}


STOPS = "Pr(r)·Π_{j<r}(1−Pr(j)), Pr(r) = GG(r)/(g*+1)"
ON_GAINS = {
    "D-ERR": f"Σ_{{r≤l}} (1/r)·{STOPS}",
    "D-RBP": "(1−p) Σ_{r≤l} p^{r−1} GG(r)/g*",
    "D-EBR": f"Σ_{{r≤l}} (C(r)+β·cg(r))/(r+β·cg*(r)) · {STOPS}",
    "D-iRBU": f"Σ_{{r≤l}} p^r·{STOPS}",
}
ON_GAINS |= {
    name.replace("D-", "D-n"): f"{ON_GAINS[name]}, over the same of the ideal list"
    for name in ON_GAINS
    if name != "D-RBP"
}


def test_formulas_that_are_others_on_gains(registry):
    assert {name: registry[name].formula.split(", on GG(r)")[0] for name in ON_GAINS} == ON_GAINS


def test_operators_describe_what_they_make_of_a_base_measure(registry):
    assert {name: (registry[name].summary, registry[name].formula) for name in OF_OPERATORS} == OF_OPERATORS


def test_forms_of_the_cube_test_are_given_by_that_of_the_list(registry):
    cube = registry["CT"].formula
    assert cube.startswith("Σ_i p_i·height_i / MH ÷ time, ")
    assert registry["ACT"].formula == f"1/L · Σ_{{j≤L}} CT@j, L documents in the list, at most l, with CT = {cube}"
    ideal = "Σ_i p_i·min(MH, Σ_j γ^j·x_(j))/MH, x_(j) the six best grades of the intent from j = 0"
    assert registry["nCT"].formula == f"CT over {ideal}, with CT = {cube}"


def test_texts_are_sentences_formulas_and_references(registry):
    for declaration in [*registry.values(), *registry.extensions.values()]:
        texts = [declaration.summary, *filter(None, [declaration.other_programs])]
        assert all(text.endswith((".", ".)")) and " " in text for text in texts), declaration
        # sentences are joined by a space
        assert not any(re.search(r"\.[A-Z]|  ", text) for text in texts), declaration
        assert re.search("[Σ/·]|1 if", declaration.formula), declaration
        assert all(re.search(r"\b(19|20)\d\d\b", reference) for reference in declaration.references), declaration


OTHER_PROGRAMS = {
    "ERR-IA": "ndeval's ERR-IA, here ERR_IA, is binary",
    "nERR-IA": "ndeval's nERR-IA, here nERR_IA, is binary",
    "AP-IA": "ndeval's MAP-IA, here AP_IA, is the same",
    "P-IA": "ndeval's P-IA, here P_IA, is the same",
    "D-Hit": "NTCIREVAL has gain='linear'",
    "D#-Hit": "NTCIREVAL has gain='linear'",
    "DIN-Hit": "NTCIREVAL has gain='linear'",
    "DIN#-Hit": "NTCIREVAL has gain='linear'",
    "P+Q": "NTCIREVAL has gain='linear'",
    "Hit": "trec_eval and ir_measures call it success.",
    "Hit-IA": "trec_eval and ir_measures call it success.",
    "Coverage": "It is I-rec(intents='all'). ",
    "All-covered": "It is 1 where Coverage is 1, and 0 elsewhere. ",
    "Vital-coverage": "The column importance of the qrels has 'vital' for vital intents",
    "A-Recall": "It is Coverage(weighted=True), and Hit-IA(intents='all'). ",
    "N-rec": "No other program computes it.",
    "HD-Hit": "No other program computes it.",
    "LAD#-Hit": "No other program computes it.",
    "Q-IA-LA": "No other program computes it.",
    "ERR_IA-LA": "No other program computes it. It is what Wang et al. call ERR-IA-LA.",
    "ERR-IA-LA": "No other program computes it. What Wang et al. call ERR-IA-LA is ERR_IA-LA here",
}


def test_how_other_programs_differ(registry):
    found = {name: registry[name].other_programs[: len(start)] for name, start in OTHER_PROGRAMS.items()}
    assert found == OTHER_PROGRAMS
    assert registry["Q-IA-LA"].other_programs == OTHER_PROGRAMS["Q-IA-LA"]
    ends = {
        "ERR_IA": " ERR-IA is the graded, weighted ERR of each intent instead. ndeval itself forgets to divide the "
        "value at cutoff 1 by the number of intents; irdiv divides.",
        "nERR_IA": " nERR-IA is the graded, weighted nERR of each intent instead.",
        "alpha_DCG": " alpha-DCG is not divided at all. ndeval itself forgets to divide the value at cutoff 1 by the "
        "number of intents; irdiv divides.",
        "alpha_nDCG": " as pyndeval would see one intent.",
        "StRecall": " I-rec is the same by another name.",
        "S-recall@min": " At other cutoffs subtopic recall is I-rec.",
    }
    assert {name: registry[name].other_programs[-len(end) :] for name, end in ends.items()} == ends
    assert registry["Judged"].references == ("MacAvaney, Macdonald and Ounis, ECIR 2022 (ir_measures)",)
    wang = "Wang, Wen, Dou, Sakai and Zhang, TKDE 30(1), 2018"
    assert registry["D-nDCG-LA"].references == (wang, *registry["D-nDCG"].references)
    # these are the same everywhere
    plain = ["CG-IA", "CG", "DCG-IA", "DCG", "Recall-IA", "RR-IA", "Rprec-IA"]
    assert [d.name for d in registry.values() if not d.other_programs] == plain


RAG = "retrieval-augmented generation (RAG)"
KEYWORDS = {
    "I-rec": ["subtopic recall", "S-recall", "coverage", "nuggets", "rubrics", "aspects", RAG],
    "alpha-DCG": ["nuggets", "rubrics", "aspects", RAG],
    "alpha-nDCG": ["coverage", "nuggets", "rubrics", "aspects", RAG],
    "Coverage": ["subtopic recall", "nugget recall", "context recall"],
    "All-covered": ["complete coverage"],
    "Vital-coverage": ["importance", "nugget recall"],
    "A-Recall": ["weighted coverage"],
    "MRecall": ["multi-answer retrieval", "coverage"],
}


def test_words_by_which_a_search_finds_a_measure(registry):
    of_nuggets = ["nuggets", "rubrics", "aspects", "facts", "sub-questions", RAG]
    more = dict.fromkeys(["Coverage", "All-covered", "Vital-coverage", "A-Recall", "MRecall"], of_nuggets)
    expected = {name: [*words, *more.get(name, [])] for name, words in KEYWORDS.items()}
    assert {d.name: list(d.keywords) for d in registry.values() if d.keywords} == expected
