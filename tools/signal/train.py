#!/usr/bin/env python3
"""Trains the table of weights with which `Keep::Signal` scores lines.

    tools/signal/train.py CORPUS --check      splits the projects into five parts, trains on four, scores the fifth
    tools/signal/train.py CORPUS --write      trains on all logs and writes weights.bin

The score is linear. Its features are the words of a line, the words of the lines around it, and its
context. The training fits the weights so that the labelled lines of a log get the largest share of a
softmax over the lines of the log. The program itself computes the features
(`cargo run --example train`), so that this script cannot differ from it.
The script needs numpy and scipy. If they are missing, it installs them into a virtual environment.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
try:
    import numpy as np
    import scipy.optimize
    import scipy.sparse
except ImportError:
    venv = ROOT / ".tools" / "train"
    if sys.prefix == str(venv):
        raise
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin" / "pip", "install", "-q", "numpy", "scipy"], check=True)
    os.execv(venv / "bin" / "python", [venv / "bin" / "python", *sys.argv])

import corpus

WEIGHTS = ROOT / "crates/overspill-core/src/keep/signal/weights.bin"
BUDGETS = (51200, 9500, 8192, 2048)
SHORT = 2048  # The report prints the size of previews for logs whose wanted lines take at most so many bytes.
UNIT = 32  # Weights are whole numbers. This number stands for a factor of e.
# A word has five weights (channels): for its own line, for the next line, for the previous line, and for
# the lines up to FAR lines after and before them. Each channel lists the lines, relative to a line,
# whose words count for that line.
FAR = 4
CHANNELS = [[0], [-1], [1], list(range(-FAR, -1)), list(range(2, FAR + 1))]
PLACES = 1 << 12  # The number of places in the table. Each place has slots for two words.
SEED = 7


# ---------- features ----------
class Log:
    """The features of the lines of a log, and the wanted lines."""

    def __init__(self, label, path):
        self.label, self.path = label, path
        raw = np.fromfile(f"{path}.features", dtype=np.uint32)
        count, self.arounds = int(raw[0]), int(raw[1])
        lens = raw[2 : 2 + count].astype(np.int64)
        self.start = np.concatenate([[0], np.cumsum(lens)])
        words_end = 2 + count + int(self.start[-1])
        self.words = raw[2 + count : words_end]
        self.around = raw[words_end:].reshape(count, -1)
        self.count = count
        self.target = np.zeros(count)
        with np.load(f"{path}.wanted.npz") as saved:
            self.target[saved["line"]] = saved["share"]

    def of(self, line):
        """Returns the words of a line. A line outside the log has no words."""
        if 0 <= line < self.count:
            return self.words[self.start[line] : self.start[line + 1]]
        return self.words[:0]


def prepare(job):
    """Unpacks a log, finds its wanted lines, and returns the path of the unpacked log."""
    directory, label, work = job
    path = work / label["file"].replace("/", "_")
    marker = pathlib.Path(f"{path}.wanted.npz")
    if not marker.exists():
        log = corpus.read(directory, label["file"])
        path.write_bytes(log)
        texts = corpus.wanted(label, log)
        lines = [corpus.visible(line) for line in log.decode("utf-8", "replace").split("\n")]
        share = collections.Counter()
        for text in texts:
            found = [at for at, line in enumerate(lines) if text in line]
            if len(text) < 12:
                found = [at for at in found if lines[at] == text] or found
            for at in found:
                share[at] += 1 / len(texts) / len(found)
        at = np.array(sorted(share), dtype=np.int64)
        at = at[at < log.count(b"\n") + (not log.endswith(b"\n"))]
        np.savez(marker, line=at, share=np.array([share[line] for line in at]))
    return path


# ---------- fitting ----------
def sample(log, chance, lines, scores):
    """Returns the lines to train on, and the number of lines that each of them stands for.

    These are all wanted lines with their neighbours, the lines with the best scores, and a random
    sample of the other lines.
    """
    wanted = np.flatnonzero(log.target)
    sure = np.unique(np.clip(wanted[:, None] + np.arange(-3, 4), 0, log.count - 1))
    if scores is not None:
        lines //= 2
        sure = np.union1d(sure, np.argsort(-scores, kind="stable")[:lines])
    rest = np.setdiff1d(np.arange(log.count), sure, assume_unique=True)
    some = chance.choice(rest, min(lines, len(rest)), replace=False)
    rows = np.concatenate([sure, some])
    stands_for = np.concatenate([np.ones(len(sure)), np.full(len(some), len(rest) / max(1, len(some)))])
    return rows, stands_for


class Model:
    """The weights of words for each channel, and the weights of the context."""

    def __init__(self, words, weights, seen):
        self.words, self.seen = words, seen
        self.channels = weights[: len(CHANNELS) * len(words)].reshape(len(CHANNELS), -1)
        self.around = weights[len(CHANNELS) * len(words) :]

    def score(self, log):
        lines = by_words(log, self.words)
        scores = self.around[log.around].sum(axis=1)
        for channel, away in zip(self.channels, CHANNELS):
            worth = lines @ channel.astype(np.float32)
            for step in away:
                at = np.arange(log.count) + step
                there = (at >= 0) & (at < log.count)
                scores[there] += worth[at[there]]
        return scores

    def places(self):
        """Yields the words that fit into the table, with their places. The words with the largest effect come first."""
        force = np.abs(self.channels).sum(axis=0) * np.sqrt(self.seen)
        filled = collections.Counter()
        for index in np.argsort(-force, kind="stable").tolist():
            at = int(self.words[index]) % PLACES
            if filled[at] < 2:
                yield index, at, filled[at]
                filled[at] += 1


def by_words(log, words):
    """Returns a matrix of the lines of a log and the given words."""
    at = np.minimum(np.searchsorted(words, log.words), len(words) - 1)
    counts = words[at] == log.words
    ends = np.concatenate([[0], np.cumsum(counts)])[log.start]
    return scipy.sparse.csr_matrix((np.ones(ends[-1], dtype=np.float32), at[counts], ends), shape=(log.count, len(words)))


def fit(logs, options):
    """Fits twice.

    The first fit finds the words with the largest effect and the lines that get a high score by
    mistake. The second fit uses only these words, and samples these lines. It is repeated with other
    samples, and the weights are the mean, because the weights of one fit depend on its sample.
    """
    chance = np.random.default_rng(SEED)
    logs = [log for log in logs if log.target.sum() > 0]
    sampled = [sample(log, chance, options.lines, None) for log in logs]
    # Words that only few projects use do not help with other projects.
    projects = collections.defaultdict(set)
    for log, (rows, _) in zip(logs, sampled):
        for word in np.unique(np.concatenate([log.of(row) for row in rows])).tolist():
            projects[word].add(log.label["group"])
    words = np.array(sorted(word for word, seen in projects.items() if len(seen) >= options.projects), dtype=np.uint32)
    first = solve(logs, sampled, words, options)
    words = np.sort(words[[index for index, _, _ in first.places()]])
    scores = [first.score(log) for log in logs]
    models = []
    for _ in range(options.samples):
        sampled = [sample(log, chance, options.lines, scored) for log, scored in zip(logs, scores)]
        models.append(solve(logs, sampled, words, options))
    mean = lambda part: sum(map(part, models)) / len(models)
    weights = np.concatenate([mean(lambda model: model.channels).ravel(), mean(lambda model: model.around)])
    return Model(words, weights, mean(lambda model: model.seen))


def solve(logs, sampled, words, options):
    """Fits the weights of the given words to the sampled lines."""
    arounds = logs[0].arounds

    def around(log, rows):
        indices = log.around[rows]
        ends = np.arange(0, indices.size + 1, indices.shape[1])
        return scipy.sparse.csr_matrix((np.ones(indices.size, dtype=np.float32), indices.ravel(), ends), shape=(len(rows), arounds))

    def beside(lines, rows, away):
        """Returns the words of the lines at the distances `away` from each row."""
        total = 0
        for step in away:
            at = rows + step
            there = scipy.sparse.diags(((at >= 0) & (at < lines.shape[0])).astype(np.float32))
            total = there @ lines[np.clip(at, 0, lines.shape[0] - 1)] + total
        return total

    blocks, targets, weights, sizes, importance = [], [], [], [], []
    per_project = collections.Counter(log.label["group"] for log in logs)
    for log, (rows, stands_for) in zip(logs, sampled):
        lines = by_words(log, words)
        blocks.append(scipy.sparse.hstack([*(beside(lines, rows, away) for away in CHANNELS), around(log, rows)], format="csr"))
        targets.append(log.target[rows] / log.target[rows].sum())
        weights.append(stands_for)
        sizes.append(len(rows))
        importance.append(per_project[log.label["group"]] ** -0.5)
    matrix = scipy.sparse.vstack(blocks, format="csr")
    del blocks
    transposed = matrix.T.tocsr()
    sizes, width = np.array(sizes), matrix.shape[1]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    target, log_weight = np.concatenate(targets), np.log(np.concatenate(weights))
    row_importance = np.repeat(np.array(importance) / np.sum(importance), sizes)
    penalty = np.full(width, options.penalty)
    penalty[len(words) : 3 * len(words)] *= options.beside
    penalty[3 * len(words) : len(CHANNELS) * len(words)] *= options.far
    penalty[len(CHANNELS) * len(words) :] = options.penalty_around

    def loss(x):
        score = matrix @ x.astype(np.float32)
        weighed = score + log_weight
        top = np.repeat(np.maximum.reduceat(weighed, starts), sizes)
        power = np.exp(weighed - top)
        total = np.repeat(np.add.reduceat(power, starts), sizes)
        value = (row_importance * target * (np.log(total) + top - score)).sum() + 0.5 * (penalty * x * x).sum()
        gradient = transposed @ (row_importance * (power / total - target)).astype(np.float32) + penalty * x
        return value, gradient.astype(np.float64)

    found = scipy.optimize.minimize(loss, np.zeros(width), jac=True, method="L-BFGS-B", options={"maxiter": options.steps})
    print(f"  {matrix.shape[0]} lines, {len(words)} words, {found.nit} steps, loss {found.fun:.4f}", flush=True)
    return Model(words, found.x, np.asarray(matrix[:, : len(words)].sum(axis=0)).ravel())


def table(model):
    """Returns the table as the program reads it: the weights of the context, then the places of two words."""
    whole = lambda weights: np.clip(np.rint(weights * UNIT), -127, 127).astype(np.int8)
    places = np.zeros((PLACES, 2, 8), dtype=np.uint8)
    for index, at, which in model.places():
        slot = places[at, which]
        slot[: len(CHANNELS)] = whole(model.channels[:, index]).view(np.uint8)
        slot[6:] = np.frombuffer((int(model.words[index]) >> 16 | 1).to_bytes(2, "little"), dtype=np.uint8)
    return whole(model.around).tobytes() + places.tobytes()


# ---------- checking ----------
def score(logs, weights, work, wanted, fill):
    """Makes previews of logs with these weights.

    Returns (budget, label, recall, size, whether the wanted lines are short) for each log and budget.
    """
    previews = [ROOT_TARGET / "release/examples/train", "previews", *(["--fill"] if fill else [])]
    path = work / f"weights.{os.getpid()}.bin"
    path.write_bytes(weights)
    results = []
    for budget in BUDGETS:
        for at in range(0, len(logs), 200):
            subprocess.run([*previews, path, str(budget), *[log.path for log in logs[at : at + 200]]], check=True)
        for log in logs:
            preview = pathlib.Path(f"{log.path}.{budget}.preview")
            shown = preview.read_bytes()
            texts = wanted[log.label["file"]]
            recall = corpus.kept(texts, shown) / len(texts)
            short = sum(len(text) + 1 for text in texts) <= SHORT
            results.append((budget, log.label, recall, len(shown), short))
    return results


def report(results):
    mean = lambda values: sum(values) / max(1, len(values))

    def by(rows, field):
        groups = collections.defaultdict(list)
        for _, label, recall, _, _ in rows:
            groups[label[field]].append(recall)
        return {name: mean(values) for name, values in sorted(groups.items())}

    print(f"{'budget':>7} {'recall':>7} {'macro':>7} {'project':>7} {'any':>7} {'size':>7}   early  middle  late | datasets")
    for budget in BUDGETS:
        rows = [row for row in results if row[0] == budget]
        recalls = [row[2] for row in rows]
        datasets, places = by(rows, "dataset"), by(rows, "position")
        print(f"{budget:7} {mean(recalls):7.3f} {mean(datasets.values()):7.3f} {mean(by(rows, 'group').values()):7.3f} "
              f"{mean([recall > 0 for recall in recalls]):7.3f} {mean([row[3] for row in rows]):7.0f}   "
              + "  ".join(f"{places.get(place, 0):.3f}" for place in ("early", "middle", "late")) + " | "
              + " ".join(f"{name} {value:.3f}" for name, value in datasets.items()), flush=True)
        short = [row for row in rows if row[4]]
        sizes = sorted(row[3] for row in short)
        print(f"        {len(short)} logs whose wanted lines fit {SHORT} bytes: recall {mean([row[2] for row in short]):.3f}, "
              f"median preview {sizes[len(sizes) // 2]} bytes", flush=True)


def folds(logs, count):
    """Splits logs by project into parts of about the same size."""
    sizes = collections.Counter(log.label["group"] for log in logs)
    chance = np.random.default_rng(SEED)
    projects = sorted(sizes)
    chance.shuffle(projects)
    projects.sort(key=lambda project: -sizes[project])
    fold, filled = {}, [0] * count
    for project in projects:
        least = filled.index(min(filled))
        fold[project] = least
        filled[least] += sizes[project]
    return [[log for log in logs if fold[log.label["group"]] == part] for part in range(count)]


def by_dataset(logs):
    """Splits logs by data set. This shows what the weights are worth for logs from other sources."""
    parts = collections.defaultdict(list)
    for log in logs:
        parts[log.label["dataset"]].append(log)
    return [parts[name] for name in sorted(parts)]


def main():
    global ROOT_TARGET
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--check", action="store_true", help="score each fifth of the projects with weights from the other four fifths")
    parser.add_argument("--by", choices=("project", "dataset"), default="project", help="with --check: the parts are fifths of the projects, or the data sets")
    parser.add_argument("--write", action="store_true", help="train on all logs and write weights.bin")
    parser.add_argument("--weights", help="a file with weights: score all large logs with them")
    parser.add_argument("--work", default=str(ROOT / ".tools" / "signal"), help="the directory for unpacked logs and previews")
    parser.add_argument("--lines", type=int, default=700, help="the number of lines of each log to train on")
    parser.add_argument("--projects", type=int, default=3, help="the smallest number of projects that use a word")
    parser.add_argument("--penalty", type=float, default=4e-3)
    parser.add_argument("--penalty-around", type=float, default=2e-4)
    parser.add_argument("--beside", type=float, default=2.0, help="the factor for the penalty of weights for the next and the previous line")
    parser.add_argument("--far", type=float, default=5.0, help="the factor for the penalty of weights for lines further away")
    parser.add_argument("--keep-weights", help="the start of the file names for the weights of each fold")
    parser.add_argument("--fill", action="store_true", help="fill each preview up to its limit")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--samples", type=int, default=5, help="the number of samples of lines; the weights are the mean")
    parser.add_argument("--per-log")
    options = parser.parse_args()
    ROOT_TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    subprocess.run(["cargo", "build", "-q", "--release", "-p", "overspill-core", "--features", "train", "--example", "train"], cwd=ROOT, check=True)
    work = pathlib.Path(options.work)
    work.mkdir(parents=True, exist_ok=True)

    labels = list(corpus.labels(options.corpus))
    with concurrent.futures.ProcessPoolExecutor() as pool:
        paths = list(pool.map(prepare, [(options.corpus, label, work) for label in labels], chunksize=4))
    for at in range(0, len(paths), 200):
        subprocess.run([ROOT_TARGET / "release/examples/train", "features", *paths[at : at + 200]], check=True)
    logs = [Log(label, path) for label, path in zip(labels, paths)]
    large = [log for log in logs if log.label["bytes"] > 51200]
    wanted = {log.label["file"]: corpus.wanted(log.label, log.path.read_bytes()) for log in large}
    large = [log for log in large if wanted[log.label["file"]]]
    print(f"{len(logs)} logs, {len(large)} of them large", flush=True)

    results, filled = [], []
    if options.weights:
        results = score(large, pathlib.Path(options.weights).read_bytes(), work, wanted, options.fill)
        report(results)
    if options.check:
        for part in by_dataset(logs) if options.by == "dataset" else folds(logs, 5):
            others = [log for log in logs if all(log is not held for held in part)]
            held = [log for log in large if any(log is one for one in part)]
            weights = table(fit(others, options))
            if options.keep_weights:
                pathlib.Path(f"{options.keep_weights}.{len(results)}.bin").write_bytes(weights)
            results += score(held, weights, work, wanted, options.fill)
            filled += score(held, weights, work, wanted, True)
        report(results)
        print("with --fill:")
        report(filled)
    if options.per_log:
        with open(options.per_log, "w", encoding="utf-8") as out:
            for budget, label, recall, size, _ in results:
                print(budget, f"{recall:.3f}", size, label["position"], label["file"], file=out)
    if options.write:
        weights = table(fit(logs, options))
        WEIGHTS.write_bytes(weights)
        print(f"{WEIGHTS.relative_to(ROOT)}: {len(weights)} bytes")


if __name__ == "__main__":
    main()
